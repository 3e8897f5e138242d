//! Files: a replay cannot represent them, so their times are recorded only.
//!
//! Functions with texts are for C only, since those of Fortran pass lengths of texts, too.

#![allow(unsafe_code, non_snake_case)]

functions! {
    File_close: [C Fortran]
        (file: NewFile)
        |tracer| tracer.plain();
    File_sync: [C Fortran]
        (file: File)
        |tracer| tracer.plain();
    File_read, File_write, File_read_all, File_write_all, File_read_shared, File_write_shared,
    File_read_ordered, File_write_ordered: [C Large Fortran]
        (file: File, buffer: Address, count: Count, datatype: Datatype, status: Status)
        |tracer| tracer.plain();
    File_read_at, File_write_at, File_read_at_all, File_write_at_all: [C Large Fortran]
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype,
         status: Status)
        |tracer| tracer.plain();
    File_iread, File_iread_all, File_iread_shared, File_iwrite, File_iwrite_all,
    File_iwrite_shared: [C Large Fortran]
        (file: File, buffer: Address, count: Count, datatype: Datatype, request: NewRequest)
        |tracer| tracer.plain();
    File_iread_at, File_iread_at_all, File_iwrite_at, File_iwrite_at_all: [C Large Fortran]
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype,
         request: NewRequest)
        |tracer| tracer.plain();
    File_read_all_begin, File_read_ordered_begin, File_write_all_begin, File_write_ordered_begin:
    [C Large Fortran]
        (file: File, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_read_all_end, File_read_at_all_end, File_read_ordered_end, File_write_all_end,
    File_write_at_all_end, File_write_ordered_end: [C Fortran]
        (file: File, buffer: Address, status: Status)
        |tracer| tracer.plain();
    File_read_at_all_begin, File_write_at_all_begin: [C Large Fortran]
        (file: File, offset: Offset, buffer: Address, count: Count, datatype: Datatype)
        |tracer| tracer.plain();
    File_set_size, File_preallocate: [C Fortran]
        (file: File, size: Offset)
        |tracer| tracer.plain();
    File_seek_shared: [C Fortran]
        (file: File, offset: Offset, from: Int)
        |tracer| tracer.plain();
}

functions! {
    File_open: [C]
        (comm: Comm, name: Text, mode: Int, info: Info, file: NewFile)
        |tracer| tracer.plain();
    File_set_view: [C]
        (file: File, offset: Offset, element: Datatype, file_type: Datatype, representation: Text,
         info: Info)
        |tracer| tracer.plain();
}
