//! Public data in the folder that `ORRERY_DATA` names.

use orrery::run::import::{ImportOptions, Importer};
use orrery::run::{Filter, Run};

use crate::public_data::public_data;

fn table(name: &str, map: &str) -> Option<Vec<Run>> {
    let path = public_data()?.join("hpl").join(name);
    let mut importer =
        Importer::new(ImportOptions { map: map.parse().unwrap(), ..ImportOptions::default() });
    importer.add(std::fs::read(&path).unwrap(), &path).unwrap();
    Some(importer.finish().unwrap().runs.runs)
}

#[test]
fn public_problem_sizes_of_hpl() {
    let Some(runs) = table("matrix_size.csv", "n=matrix_size,seconds=time") else { return };
    assert_eq!(runs.len(), 468);
    for (cooling, count) in [("good", 299), ("bad", 143)] {
        let filter: Filter = format!("mode=Reality,cooling={cooling}").parse().unwrap();
        let left = filter.apply(runs.clone()).unwrap();
        let mut sizes: Vec<f64> = left.iter().map(|run| run.variables["n"]).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        assert_eq!((left.len(), sizes.len()), (count, 13), "{cooling}");
    }
}

#[test]
fn public_grids_of_hpl() {
    let Some(runs) = table("geometry.csv", "n=matrix_size,seconds=time,p=proc_p,q=proc_q") else {
        return;
    };
    let left = "mode=reality".parse::<Filter>().unwrap().apply(runs).unwrap();
    assert_eq!(left.len(), 196);
    assert!(left.iter().all(|run| run.processes() == Some(960.0)));
}
