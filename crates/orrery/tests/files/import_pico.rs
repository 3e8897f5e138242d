//! Import of results of PICO.

use orrery::file::FileError;
use orrery::platform::Processor;
use orrery::sample::file::{parse, to_text};
use orrery::sample::import::{Imported, PicoImporter, PicoSelection};
use orrery::sample::{Experiment, PROCESSES_PER_HOST};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;
use proptest::prelude::*;

const HEADER: &str =
    "system,run,test,nodes,ppn,library,collective,algorithm,bytes,type,readings,median,p10,p90\n";
const ROW: &str = "s,r,0,4,1,OMPI 4.1.6,allgather,ring_ompi,64,int32,100,2e-6,1e-6,3e-6\n";

fn import(text: &str, selection: PicoSelection) -> Result<Imported, FileError> {
    let mut importer = PicoImporter::new(selection);
    importer.add(text, "1024_ring_ompi_int32.csv")?;
    importer.finish()
}

fn example() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/import/pico-quantiles.csv");
    std::fs::read_to_string(path).unwrap()
}

fn selection(nodes: usize) -> PicoSelection {
    PicoSelection { nodes: Some(nodes), ..PicoSelection::default() }
}

#[test]
fn quantiles_become_readings_and_runs_launches() {
    let Imported { samples, remarks, .. } = import(&example(), selection(4)).unwrap();
    let (kind, root, procs) = (CollectiveKind::Allgather, Processor(0), 4);
    let experiment = Experiment::Collective {
        kind,
        algorithm: Algorithm::RecursiveDoubling,
        root,
        procs,
        size: Bytes::new(1024),
    };
    let series = samples.get(&experiment).unwrap();
    let readings: Vec<_> = series.readings.iter().map(|one| (one.launch, one.rep)).collect();
    assert_eq!(readings, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    assert_eq!(
        series.seconds()[..3],
        [2.646e-6, 2.728e-6, 2.891e-6],
        "the block is a quarter of 4096 bytes"
    );
    assert_eq!(samples.provenance.get("launches"), Some("monday tuesday"));
    assert_eq!(samples.provenance.get(PROCESSES_PER_HOST), Some("1"));
    assert!(samples.provenance.get("timing").unwrap().contains("quantiles of 10, 50 and 90 %"));
    assert_eq!(
        (&samples.unknown[0].experiment[..], samples.unknown[0].rows),
        ("allgather/bine_2_blocks_over", 6)
    );
    // 8 bytes are less than an int32 for each of four ranks.
    assert_eq!(remarks.len(), 6);
    assert!(remarks[0].kind.contains("less than one element"), "{}", remarks[0].kind);
    let written = parse(to_text(&samples).unwrap(), "x").unwrap().samples;
    assert_eq!(written.series(), samples.series());
}

/// PICO gives each of 254 ranks floor(4096/254) = 16 elements, and leaves 32 of them unused.
#[test]
fn a_remainder_of_the_buffer_is_not_sent() {
    for (operation, size) in
        [("allgather", 64), ("reduce_scatter", 64), ("alltoall", 64), ("allreduce", 16384)]
    {
        let row = format!(
            "s,r,0,254,1,OMPI 4.1.6,{operation},default_ompi,16384,int32,100,2e-6,1e-6,3e-6\n"
        );
        let Imported { samples, remarks, .. } =
            import(&format!("{HEADER}{row}"), selection(254)).unwrap();
        let [series] = samples.series() else { panic!("one experiment") };
        assert_eq!(series.experiment.size(), Bytes::new(size), "{operation}");
        assert!(remarks.is_empty(), "{remarks:?}");
    }
}

#[test]
fn a_file_with_several_jobs_lists_them() {
    let error = import(&example(), PicoSelection::default()).unwrap_err().to_string();
    for part in [
        "2 of the following",
        "example, 4 nodes with 1 process each, OMPI 4.1.6",
        "8 nodes",
        "select a system",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let error = import(&example(), selection(5)).unwrap_err().to_string();
    assert!(error.contains("none of the following"), "{error}");
}

#[test]
fn single_readings_need_their_job_and_lose_the_warm_up() {
    let text = "highest,rank0,rank1\n90000,1,1\n4000,1,1\n4100,1,1\n4200,1,1\n4300,1,1\n";
    let job = PicoSelection {
        nodes: Some(2),
        ppn: Some(1),
        operation: Some(CollectiveKind::Allgather),
        ..PicoSelection::default()
    };
    let Imported { samples, .. } = import(text, job.clone()).unwrap();
    let [series] = samples.series() else { panic!("one experiment") };
    assert_eq!(
        (series.experiment.name(), series.experiment.size().get()),
        ("native/allgather/ompi/ring".into(), 2048)
    );
    let nanoseconds: Vec<f64> =
        series.seconds().iter().map(|seconds| (seconds * 1e9).round()).collect();
    assert_eq!(nanoseconds, [4000.0, 4100.0, 4200.0, 4300.0]);
    let refused = |selection, text| import(text, selection).unwrap_err().to_string();
    assert!(
        refused(PicoSelection::default(), text)
            .contains("PICO need the operation, the number of nodes, ")
    );
    assert!(
        refused(PicoSelection { ppn: Some(2), ..job.clone() }, text)
            .contains("2 ranks, but 2 nodes × 2 processes are")
    );
    assert!(refused(job.clone(), "highest\n1\nx\n3\n").contains(":3:1: column \"highest\": \"x\""));
    let mut importer = PicoImporter::new(job);
    assert!(
        importer.add(text, "alloc.csv").unwrap_err().to_string().contains("the name of this file")
    );
}

#[test]
fn faults_are_located() {
    for (row, column, words) in [
        ("s,r,0,none,1,L,allgather,ring_ompi,64,int32,1,1,1,1", 7, "\"nodes\": \"none\" is not"),
        ("s,r,0,4,1,L,alltoallw,ring_ompi,64,int32,1,1,1,1", 13, "\"collective\": \"alltoallw\""),
        ("s,r,0,4,1,L,allgather,ring_ompi,64,int32,1,1,1,inf", 48, "\"p90\": \"inf\" is not"),
        ("s,r,0,4,1", 10, "\"library\" is missing from this row"),
    ] {
        let error = import(&format!("{HEADER}{ROW}{row}\n"), selection(4)).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(&format!(":3:{column}: column {words}")), "{row}: {error}");
    }
    let error = import("collective,algorithm,median\n", selection(4)).unwrap_err().to_string();
    assert!(error.contains("no column \"system\""), "{error}");
    assert!(
        import("size,seconds\n", selection(4))
            .unwrap_err()
            .to_string()
            .contains("no result of PICO")
    );
    let torn = import(&format!("{HEADER}{ROW}s,r,0"), selection(4)).unwrap();
    assert_eq!((torn.samples.count(), torn.warnings.len()), (3, 1));
}

proptest! {
    #[test]
    fn any_text_is_imported_or_refused(rows in prop::collection::vec("[a-z0-9_,.e-]{0,80}", 0..6)) {
        let _ = import(&format!("{HEADER}{ROW}{}\n", rows.join("\n")), selection(4));
        let _ = import(&format!("highest\n{}\n", rows.join("\n")), selection(4));
    }
}
