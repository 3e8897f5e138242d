//! Collective operations on the data of a program, by each algorithm, give what the MPI library
//! gives.
//!
//! `scripts/test-mpi` starts it with mpirun. Without it there is nothing to test.

#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::process::ExitCode;
use std::ptr;

use orrery::collective::with_common_segments;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;
use orrery_mpi::collective::{Buffer, Chooser, Decision, bcast, gather, reduce, scatter};
use orrery_mpi::{MpiError, RawComm, RawDatatype, RawOp, ReduceArguments, UserComm};

/// Numbers of elements: none, one, a few, and those of several segments.
const COUNTS: [usize; 4] = [0, 1, 7, 700];

fn main() -> ExitCode {
    if !["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
    {
        println!("not under mpirun: scripts/test-mpi starts this test");
        return ExitCode::SUCCESS;
    }
    assert!(bcast_before_init(), "a call before MPI_Init has to be refused");
    unsafe { mpi_sys::MPI_Init(ptr::null_mut(), ptr::null_mut()) };
    let world = unsafe { mpi_sys::RSMPI_COMM_WORLD };
    let whole = Test::new(world);
    let calls = whole.run();
    // The ranks in reverse order, without the last one.
    let (color, key) =
        (c_int::from(whole.rank + 1 == whole.ranks), (whole.ranks - whole.rank) as c_int);
    let mut part = world;
    unsafe { mpi_sys::MPI_Comm_split(world, color, key, &raw mut part) };
    Test::new(part).run();
    unsafe { mpi_sys::MPI_Comm_free(&raw mut part) };
    whole.refusals();
    if whole.rank == 0 {
        println!(
            "{calls} collective operations with data on {} ranks are those of the library",
            whole.ranks
        );
    }
    unsafe { mpi_sys::MPI_Finalize() };
    ExitCode::SUCCESS
}

fn bcast_before_init() -> bool {
    let buffer =
        Buffer { data: ptr::null_mut(), count: 0, datatype: unsafe { mpi_sys::RSMPI_UINT8_T } };
    let chooser = Chooser { model: (0, 0), choose: &|_| Ok(Algorithm::Linear) };
    unsafe { bcast(UserComm::new(mpi_sys::RSMPI_COMM_WORLD), buffer, 0, chooser) }.is_err()
}

/// Elements of a type in memory.
#[derive(Clone, Copy)]
struct Kind {
    datatype: RawDatatype,
    /// The doubles between elements.
    stride: usize,
}

/// A communicator with what is tested on it.
struct Test {
    comm: RawComm,
    rank: usize,
    ranks: usize,
    /// A reduction whose operands have an order.
    ordered: RawOp,
    /// The number of the model, another one for each algorithm.
    model: Cell<u64>,
}

impl Test {
    fn new(comm: RawComm) -> Self {
        let (mut rank, mut ranks) = (0, 0);
        let mut ordered = unsafe { mpi_sys::RSMPI_SUM };
        unsafe {
            mpi_sys::MPI_Op_create(Some(keep_first), 0, &raw mut ordered);
            mpi_sys::MPI_Comm_rank(comm, &raw mut rank);
            mpi_sys::MPI_Comm_size(comm, &raw mut ranks);
        }
        Self { comm, rank: rank as usize, ranks: ranks as usize, ordered, model: Cell::new(0) }
    }

    /// Compares all operations; returns their number.
    fn run(&self) -> usize {
        let plain = Kind { datatype: unsafe { mpi_sys::RSMPI_DOUBLE }, stride: 1 };
        // Pairs whose second half comes first, with a gap behind.
        let mut swapped = plain.datatype;
        unsafe {
            let (lengths, places) = ([1, 1], [8, 0]);
            let mut pairs = plain.datatype;
            mpi_sys::MPI_Type_create_hindexed(
                2,
                lengths.as_ptr(),
                places.as_ptr(),
                plain.datatype,
                &raw mut pairs,
            );
            mpi_sys::MPI_Type_create_resized(pairs, 0, 24, &raw mut swapped);
            mpi_sys::MPI_Type_free(&raw mut pairs);
            mpi_sys::MPI_Type_commit(&raw mut swapped);
        }
        let swapped = Kind { datatype: swapped, stride: 3 };
        let mut calls = 0;
        for kind in [
            CollectiveKind::Scatter,
            CollectiveKind::Gather,
            CollectiveKind::Broadcast,
            CollectiveKind::Reduce,
        ] {
            let algorithms = with_common_segments(
                kind,
                kind.algorithms_on(self.ranks).collect(),
                Bytes::new(4096),
            );
            let split = CollectiveKind::SCATTER_GATHER
                .contains(&kind)
                .then(|| Algorithm::LinearSplit(Bytes::new(1000)));
            for algorithm in algorithms.into_iter().chain(split) {
                self.model.set(self.model.get() + 1);
                let model = (self.model.get(), 0);
                let choose = |decision: Decision| {
                    assert!(
                        decision.model == model
                            && decision.kind == kind
                            && decision.ranks == self.ranks
                    );
                    Ok(algorithm)
                };
                let chooser = Chooser { model, choose: &choose };
                for (root, count) in
                    (0..self.ranks).flat_map(|root| COUNTS.map(|count| (root, count)))
                {
                    for elements in [plain, swapped] {
                        for in_place in [false, true] {
                            let what = format!(
                                "{kind}/{algorithm} from {root} of {count}, in place: {in_place}"
                            );
                            self.compare(kind, (root, count), elements, in_place, chooser, &what);
                            calls += 1;
                        }
                    }
                }
            }
        }
        let mut datatype = swapped.datatype;
        unsafe { mpi_sys::MPI_Type_free(&raw mut datatype) };
        calls
    }

    /// Runs an operation by an algorithm and by the library.
    fn compare(
        &self,
        kind: CollectiveKind,
        (root, count): (usize, usize),
        elements: Kind,
        in_place: bool,
        chooser: Chooser,
        what: &str,
    ) {
        let all = self.ranks * count.max(1) * elements.stride;
        let filled = |seed: usize| {
            (0..all).map(|i| ((self.rank * 7919 + i * 31 + seed) % 1009) as f64).collect::<Vec<_>>()
        };
        let is_root = self.rank == root;
        let mut results = Vec::new();
        for is_library in [false, true] {
            let (mut send, mut receive) = (filled(1), filled(2));
            let (from, to) = (send.as_mut_ptr().cast(), receive.as_mut_ptr().cast());
            let code = if is_library {
                unsafe {
                    self.library(kind, (root, count), elements, in_place && is_root, (from, to))
                }
            } else {
                let outcome = unsafe {
                    self.ours(
                        kind,
                        (root, count),
                        elements,
                        in_place && is_root,
                        (from, to),
                        chooser,
                    )
                };
                c_int::from(outcome.map_err(|error| println!("{what}: {error}")).is_err())
            };
            assert_eq!(code, 0, "{what}");
            results.push((send, receive));
        }
        // Sums of whole numbers are exact in any order.
        let differs = results[0] != results[1];
        assert!(
            !differs,
            "{what}, rank {}: {:?} instead of {:?}",
            self.rank, results[0], results[1]
        );
    }

    unsafe fn ours(
        &self,
        kind: CollectiveKind,
        (root, count): (usize, usize),
        Kind { datatype, .. }: Kind,
        in_place: bool,
        (from, to): (*mut c_void, *mut c_void),
        chooser: Chooser,
    ) -> Result<(), MpiError> {
        let (root, count) = (root as c_int, count as c_int);
        let replaced = |data| if in_place { in_place_of_library() } else { data };
        let buffer = |data| Buffer { data, count, datatype };
        unsafe {
            let comm = UserComm::new(self.comm);
            match kind {
                CollectiveKind::Scatter => {
                    scatter(comm, (buffer(from), buffer(replaced(to))), root, chooser)
                }
                CollectiveKind::Gather => {
                    gather(comm, (buffer(replaced(from)), buffer(to)), root, chooser)
                }
                CollectiveKind::Broadcast => bcast(comm, buffer(to), root, chooser),
                _ => {
                    let (datatype, op) = self.reduced(datatype, root);
                    let send = replaced(from).cast_const();
                    reduce(
                        comm,
                        ReduceArguments { send, receive: to, count, datatype, op, root },
                        chooser,
                    )
                }
            }
        }
    }

    unsafe fn library(
        &self,
        kind: CollectiveKind,
        (root, count): (usize, usize),
        Kind { datatype, .. }: Kind,
        in_place: bool,
        (from, to): (*mut c_void, *mut c_void),
    ) -> c_int {
        let (root, count, comm) = (root as c_int, count as c_int, self.comm);
        let replaced = |data| if in_place { in_place_of_library() } else { data };
        unsafe {
            match kind {
                CollectiveKind::Scatter => mpi_sys::MPI_Scatter(
                    from,
                    count,
                    datatype,
                    replaced(to),
                    count,
                    datatype,
                    root,
                    comm,
                ),
                CollectiveKind::Gather => mpi_sys::MPI_Gather(
                    replaced(from),
                    count,
                    datatype,
                    to,
                    count,
                    datatype,
                    root,
                    comm,
                ),
                CollectiveKind::Broadcast => mpi_sys::MPI_Bcast(to, count, datatype, root, comm),
                _ => {
                    let (datatype, op) = self.reduced(datatype, root);
                    // MPI_Reduce of MPICH 4.0.2 reads MPI_IN_PLACE as an address: a copy has the
                    // same result.
                    let copy =
                        std::slice::from_raw_parts(to.cast::<f64>(), count as usize).to_vec();
                    let from = if in_place { copy.as_ptr().cast() } else { from.cast_const() };
                    mpi_sys::MPI_Reduce(from, to, count, datatype, op, root, comm)
                }
            }
        }
    }

    /// Type and reduction: sums, maxima for elements that are no doubles, and for root 0 one whose
    /// operands have an order.
    fn reduced(&self, datatype: RawDatatype, root: c_int) -> (RawDatatype, RawOp) {
        unsafe {
            let double = mpi_sys::RSMPI_DOUBLE;
            let op = match (datatype == double, root) {
                (true, 0) => self.ordered,
                (true, _) => mpi_sys::RSMPI_SUM,
                _ => mpi_sys::RSMPI_MAX,
            };
            (double, op)
        }
    }

    /// Wrong arguments are refused on the rank that has them, and a failed choice on all ranks.
    fn refusals(&self) {
        let datatype = unsafe { mpi_sys::RSMPI_DOUBLE };
        let mut value = [0.0_f64; 64];
        let data = value.as_mut_ptr().cast();
        let call = |buffer, root, choose: &dyn Fn(Decision) -> Result<Algorithm, String>| {
            let chooser = Chooser { model: (u64::MAX, 0), choose };
            let outcome = unsafe { bcast(UserComm::new(self.comm), buffer, root, chooser) };
            outcome.map_err(|error| error.to_string())
        };
        let linear = |_: Decision| Ok(Algorithm::Linear);
        let buffer = Buffer { data, count: 3, datatype };
        for (buffer, root, reason) in [
            (buffer, -1, "the root is -1"),
            (buffer, self.ranks as c_int, "give a rank from 0"),
            (Buffer { count: -2, ..buffer }, 0, "the count of the buffer is -2"),
            (Buffer { data: ptr::null_mut(), ..buffer }, 0, "the buffer is null"),
        ] {
            let outcome = call(buffer, root, &linear);
            assert!(
                outcome.as_ref().is_err_and(|error| error.contains(reason)),
                "{reason}: {outcome:?}"
            );
        }
        let no_model = |_: Decision| Err("no such model".to_owned());
        assert_eq!(call(buffer, 0, &no_model), Err("no such model".into()));
        let wrong = |_: Decision| Ok(Algorithm::Bruck);
        assert!(
            call(buffer, 0, &wrong)
                .is_err_and(|error| error.contains("bcast has no algorithm bruck"))
        );
        assert_eq!(call(buffer, 0, &linear), Ok(()));
        // It is chosen once.
        assert_eq!(call(buffer, 0, &no_model), Ok(()));
    }
}

/// A reduction whose operands have an order: the first one stays.
unsafe extern "C" fn keep_first(
    from: *mut c_void,
    into: *mut c_void,
    length: *mut c_int,
    _: *mut RawDatatype,
) {
    unsafe { ptr::copy_nonoverlapping(from.cast::<f64>(), into.cast::<f64>(), *length as usize) };
}

/// MPI_IN_PLACE, which is no constant for Rust: −1 in MPICH, 1 in Open MPI.
fn in_place_of_library() -> *mut c_void {
    let mut text = vec![0_u8; 16_384];
    let mut length = 0;
    unsafe { mpi_sys::MPI_Get_library_version(text.as_mut_ptr().cast(), &raw mut length) };
    ptr::without_provenance_mut(if text.starts_with(b"Open MPI") { 1 } else { usize::MAX })
}
