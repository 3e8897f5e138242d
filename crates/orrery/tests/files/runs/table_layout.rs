//! Tables as people have them: any separator, ordinary names of columns, no mapping.

use orrery::run::import::{ColumnMapping, ImportFormat, ImportOptions, Imported};

use super::{assert_near, import, refused, remarks};

fn plain(text: &str) -> Imported {
    assert_eq!(ImportFormat::detect(text), Some(ImportFormat::Csv), "{text:?}");
    import(text, ImportOptions::default())
}

/// The variables and the time of each run.
fn points(imported: &Imported) -> Vec<(Vec<(&str, f64)>, f64)> {
    let runs = imported.runs.runs.iter();
    runs.map(|run| {
        (run.variables.iter().map(|(name, value)| (&name[..], *value)).collect(), run.seconds.get())
    })
    .collect()
}

#[test]
fn every_separator_gives_the_same_runs() {
    let expected = points(&plain("n,threads,time\n100,2,1.5\n200,4,2.5\n"))
        .iter()
        .map(|(v, s)| (v.len(), *s))
        .collect::<Vec<_>>();
    assert_eq!(expected, [(2, 1.5), (2, 2.5)]);
    let first = plain("n,threads,time\n100,2,1.5\n200,4,2.5\n");
    for text in [
        "n\tthreads\ttime\n100\t2\t1.5\n200\t4\t2.5\n",
        "n;threads;time\n100;2;1.5\n200;4;2.5\n",
        "n;threads;time\n100;2;1,5\n200;4;2,5\n",
        "n\tthreads\ttime\n100\t2\t1,5\n200\t4\t2,5\n",
        "n  threads   time\n100 2  1.5\n200 4  2.5\n",
        "# n threads time\n100 2 1.5\n200 4 2.5\n",
        "#n,threads,time\n100,2,1.5\n200,4,2.5\n",
        "# made on a Tuesday\n#\n# n;threads;time\n100;2;1.5\n# a remark\n200;4;2.5\n",
        "\u{feff}n;\"threads\";time\r\n100;2;\"1,5\"\r\n200;4;2,5\r\n",
    ] {
        assert_eq!(points(&plain(text)), points(&first), "{text:?}");
    }
    // Empty fields of a tab-separated table are fields.
    let imported = plain("n\tnote\ttime\n100\t\t1.5\n200\tx\t2.5\n");
    assert_eq!((imported.runs.runs.len(), imported.runs.runs[1].labels["note"].as_str()), (2, "x"));
    // A comment above a table with names of its own remains a comment.
    assert_eq!(
        points(&plain("# n, threads, time\nm,k,time\n1,2,3\n"))[0].0,
        [("k", 2.0), ("m", 1.0)]
    );
}

#[test]
fn a_decimal_comma_needs_the_whole_table() {
    let error = refused("n;threads;seconds\n100;2;1,5\n200;4;2.5\n", ImportOptions::default());
    assert!(
        error.starts_with("f:2:7: ") && error.contains("\"1,5\", not a finite time"),
        "{error}"
    );
}

#[test]
fn the_time_is_found_by_its_name() {
    for (column, seconds) in [
        ("time", 3.0),
        ("Time [s]", 3.0),
        ("elapsed_ms", 0.003),
        ("WallTime", 3.0),
        ("duration (ns)", 3e-9),
        ("hours", 10800.0),
    ] {
        let imported = plain(&format!("n,{column}\n100,3\n200,3\n"));
        assert_near(imported.runs.runs[0].seconds.get(), seconds);
    }
    assert_eq!(
        remarks(&plain("n,elapsed_ms\n100,3\n")),
        ["f:1: the column \"elapsed_ms\" is the time in milliseconds"]
    );
    assert!(plain("n,seconds\n100,3\n").remarks.is_empty(), "nothing is assumed");
    let error = refused("n,t\n1,2\n", ImportOptions::default());
    assert_eq!(
        error,
        "f:1:1: no column is the time, by its name or by a mapping; map one as seconds=COLUMN (or \
         milliseconds=COLUMN), or a rate with its work as rate:2*n^3=COLUMN; columns are n, t"
    );
    let error = refused("n,time,walltime\n1,2,3\n", ImportOptions::default());
    assert!(
        error.starts_with("f:1:1: several columns may be the time: time, walltime; map one"),
        "{error}"
    );
    let mapped =
        ImportOptions { map: "seconds=walltime".parse().unwrap(), ..ImportOptions::default() };
    let imported = import("n,time,walltime\n1,2,3\n", mapped);
    assert_eq!(
        (imported.runs.runs[0].seconds.get(), imported.runs.runs[0].variables.len()),
        (3.0, 1)
    );
    let error = refused("100,1.5\n200,2.5\n", ImportOptions::default());
    assert!(
        error.starts_with("f:1:1: \"100,1.5\" has numbers in place of column names"),
        "{error}"
    );
}

#[test]
fn columns_of_numbers_are_variables() {
    let text = "threads,gflops,jobid,cooling,width,time,empty\n1,2.5,77,good,4,9.5,\n2,4.5,78,,wide,5.5,\n";
    let imported = plain(text);
    let run = &imported.runs.runs[0];
    assert_eq!(run.variables.iter().collect::<Vec<_>>(), [(&"threads".to_owned(), &1.0)]);
    assert_eq!(run.labels.keys().collect::<Vec<_>>(), ["cooling", "gflops", "jobid", "width"]);
    assert_eq!(
        remarks(&imported)[1..],
        [
            "f:1: columns of numbers become variables: threads",
            "f:1: columns kept as labels, which models use only as categories: gflops (a result), \
                jobid (an identifier), cooling (text), width (no number in line 3)"
        ]
    );
    // A mapping says otherwise.
    let map = "label:threads=threads,rate=gflops,seconds=time".parse().unwrap();
    let imported = import(text, ImportOptions { map, ..ImportOptions::default() });
    let run = &imported.runs.runs[0];
    assert_eq!(
        (run.variables["rate"], run.variables.len(), run.labels["threads"].as_str()),
        (2.5, 1, "1")
    );
}

#[test]
fn a_number_that_differs_between_ranks_is_a_label() {
    let map = "run=run,computation=ta,communication=tc".parse().unwrap();
    let text = "run,rank,ta,tc,n,bytes\na,0,1,1,100,5\na,1,1,2,100,6\nb,0,1,1,200,5\n";
    let imported = import(text, ImportOptions { map, ..ImportOptions::default() });
    assert_eq!(imported.runs.runs[0].variables.keys().collect::<Vec<_>>(), ["n", "processes"]);
    assert_eq!(
        remarks(&imported),
        ["f:1: columns kept as labels, which models use only as categories: bytes (differs \
                between ranks)"]
    );
}

#[test]
fn other_texts_are_no_tables() {
    for text in [
        "words alone\n",
        "0 init\n0 send 1 0 8\n",
        "num_ranks 2\nrank 0 {\n}\n",
        "# format: orrery-samples 1\nexperiment,i,j,seconds\nroundtrip,0,1,2.5\n",
        "step 1 of 2\nstep 2 of 2\n",
        "",
        "# n time\n",
    ] {
        assert_eq!(ImportFormat::detect(text), None, "{text:?}");
    }
}

#[test]
fn rates_become_times_by_their_work() {
    let options =
        |map: &str| ImportOptions { map: map.parse().unwrap(), ..ImportOptions::default() };
    let text = "size,GFLOP/s,time\n1000,20,7\n2000,32,7\n";
    let imported = import(text, options("n=size,rate:2e-9*n^3=GFLOP/s"));
    let found: Vec<_> = imported.runs.runs.iter().map(|run| run.seconds.get()).collect();
    found.iter().zip([0.1, 0.5]).for_each(|(found, expected)| assert_near(*found, expected));
    assert_eq!(
        remarks(&imported),
        ["f:1: columns kept as labels, which models use only as categories: time (a result)"],
        "a mapped rate has priority"
    );
    let transform =
        import("length,GFLOP/s\n1024,0.5\n", options("rate:5e-9*length*log2(length)=GFLOP/s"));
    assert_near(transform.runs.runs[0].seconds.get(), 5e-9 * 10240.0 / 0.5);
    let by_rank = import(
        "job,n,rate,c,m\na,6,2,0,0\na,6,3,0,0\n",
        options("run=job,rate:n=rate,computation=c,communication=m"),
    );
    assert_near(by_rank.runs.runs[0].seconds.get(), 3.0);
    let error = refused(text, options("rate:2e-9*n^3=GFLOP/s"));
    assert_eq!(
        error,
        "f:2:6: run of size = 1000: the work \"2e-9*n^3\" of its rate: the run has no variable n; \
            map a column to it"
    );
    for (value, rate, work) in
        [("0", "5", "n"), ("0", "5", "1/n"), ("-1", "5", "n"), ("1e200", "1e-200", "n")]
    {
        let error =
            refused(&format!("n,rate\n{value},{rate}\n"), options(&format!("rate:{work}=rate")));
        assert!(
            error.starts_with("f:2:") && error.contains("both must be finite and above 0"),
            "{value} {error}"
        );
    }
    let error = refused("n,rate\n5,0\n", options("rate:n=rate"));
    assert!(error.contains("\"rate\" is \"0\", not a finite rate above 0"), "{error}");
    for (wrong, reason) in [
        ("rate:=g", "a name is missing"),
        ("rate:2*=g", "a number or a variable of its work is expected at the end"),
        ("seconds=t,rate:n=g", "this meaning is mapped twice"),
        ("rate:n=g,rate:2*n=h", "this meaning is mapped twice"),
    ] {
        let error = wrong.parse::<ColumnMapping>().unwrap_err().to_string();
        assert!(error.contains(reason), "{wrong}: {error}");
    }
    // A column with the text of a mapping as its name.
    let imported = import("rate:2*n,n\n4,2\n", ImportOptions::default());
    assert_near(imported.runs.runs[0].seconds.get(), 1.0);
    assert!(
        refused("rate:2*,n\n4,2\n", ImportOptions::default()).contains("no column is the time")
    );
}
