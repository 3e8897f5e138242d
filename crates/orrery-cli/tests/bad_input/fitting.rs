use crate::common::{Folder, Outcome};
use crate::refused::{FAILED, refused};

#[test]
fn lmo_needs_three_processors() -> Outcome {
    let folder = Folder::new()?;
    let two = "experiment,i,j,size,seconds\nroundtrip,0,1,0,0.0001\nroundtrip,0,1,1024,0.0002\n";
    folder.write("s.csv", two)?;
    let parts = ["lmo needs at least 3 processors", "of 2", "one-to-two"];
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
    let without =
        |begin: &str| all.lines().filter(|line| !line.starts_with(begin)).fold(String::new(), |a, b| a + b + "\n");
    folder.write("s.csv", without("one-to-two,1,"))?;
    let parts = ["s.csv", "one-to-two 1→", "measure with `orrery measure comm --resume`"];
    refused(&folder, "fit s.csv -o m.json --models lmo --estimator triplets", FAILED, &parts)?;
    folder.write("s.csv", without("roundtrip,1,2,"))?;
    refused(&folder, "fit s.csv -o m.json --models hockney", FAILED, &["s.csv: ", "lacks 1 experiment: ", "1-2"])
}

#[test]
fn nothing_to_fit() -> Outcome {
    let folder = Folder::new()?;
    folder.write("s.csv", "experiment,i,j,size,seconds\n")?;
    refused(&folder, "fit s.csv -o m.json", FAILED, &["s.csv"])
}
