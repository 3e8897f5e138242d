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
    File_read: MPI_File_read PMPI_File_read [MPI_File_read_c PMPI_File_read_c] mpi_file_read_ ompi_file_read_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write: MPI_File_write PMPI_File_write [MPI_File_write_c PMPI_File_write_c] mpi_file_write_ ompi_file_write_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_all: MPI_File_read_all PMPI_File_read_all [MPI_File_read_all_c PMPI_File_read_all_c]
        mpi_file_read_all_ ompi_file_read_all_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_all: MPI_File_write_all PMPI_File_write_all [MPI_File_write_all_c PMPI_File_write_all_c]
        mpi_file_write_all_ ompi_file_write_all_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_shared: MPI_File_read_shared PMPI_File_read_shared [MPI_File_read_shared_c PMPI_File_read_shared_c]
        mpi_file_read_shared_ ompi_file_read_shared_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_shared: MPI_File_write_shared PMPI_File_write_shared [MPI_File_write_shared_c PMPI_File_write_shared_c]
        mpi_file_write_shared_ ompi_file_write_shared_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_ordered: MPI_File_read_ordered PMPI_File_read_ordered [MPI_File_read_ordered_c PMPI_File_read_ordered_c]
        mpi_file_read_ordered_ ompi_file_read_ordered_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_ordered: MPI_File_write_ordered PMPI_File_write_ordered [MPI_File_write_ordered_c PMPI_File_write_ordered_c]
        mpi_file_write_ordered_ ompi_file_write_ordered_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_at: MPI_File_read_at PMPI_File_read_at [MPI_File_read_at_c PMPI_File_read_at_c]
        mpi_file_read_at_ ompi_file_read_at_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_at: MPI_File_write_at PMPI_File_write_at [MPI_File_write_at_c PMPI_File_write_at_c]
        mpi_file_write_at_ ompi_file_write_at_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_at_all: MPI_File_read_at_all PMPI_File_read_at_all [MPI_File_read_at_all_c PMPI_File_read_at_all_c]
        mpi_file_read_at_all_ ompi_file_read_at_all_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_write_at_all: MPI_File_write_at_all PMPI_File_write_at_all [MPI_File_write_at_all_c PMPI_File_write_at_all_c]
        mpi_file_write_at_all_ ompi_file_write_at_all_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_iread: MPI_File_iread PMPI_File_iread [MPI_File_iread_c PMPI_File_iread_c] mpi_file_iread_ ompi_file_iread_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iread_all: MPI_File_iread_all PMPI_File_iread_all [MPI_File_iread_all_c PMPI_File_iread_all_c]
        mpi_file_iread_all_ ompi_file_iread_all_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iread_at: MPI_File_iread_at PMPI_File_iread_at [MPI_File_iread_at_c PMPI_File_iread_at_c]
        mpi_file_iread_at_ ompi_file_iread_at_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iread_at_all: MPI_File_iread_at_all PMPI_File_iread_at_all [MPI_File_iread_at_all_c PMPI_File_iread_at_all_c]
        mpi_file_iread_at_all_ ompi_file_iread_at_all_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iread_shared: MPI_File_iread_shared PMPI_File_iread_shared [MPI_File_iread_shared_c PMPI_File_iread_shared_c]
        mpi_file_iread_shared_ ompi_file_iread_shared_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_read_all_begin: MPI_File_read_all_begin PMPI_File_read_all_begin [MPI_File_read_all_begin_c PMPI_File_read_all_begin_c]
        mpi_file_read_all_begin_ ompi_file_read_all_begin_f
        (file: File, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_read_all_end: MPI_File_read_all_end PMPI_File_read_all_end mpi_file_read_all_end_ ompi_file_read_all_end_f
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_read_at_all_begin: MPI_File_read_at_all_begin PMPI_File_read_at_all_begin [MPI_File_read_at_all_begin_c PMPI_File_read_at_all_begin_c]
        mpi_file_read_at_all_begin_ ompi_file_read_at_all_begin_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_read_at_all_end: MPI_File_read_at_all_end PMPI_File_read_at_all_end mpi_file_read_at_all_end_ ompi_file_read_at_all_end_f
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_read_ordered_begin: MPI_File_read_ordered_begin PMPI_File_read_ordered_begin [MPI_File_read_ordered_begin_c PMPI_File_read_ordered_begin_c]
        mpi_file_read_ordered_begin_ ompi_file_read_ordered_begin_f
        (file: File, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_read_ordered_end: MPI_File_read_ordered_end PMPI_File_read_ordered_end
        mpi_file_read_ordered_end_ ompi_file_read_ordered_end_f
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_iwrite: MPI_File_iwrite PMPI_File_iwrite [MPI_File_iwrite_c PMPI_File_iwrite_c] mpi_file_iwrite_ ompi_file_iwrite_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iwrite_all: MPI_File_iwrite_all PMPI_File_iwrite_all [MPI_File_iwrite_all_c PMPI_File_iwrite_all_c]
        mpi_file_iwrite_all_ ompi_file_iwrite_all_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iwrite_at: MPI_File_iwrite_at PMPI_File_iwrite_at [MPI_File_iwrite_at_c PMPI_File_iwrite_at_c]
        mpi_file_iwrite_at_ ompi_file_iwrite_at_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iwrite_at_all: MPI_File_iwrite_at_all PMPI_File_iwrite_at_all [MPI_File_iwrite_at_all_c PMPI_File_iwrite_at_all_c]
        mpi_file_iwrite_at_all_ ompi_file_iwrite_at_all_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iwrite_shared: MPI_File_iwrite_shared PMPI_File_iwrite_shared [MPI_File_iwrite_shared_c PMPI_File_iwrite_shared_c]
        mpi_file_iwrite_shared_ ompi_file_iwrite_shared_f
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_write_all_begin: MPI_File_write_all_begin PMPI_File_write_all_begin [MPI_File_write_all_begin_c PMPI_File_write_all_begin_c]
        mpi_file_write_all_begin_ ompi_file_write_all_begin_f
        (file: File, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_write_all_end: MPI_File_write_all_end PMPI_File_write_all_end mpi_file_write_all_end_ ompi_file_write_all_end_f
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_write_at_all_begin: MPI_File_write_at_all_begin PMPI_File_write_at_all_begin [MPI_File_write_at_all_begin_c PMPI_File_write_at_all_begin_c]
        mpi_file_write_at_all_begin_ ompi_file_write_at_all_begin_f
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_write_at_all_end: MPI_File_write_at_all_end PMPI_File_write_at_all_end
        mpi_file_write_at_all_end_ ompi_file_write_at_all_end_f
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_write_ordered_begin: MPI_File_write_ordered_begin PMPI_File_write_ordered_begin [MPI_File_write_ordered_begin_c PMPI_File_write_ordered_begin_c]
        mpi_file_write_ordered_begin_ ompi_file_write_ordered_begin_f
        (file: File, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_write_ordered_end: MPI_File_write_ordered_end PMPI_File_write_ordered_end
        mpi_file_write_ordered_end_ ompi_file_write_ordered_end_f
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_set_size: MPI_File_set_size PMPI_File_set_size mpi_file_set_size_ ompi_file_set_size_f
        (file: File, size: Offset)
        |tracer| tracer.plain();
    File_preallocate: MPI_File_preallocate PMPI_File_preallocate mpi_file_preallocate_ ompi_file_preallocate_f
        (file: File, size: Offset)
        |tracer| tracer.plain();
    File_seek_shared: MPI_File_seek_shared PMPI_File_seek_shared mpi_file_seek_shared_ ompi_file_seek_shared_f
        (file: File, offset: Offset, from: Int)
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
