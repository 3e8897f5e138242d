//! Model files on disk.

use std::fs;

use orrery::model::Model;
use orrery::model::file::{check, parse, read, write};
use orrery::units::Bytes;

use super::GOOD;

#[test]
fn model_file_is_replaced_atomically() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let model = parse(GOOD, "m").unwrap().model;
    write(&path, &Model::default()).unwrap();
    write(&path, &model).unwrap();
    assert_eq!(read(&path).unwrap().model, model);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
    let mut bad = model.clone();
    bad.measured = Some((Bytes::new(2), Bytes::new(1)));
    write(&path, &bad).unwrap_err();
    assert_eq!(read(&path).unwrap().model, model);

    let summary = check(&path).unwrap();
    assert_eq!((summary.processors, summary.parameters, summary.with_interval), (3, 20, 2));
    assert_eq!((summary.kinds, summary.warnings), (model.kinds(), vec![]));

    let error = write(folder.path().join("no/model.json"), &model).unwrap_err().to_string();
    assert!(error.contains("no/model.json: cannot write the model file: "), "{error}");
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_devices_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    write(&target, &Model::default()).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write(&link, &Model::default()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&target).unwrap().model, Model::default());
    write("/dev/null", &Model::default()).unwrap();
    #[cfg(target_os = "linux")]
    write("/dev/full", &Model::default()).unwrap_err();
}
