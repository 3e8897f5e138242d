//! Files whose last line has no line break: a number in it may be cut.

use crate::common::{Folder, Outcome};
use crate::refused::{FAILED, refused};

const CLUSTER: &str = include_str!("../../../../examples/crossbar.xml");

/// A trace that was cut within a number is refused, whatever file of it was cut.
#[test]
fn traces_are_refused() -> Outcome {
    let folder = Folder::new()?;
    folder.write("c.xml", CLUSTER)?;
    folder.write("whole.tit", "0 compute 1\n1 compute 1000000\n")?;
    folder.write("cut.tit", "0 compute 1\n1 compute 1")?;
    folder.write("r0", "0 compute 1\n")?;
    folder.write("r1", "1 compute 1000")?;
    folder.write("index", "r0\nr1\n")?;
    folder.write("w1", "1 compute 1\n")?;
    folder.write("cut-index", "r0\nw1")?;
    folder.done("simulate whole.tit --cluster c.xml --network maxmin")?;
    for (trace, place) in
        [("cut.tit", "cut.tit:2:1: "), ("index", "r1:1:1: "), ("cut-index", "cut-index:2:1: ")]
    {
        let part = format!("{place}the last line has no line break");
        for words in [
            "simulate IN --cluster c.xml --network maxmin",
            "trace profile IN",
            "trace convert IN out.orrt",
        ] {
            refused(&folder, &words.replace("IN", trace), FAILED, &[&part, "add the line break"])?;
        }
        assert!(!folder.path("out.orrt").exists());
    }
    Ok(())
}

/// Files that are often written by hand are used, with a warning that names the line.
#[test]
fn hand_written_files_are_used_with_a_warning() -> Outcome {
    let folder = Folder::new()?;
    let cluster = include_str!("../../../../examples/two-kinds.toml");
    let times = "n,seconds\n100,1\n200,8\n";
    folder.write("c.xml", CLUSTER)?;
    folder.write("two-kinds.toml", cluster)?;
    folder.write("times.csv", times)?;
    folder.write("gather.tit", include_str!("../../../../examples/gather.tit"))?;
    let series: Vec<String> =
        (0..40).map(|x| format!("{x},{}\n", if x < 20 { x } else { 2 * x })).collect();
    let simulate = "simulate gather.tit --cluster c.xml --network maxmin";
    for (name, text, words) in [
        ("f.scheme", "a: 0 -> 1 1M\nb: 0 -> 2 1M\n", "share f.scheme --sharing maxmin"),
        (
            "f.scheme",
            "a: 0 -> 1 1M\nb: 0 -> 2 1M\n",
            "measure scheme f.scheme --machine sim:truth.json -o t.csv --force",
        ),
        ("f.csv", &*format!("x,y\n{}", series.concat()), "breakpoints f.csv --y y"),
        ("f.csv", times, "scaling import f.csv"),
        ("f.txt", "PARAMETER p\nPOINTS 4 8\nREGION main\nDATA 1\nDATA 2\n", "scaling import f.txt"),
        (
            "f.csv",
            "file,configuration\ntimes.csv,athlon=1x1\n",
            "scaling import times.csv --configuration-from f.csv",
        ),
        ("f.csv", "task,seconds\n0,1\n1,1\n2,1\n3,1\n", &*format!("{simulate} --compare f.csv")),
        (
            "f.hosts",
            "node-2 slots=2\nnode-0\nnode-3\n",
            &*format!("{simulate} --placement f.hosts"),
        ),
        ("f.toml", cluster, "scaling advise --plan ns --cluster f.toml"),
    ] {
        for (text, is_torn) in [(text, false), (text.trim_end(), true)] {
            folder.write(name, text)?;
            let output = folder.run(words)?;
            let stderr = String::from_utf8(output.stderr)?;
            assert!(output.status.success(), "{words}: {stderr}");
            let place = format!("{name}:{}: the last line has no line break", text.lines().count());
            assert_eq!(
                stderr.contains("orrery: warning: ") && stderr.contains(&place),
                is_torn,
                "{words}: {stderr}"
            );
        }
    }
    Ok(())
}

/// Also stdin may end too early.
#[test]
fn a_torn_table_in_a_pipe() -> Outcome {
    let folder = Folder::new()?;
    folder.write("times.csv", "n,seconds\n100,1\n200,8")?;
    let mut command = folder.command("scaling import -");
    let output = command.stdin(std::fs::File::open(folder.path("times.csv"))?).output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(
        output.status.success() && stderr.contains("orrery: warning: stdin:3: the last line"),
        "{stderr}"
    );
    Ok(())
}

/// What a benchmark printed last is dropped, and this is said also with `--quiet`.
#[test]
fn a_torn_row_of_a_benchmark_is_dropped() -> Outcome {
    let folder = Folder::new()?;
    folder.write(
        "osu.txt",
        "# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n1 1.5\n2 15",
    )?;
    let output = folder.run("samples import osu.txt -o osu.csv --quiet")?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(
        output.status.success() && stderr.starts_with("orrery: warning: osu.txt:4: the last line"),
        "{stderr}"
    );
    assert_eq!(folder.read("osu.csv")?.matches("\nroundtrip").count(), 1);
    Ok(())
}
