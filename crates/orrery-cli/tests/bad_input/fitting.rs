use std::error::Error;
use std::fmt::Write as _;

use crate::common::{Folder, Outcome};
use crate::refused::{FAILED, USAGE, refused};

#[test]
fn lmo_needs_three_processors() -> Outcome {
    let folder = Folder::new()?;
    let two = "experiment,i,j,size,seconds\nroundtrip,0,1,0,0.0001\nroundtrip,0,1,1024,0.0002\n";
    folder.write("s.csv", two)?;
    let parts = ["lmo needs at least 3 processors", "the samples have 2", "one-to-two"];
    refused(&folder, "fit s.csv -o m.json --models lmo", FAILED, &parts)?;
    assert!(!folder.path("m.json").exists());
    folder.done("fit s.csv -o m.json")?;
    Ok(())
}

#[test]
fn missing_experiments_are_named() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json -o all.csv")?;
    let all = folder.read("all.csv")?;
    let without = |begin: &str| {
        all.lines().filter(|line| !line.starts_with(begin)).fold(String::new(), |a, b| a + b + "\n")
    };
    folder.write("s.csv", without("one-to-two,1,"))?;
    let parts = ["s.csv", "one-to-two 1→", "measure with `orrery measure comm --resume`"];
    refused(&folder, "fit s.csv -o m.json --models lmo --estimator triplets", FAILED, &parts)?;
    folder.write("s.csv", without("roundtrip,1,2,"))?;
    refused(
        &folder,
        "fit s.csv -o m.json --models hockney",
        FAILED,
        &["s.csv: ", "lacks 1 experiment: ", "1-2"],
    )
}

#[test]
fn nothing_to_fit() -> Outcome {
    let folder = Folder::new()?;
    folder.write("s.csv", "experiment,i,j,size,seconds\n")?;
    refused(&folder, "fit s.csv -o m.json", FAILED, &["s.csv"])
}

/// Latencies of the OSU benchmarks whose messages beyond 8 KiB use another protocol.
const OSU: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0 1.50\n1 1.52\n8 \
    1.53\n64 1.61\n256 1.80\n\
    1024 2.34\n2048 2.90\n4096 3.70\n8192 5.21\n16384 12.90\n32768 17.10\n65536 26.80\n131072 \
    44.00\n262144 79.00\n";

#[test]
fn a_bad_fit_names_its_cause() -> Outcome {
    let folder = Folder::new()?;
    folder.write("osu.txt", OSU)?;
    folder.done("samples import osu.txt -o s.csv")?;
    let run = folder.run("fit s.csv -o m.json")?;
    assert!(run.status.success());
    let (shown, said) = (String::from_utf8(run.stdout)?, String::from_utf8(run.stderr)?);
    assert!(shown.contains("Residuals of the fit") && shown.contains("hockney"), "{shown}");
    assert!(
        said.contains("warning: hockney: times between 8K and 16K") && said.contains("--sizes"),
        "{said}"
    );
    let run = folder.run("fit s.csv -o n.json --sizes 16K..256K --format csv")?;
    let (shown, said) = (String::from_utf8(run.stdout)?, String::from_utf8(run.stderr)?);
    assert!(
        shown.starts_with("model,operation,experiments,mean_error,max_error,size,experiment\n"),
        "{shown}"
    );
    assert!(!said.contains("warning"), "{said}");
    refused(&folder, "fit s.csv -o n.json --sizes 64K..1K", USAGE, &["ends at 1K", "begins at 64K"])
}

/// The warnings of a fit of Hockney's model to round trips of two processors with these times.
fn warnings(
    sizes: impl IntoIterator<Item = u32>,
    seconds: impl Fn(f64) -> f64,
) -> Result<Vec<String>, Box<dyn Error>> {
    let folder = Folder::new()?;
    let mut samples =
        "# format: orrery-samples 1\nexperiment,i,j,size,reply,rep,seconds\n".to_owned();
    for size in sizes {
        for rep in 0..3 {
            let seconds = seconds(f64::from(size)) * (1.0 + 0.002 * f64::from(rep));
            writeln!(samples, "roundtrip,0,1,{size},{size},{rep},{seconds:e}")?;
        }
    }
    folder.write("s.csv", samples)?;
    let run = folder.run("fit s.csv -o m.json --models hockney")?;
    assert!(run.status.success());
    let stderr = String::from_utf8(run.stderr)?;
    Ok(stderr
        .lines()
        .filter_map(|line| line.strip_prefix("orrery: warning: "))
        .map(str::to_owned)
        .collect())
}

#[test]
fn parameters_at_their_bounds_are_reported() -> Outcome {
    let sizes = (0..8).map(|k| 1024 * k);
    assert_eq!(warnings(sizes.clone(), |size| 60e-6 + 2e-9 * size)?, [""; 0]);
    // Larger messages take less time: the delay per byte cannot be below 0.
    let byte_delay = "hockney: byte_delay is 0, the lowest possible value: the samples attribute \
        its share of the time to other parameters";
    assert_eq!(warnings(sizes.clone(), |size| 60e-6 - 1e-10 * size)?, [byte_delay]);
    // The line through these times is below 0 at 0.
    let found = warnings(sizes.skip(1), |size| 2e-9 * size - 0.2e-6)?;
    assert_eq!(found, [byte_delay.replace("byte_delay", "latency")]);
    Ok(())
}

/// No model falls with the size: the line of such times is flat.
#[test]
fn times_that_fall_with_the_size_are_reported() -> Outcome {
    let sizes = (0..8).map(|k| 1024 * k);
    let found = warnings(sizes, |size| 60e-6 - 5e-9 * size)?;
    let fall = "hockney: times of round trips fall from 60.1 µs at 0 to 24.2 µs at 7K: models never \
        fall with the size, so their lines are flat there; measure again, or fit each range of \
        sizes by itself: --sizes FROM..TO";
    assert!(found.iter().any(|one| one == fall), "{found:?}");
    assert!(
        found
            .iter()
            .any(|one| one.starts_with("hockney: byte_delay is 0, the lowest possible value")),
        "{found:?}"
    );
    Ok(())
}

/// Times grow by the power 0.7 of the size: no parameter of Hockney's model expresses that, and no
/// known cause does.
#[test]
fn misfit_without_a_known_cause_is_reported() -> Outcome {
    let sizes = (0..22).map(|k| (1000.0 * 1.4_f64.powi(k)) as u32);
    let found = warnings(sizes, |size| 1e-7 * size.powf(0.7))?;
    let expected = "hockney: no known pattern; compare the residuals by size, and fit a range of \
        sizes or another model";
    assert_eq!(found, [expected]);
    Ok(())
}

/// Options and experiments that changed nothing are named.
#[test]
fn inputs_without_effect_are_named() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json,noise=0.02 -o comm.csv")?;
    folder
        .done("measure overheads --machine sim:truth.json,model=lmo --sizes 0,4K -o trains.csv")?;
    let of = |command: &str| crate::refused::warnings(&folder, command);
    assert_eq!(of("fit comm.csv -o 1.json --models lmo -q")?, [""; 0]);
    let found = of("fit comm.csv -o 2.json --models lmo --with-collectives --pair 0-1 -q")?;
    assert!(found[0].starts_with("--with-collectives changed nothing: "), "{found:?}");
    assert!(found[1].starts_with("--pair changed nothing: "), "{found:?}");
    let found = of("fit comm.csv trains.csv -o 3.json --models lmo -q")?;
    assert_eq!(
        found[0],
        "gap: these experiments changed nothing, because no fitted model uses them; see --models"
    );
    let found = of("fit comm.csv trains.csv -o 4.json --pair 0-1 -q")?;
    assert!(found.iter().all(|words| !words.contains("changed nothing")), "{found:?}");
    Ok(())
}
