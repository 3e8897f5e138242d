//! Files: a replay cannot represent them, so their times are recorded only.
//!
//! Functions with texts are for C only, since those of Fortran pass lengths of texts, too.

#![allow(unsafe_code, non_snake_case)]

functions! {
    File_close: MPI_File_close PMPI_File_close mpi_file_close_ ompi_file_close_f
        (file: NewFile)
        |tracer| tracer.plain();
    File_sync: MPI_File_sync PMPI_File_sync mpi_file_sync_ ompi_file_sync_f
        (file: File)
        |tracer| tracer.plain();
    File_read: MPI_File_read PMPI_File_read mpi_file_read_ ompi_file_read_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write: MPI_File_write PMPI_File_write mpi_file_write_ ompi_file_write_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_all: MPI_File_read_all PMPI_File_read_all mpi_file_read_all_ ompi_file_read_all_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_all: MPI_File_write_all PMPI_File_write_all mpi_file_write_all_ ompi_file_write_all_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_shared: MPI_File_read_shared PMPI_File_read_shared mpi_file_read_shared_ ompi_file_read_shared_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_shared: MPI_File_write_shared PMPI_File_write_shared mpi_file_write_shared_ ompi_file_write_shared_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_ordered: MPI_File_read_ordered PMPI_File_read_ordered mpi_file_read_ordered_ ompi_file_read_ordered_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_ordered: MPI_File_write_ordered PMPI_File_write_ordered mpi_file_write_ordered_ ompi_file_write_ordered_f
        (file: File, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_at: MPI_File_read_at PMPI_File_read_at mpi_file_read_at_ ompi_file_read_at_f
        (file: File, offset: Offset, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_at: MPI_File_write_at PMPI_File_write_at mpi_file_write_at_ ompi_file_write_at_f
        (file: File, offset: Offset, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_at_all: MPI_File_read_at_all PMPI_File_read_at_all mpi_file_read_at_all_ ompi_file_read_at_all_f
        (file: File, offset: Offset, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_at_all: MPI_File_write_at_all PMPI_File_write_at_all mpi_file_write_at_all_ ompi_file_write_at_all_f
        (file: File, offset: Offset, buffer: Address, count: Int, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
}

functions_of_c! {
    File_open: MPI_File_open PMPI_File_open
        (comm: Comm, name: Text, mode: Int, info: Info, file: NewFile)
        |tracer| tracer.plain();
    File_set_view: MPI_File_set_view PMPI_File_set_view
        (file: File, offset: Offset, element: Datatype, file_type: Datatype, representation: Text, info: Info)
        |tracer| tracer.plain();
}
