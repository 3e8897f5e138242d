use orrery::run::import::ImportOptions;

use super::{import, numbers, options, refused, remarks, text};

#[test]
fn columns_have_their_mapped_meaning() {
    let imported = import(
        "size,p,q,t,mode\n1000,2,4,129700,\"real, cold\"\n\n# remark\n2e3,2,4,5e3,\n",
        options("n=size,milliseconds=t"),
    );
    let [first, second] = &imported.runs.runs[..] else { panic!("two runs") };
    assert_eq!(numbers(first, &["n", "p", "q"]), [1000.0, 2.0, 4.0]);
    assert_eq!(
        (first.seconds.get().to_string(), first.labels["mode"].as_str()),
        ("129.7".into(), "real, cold")
    );
    assert_eq!(
        (second.variables["n"].to_string(), second.labels.len(), second.origin.as_str()),
        ("2000".into(), 0, "f:5")
    );
    assert_eq!(imported.runs.provenance.get("imported"), Some("csv from f"));
}

#[test]
fn known_names_need_no_mapping() {
    let imported = import(
        "n,processes,seconds,region,date\n10,4,1.5,main,2020-09-07\n",
        ImportOptions::default(),
    );
    let run = &imported.runs.runs[0];
    assert_eq!((run.variables.len(), run.processes(), run.region.as_str()), (2, Some(4.0), "main"));
    assert_eq!(run.labels["date"], "2020-09-07");
}

/// The time of a failed run costs its row, not the file.
#[test]
fn rows_with_times_of_zero_or_less_are_left_out() {
    let imported = import("n,seconds\n1000,0\n2000,2\n3000,-1\n", ImportOptions::default());
    assert_eq!(imported.runs.runs.len(), 1);
    assert_eq!(
        remarks(&imported),
        ["f:2: 2 times of 0 s or less of rows are left out; a time is above 0"]
    );
}

#[test]
fn kinds_have_elements_and_times() {
    let map = "n=size,elements:athlon=P1,processes:athlon=M1,computation:athlon=ta1,communication:athlon=tc1,\
               elements:pentium=P2,processes:pentium=M2,computation:pentium=ta2,communication:pentium=tc2";
    let imported = import(&text("kinds.csv"), options(map));
    let [alone, all] = &imported.runs.runs[..] else { panic!("two runs") };
    assert_eq!((alone.configuration.to_string(), alone.parts.len()), ("athlon=1x2".into(), 1));
    assert_eq!(all.configuration.to_string(), "athlon=1x2,pentium=8x1");
    let parts: Vec<_> = all
        .parts
        .iter()
        .map(|part| (&part.kind[..], part.computation.get(), part.communication.get()))
        .collect();
    assert_eq!(parts, [("athlon", 0.75, 0.25), ("pentium", 0.5, 0.5)]);
    // Without a column of the time it is that of the slowest kind.
    let slowest = import(
        "elements:a,computation:a,communication:a,elements:b,computation:b,communication:b\n1,2,3,2,1,0.5\n",
        ImportOptions::default(),
    );
    assert_eq!(slowest.runs.runs[0].seconds.get().to_string(), "5");
    assert_eq!(slowest.runs.runs[0].configuration.to_string(), "a=1x1,b=2x1");
}

#[test]
fn ranks_of_a_run_are_joined() {
    let imported = import(
        &text("ranks.csv"),
        options("run=job,computation=ta,communication=tc,kind=host,n=size"),
    );
    let [a, b] = &imported.runs.runs[..] else { panic!("two runs") };
    assert_eq!((a.seconds.get(), numbers(a, &["n", "processes"])), (5.5, vec![1600.0, 3.0]));
    let parts: Vec<_> = a
        .parts
        .iter()
        .map(|part| (&part.kind[..], part.computation.get(), part.communication.get()))
        .collect();
    assert_eq!(parts, [("athlon", 4.0, 1.0), ("pentium", 3.0, 2.5)]);
    assert_eq!((a.labels["run"].as_str(), a.labels["cooling"].as_str()), ("a", "good"));
    assert_eq!((b.seconds.get(), b.labels.get("cooling")), (10.5, None), "its ranks do not agree");
    let error =
        refused("run,rank,n,computation,communication\na,0,5,1,1\na,1,6,1,1\n", options("run=run"));
    assert_eq!(
        error,
        "f:3:1: run a: n is 6 for this rank, but 5 for another; give all ranks of a run the same \
            value"
    );
    let error =
        refused("run,p,q,computation,communication\na,2,2,1,1\na,2,2,1,1\n", options("run=run"));
    assert!(error.contains("processes has 2 processes, but the grid p×q = 2×2 has 4"), "{error}");
}

#[test]
fn counts_of_a_profile_are_no_variables() {
    // As trace profile writes them: the counts are equal at all ranks.
    let profile = "run,rank,host,computation,communication,seconds,calls,sent_bytes,end\n\
        a,0,vm,2,1,3,121,640,finalize\na,1,vm,1.5,2,3.5,121,640,finalize\nb,0,vm,5,1,6,40,8,finalize\n";
    let map = "run=run,kind=host,computation=computation,communication=communication";
    let runs = import(profile, options(map)).runs.runs;
    let variables: Vec<Vec<_>> =
        runs.iter().map(|run| run.variables.clone().into_iter().collect()).collect();
    assert_eq!(variables, [2.0, 1.0].map(|ranks| vec![("processes".to_owned(), ranks)]));
    assert_eq!((runs[0].seconds.get(), runs[0].labels["calls"].as_str()), (3.5, "121"));
}

#[test]
fn faults_are_rejected_with_their_position() {
    for (text, map, parts) in [
        ("n,t\n1,2\n", "n=n", ["f:1:1: no column is the time", "map one as seconds=COLUMN"]),
        (
            "n,t\n1,2\n",
            "seconds=time",
            ["f:1:1: the column \"time\" is missing", "columns are n, t"],
        ),
        ("n,n\n1,2\n", "seconds=n", ["f:1:1: ", "the column \"n\" occurs twice"]),
        ("n,seconds\n1000,NaN\n", "n=n", ["f:2:6: run of n = 1000", "\"NaN\""]),
        ("n,seconds\nmany,1\n", "n=n", ["f:2:1: run of this row", "\"many\", not a finite number"]),
        ("n,seconds\n1000\n", "n=n", ["f:2:1: ", "1 fields for 2 columns"]),
        ("n,seconds\n\"1000,1\n", "n=n", ["f:2:1: ", "not closed"]),
        (
            "p,q,processes,seconds\n2,4,9,1\n",
            "p=p",
            ["f:2:1: run of p = 2, processes = 9, q = 4", "p×q = 2×4 has 8"],
        ),
        ("p,q,seconds\n2,4.5,1\n", "p=p", ["f:2:1: run of p = 2, q = 4.5", "whole number above 0"]),
        (
            "ta,seconds\n2,1\n",
            "computation:a=ta",
            ["f:1:1: ", "a column for computation:a, but none for communication:a"],
        ),
        (
            "m,seconds\n2,1\n",
            "processes:a=m",
            ["f:1:1: ", "a column for processes:a, but none for elements:a"],
        ),
        (
            "m,a,b,seconds\n2,1,1,1\n",
            "elements:x=m,computation:y=a,communication:y=b",
            ["f:2:1: ", "kind \"y\", which is not in"],
        ),
        ("n,seconds\n", "n=n", ["f: no run is found", "below the column names"]),
        ("n,seconds\n1,\u{0}\n", "n=n", ["f:2:3: ", "not text"]),
    ] {
        let error = refused(text, options(map));
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
    }
}
