//! Sets `open_mpi` for builds with Open MPI, whose functions of Fortran are replaced, too, and the
//! name of each function that `mpi.h` declares, such as `MPI_Send`; writes the definitions of the
//! functions that are recorded with their times only.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A text with the declarations of MPI, and with a line that is there for Open MPI only.
const QUESTION: &[u8] = b"#include <mpi.h>\n#ifdef OPEN_MPI\nis_open_mpi\n#endif\n";

/// Functions for C and Fortran of which only the times are recorded: files, one-sided and
/// partitioned communication, and collective operations that do not block, are persistent, or are
/// between neighbours.
const PLAIN: &str = "
    File_close File_sync File_read File_write File_read_all File_write_all File_read_shared
    File_write_shared File_read_ordered File_write_ordered File_read_at File_write_at
    File_read_at_all File_write_at_all File_iread File_iread_all File_iread_shared File_iwrite
    File_iwrite_all File_iwrite_shared File_iread_at File_iread_at_all File_iwrite_at
    File_iwrite_at_all File_read_all_begin File_read_ordered_begin File_write_all_begin
    File_write_ordered_begin File_read_all_end File_read_at_all_end File_read_ordered_end
    File_write_all_end File_write_at_all_end File_write_ordered_end File_read_at_all_begin
    File_write_at_all_begin File_set_size File_preallocate File_seek_shared Neighbor_allgather
    Neighbor_alltoall Neighbor_allgatherv Neighbor_alltoallv Neighbor_alltoallw
    Ineighbor_allgather Ineighbor_alltoall Ineighbor_allgatherv Ineighbor_alltoallv
    Ineighbor_alltoallw Ibarrier Ibcast Ireduce Iallreduce Iscan Iexscan Ireduce_scatter_block
    Ireduce_scatter Igather Iscatter Iallgather Ialltoall Igatherv Iscatterv Iallgatherv
    Ialltoallv Ialltoallw Comm_idup Comm_idup_with_info Isendrecv Isendrecv_replace Win_create
    Win_allocate Win_allocate_shared Win_create_dynamic Win_free Win_fence Win_lock_all Win_lock
    Win_unlock Win_flush Win_flush_local Win_unlock_all Win_flush_all Win_complete Win_wait
    Win_flush_local_all Win_sync Win_start Win_post Put Get Accumulate Get_accumulate
    Fetch_and_op Compare_and_swap Rput Rget Raccumulate Rget_accumulate Psend_init Precv_init
    Pready Pready_range Pready_list Barrier_init Bcast_init Reduce_init Allreduce_init Scan_init
    Exscan_init Reduce_scatter_block_init Reduce_scatter_init Gather_init Scatter_init
    Allgather_init Alltoall_init Neighbor_allgather_init Neighbor_alltoall_init Gatherv_init
    Scatterv_init Allgatherv_init Neighbor_allgatherv_init Alltoallv_init
    Neighbor_alltoallv_init Alltoallw_init Neighbor_alltoallw_init Buffer_detach
    Grequest_complete
";

/// Those for C only: the functions with texts, whose lengths Fortran passes, too, and others of
/// processes outside of the job.
const PLAIN_OF_C: &str = "
    File_open File_set_view Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join
    Comm_create_from_group Intercomm_create_from_groups Session_init Session_finalize
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-env-changed=MPICC");
    println!("cargo:rustc-check-cfg=cfg(open_mpi)");
    let compiler = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let mut preprocessor = Command::new(&compiler)
        .args(["-E", "-P", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| {
            format!("cannot start {compiler}: {error}; name the compiler wrapper of MPI in MPICC")
        })?;
    preprocessor.stdin.take().ok_or("no input")?.write_all(QUESTION)?;
    let output = preprocessor.wait_with_output()?;
    if !output.status.success() {
        return Err(format!(
            "{compiler} cannot include mpi.h; name the compiler wrapper of MPI in MPICC"
        )
        .into());
    }
    let declarations = String::from_utf8_lossy(&output.stdout);
    if declarations.lines().any(|line| line.trim() == "is_open_mpi") {
        println!("cargo:rustc-cfg=open_mpi");
    }
    for function in functions(&declarations) {
        println!("cargo:rustc-cfg={function}");
    }
    let file = Path::new(&std::env::var("OUT_DIR")?).join("plain.rs");
    std::fs::write(file, definitions(&declarations)?)?;
    Ok(())
}

/// The functions of MPI that a text declares: names before a parenthesis.
fn functions(declarations: &str) -> BTreeSet<&str> {
    let before_parentheses = declarations.split('(').map(str::trim_end);
    let names = before_parentheses.filter_map(|text| {
        text.rsplit(|one: char| !one.is_ascii_alphanumeric() && one != '_').next()
    });
    names.filter(|name| name.starts_with("MPI_")).collect()
}

/// The definitions of the functions that a text declares, with small and with large counts.
fn definitions(declarations: &str) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for (names, variants) in [(PLAIN, "C Fortran"), (PLAIN_OF_C, "C")] {
        for name in names.split_whitespace() {
            for (suffix, variants) in [("", variants), ("_c", "Large")] {
                if let Some(arguments) = arguments(declarations, &format!("{name}{suffix}")) {
                    writeln!(
                        text,
                        "functions! {{ {name}: [{variants}] ({arguments}) |tracer| tracer.plain(); }}"
                    )?;
                }
            }
        }
    }
    Ok(text)
}

/// The arguments of a function that a text declares, with their types.
fn arguments(declarations: &str, function: &str) -> Option<String> {
    let (_, rest) = declarations.split_once(&format!(" MPI_{function}("))?;
    let (list, _) = rest.split_once(')')?;
    let argument = |(place, argument): (usize, &str)| {
        let mut words = argument.split(|one: char| one == '*' || one.is_whitespace());
        let name = words.find(|word| !word.is_empty() && *word != "const")?;
        let pointers = "*mut ".repeat(argument.matches(['*', '[']).count());
        let module = if name.starts_with("MPI_") { "mpi_sys::" } else { "std::ffi::c_" };
        Some(format!("argument_{place}: [{pointers}{module}{name}]"))
    };
    list.split(',').enumerate().map(argument).collect::<Option<Vec<_>>>().map(|all| all.join(", "))
}
