//! Profiles of Score-P; `testdata/runs/profiles.py` made them and checked them with another reader.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use orrery::run::import::{FileConfigurations, ImportFormat, ImportOptions, Imported, Importer};

use super::{assert_near, changed, numbers, remarks};

fn path(n: u32) -> PathBuf {
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs/profiles");
    profiles.join(format!("solver.n{n}.r1/profile.cubex"))
}

fn content(n: u32) -> Vec<u8> {
    std::fs::read(path(n)).unwrap()
}

fn import(content: &[u8], options: ImportOptions) -> Result<Imported, String> {
    let mut importer = Importer::new(options);
    importer
        .add(content, "p.cubex")
        .and_then(|()| importer.finish())
        .map_err(|error| error.to_string())
}

fn plain(content: &[u8]) -> Result<Imported, String> {
    import(content, ImportOptions::default())
}

/// An archive of one member.
fn archive(name: &str, member: &[u8]) -> Vec<u8> {
    let mut content = vec![0; 512];
    content[..name.len()].copy_from_slice(name.as_bytes());
    content[124..135].copy_from_slice(format!("{:011o}", member.len()).as_bytes());
    content.extend_from_slice(member);
    content.resize(content.len().next_multiple_of(512), 0);
    content
}

#[test]
fn call_paths_have_inclusive_times_of_the_slowest_location() {
    let by_file =
        Some(FileConfigurations::Pattern("solver.n{n}.r*/profile.cubex".parse().unwrap()));
    let mut importer = Importer::new(ImportOptions { by_file, ..ImportOptions::default() });
    for n in [100, 400] {
        importer.add(content(n), path(n)).unwrap();
    }
    let imported = importer.finish().unwrap();
    let runs = &imported.runs.runs;
    // What the script prints: compressed inclusive values, and plain exclusive values in the other
    // byte order.
    let expected = [
        ("main", 1.115, 3.035),
        ("main->setup", 0.225, 0.525),
        ("main->setup->read", 0.125, 0.125),
        ("main->solve", 0.14, 1.76),
        ("main->solve->exchange", 0.04, 0.16),
        ("main->solve->exchange->MPI_Waitall", 0.03, 0.12),
        ("main->finish", 0.5, 0.5),
    ];
    assert_eq!(runs.len(), 14);
    for (place, (region, small, large)) in expected.into_iter().enumerate() {
        for (run, n, seconds) in [(&runs[place], 100.0, small), (&runs[place + 7], 400.0, large)] {
            assert_eq!(
                (run.region.as_str(), numbers(run, &["n"]), run.variables.len()),
                (region, vec![n], 1)
            );
            assert_near(run.seconds.get(), seconds);
        }
    }
    assert_eq!(runs[0].origin, path(100).display().to_string());
    assert!(remarks(&imported)[0].ends_with(
        "profile.cubex: 1 time of 0 s or less of call paths is left out; a time is above 0"
    ));
}

#[test]
fn parameters_are_in_names_of_folders() {
    let mut importer = Importer::new(ImportOptions::default());
    for n in [100, 400] {
        importer.add(content(n), path(n)).unwrap();
    }
    let imported = importer.finish().unwrap();
    let runs = &imported.runs.runs;
    let sizes = [0, 7].map(|place| (numbers(&runs[place], &["n"]), runs[place].variables.len()));
    assert_eq!(sizes, [(vec![100.0], 1), (vec![400.0], 1)]);
    let expected = "profile.cubex: variables in the name of the profile: n";
    assert!(remarks(&imported)[1].ends_with(expected), "{:?}", remarks(&imported));
}

#[test]
fn without_other_variables_processes_are_counted() {
    let imported = plain(&content(200)).unwrap();
    assert_eq!(imported.runs.runs[0].processes(), Some(2.0));
    assert!(
        remarks(&imported)[1]
            .starts_with("p.cubex: a profile does not contain the parameters of its run")
    );
    let configuration = "xeon=4".parse().unwrap();
    let error = import(&content(200), ImportOptions { configuration, ..ImportOptions::default() })
        .unwrap_err();
    assert!(
        error.starts_with("p.cubex: run main of processes = 2: ") && error.contains("4 processes"),
        "{error}"
    );
}

/// An archive whose metric has these rows: numbers of call paths and values of two locations.
fn profile_with(kind: &str, cnodes: &str, rows: &[(i32, [f64; 2])]) -> Vec<u8> {
    let anchor = format!(
        "<cube><metric id='1' \
            type='{kind}'><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>\
         <region id='0'><name>main</name></region><region \
         id='1'><name>solve</name></region>{cnodes}\
         <location/><location/></cube>"
    );
    let mut index = b"CUBEX.INDEX\x01\0\0\0\0\0\x01".to_vec();
    index.extend((rows.len() as u32).to_le_bytes());
    index.extend(rows.iter().flat_map(|(call, _)| call.to_le_bytes()));
    let mut data = b"CUBEX.DATA".to_vec();
    data.extend(rows.iter().flat_map(|(_, values)| values).flat_map(|value| value.to_le_bytes()));
    [archive("anchor.xml", anchor.as_bytes()), archive("1.index", &index), archive("1.data", &data)]
        .concat()
}

/// The location with the largest sum counts, not the largest part at any location.
#[test]
fn calls_of_one_name_are_added_at_each_location() {
    let calls = "<cnode calleeId='0'><cnode calleeId='1'><cnode calleeId='1'/></cnode><cnode \
        calleeId='1'><cnode calleeId='1'/></cnode></cnode>";
    // Numbers of exclusive values are those of the tree: main, solve, its callee, the second solve,
    // its callee.
    let exclusive =
        [(0, [1.0, 1.0]), (1, [4.0, 1.0]), (2, [2.0, 0.0]), (3, [1.0, 3.0]), (4, [0.0, 2.0])];
    // Those of inclusive values: main, both solve, their callees.
    let inclusive =
        [(0, [8.0, 7.0]), (1, [6.0, 1.0]), (2, [1.0, 5.0]), (3, [2.0, 0.0]), (4, [0.0, 2.0])];
    for (kind, rows) in [("EXCLUSIVE", exclusive), ("INCLUSIVE", inclusive)] {
        let runs = plain(&profile_with(kind, calls, &rows)).unwrap().runs.runs;
        let found: Vec<_> =
            runs.iter().map(|run| (run.region.as_str(), run.seconds.get())).collect();
        assert_eq!(
            found,
            [("main", 8.0), ("main->solve", 7.0), ("main->solve->solve", 2.0)],
            "{kind}"
        );
    }
}

#[test]
fn another_metric_can_be_named() {
    let metric = |metric: &str| {
        import(
            &content(200),
            ImportOptions { metrics: vec![metric.into()], ..ImportOptions::default() },
        )
    };
    assert_eq!(metric("time").unwrap().runs.runs.len(), 7);
    assert_eq!(metric("visits").unwrap_err(), "p.cubex: the profile has no 0.index; copy it again");
    assert_eq!(
        metric("bytes").unwrap_err(),
        "p.cubex: the profile has no metric \"bytes\"; metrics are visits, time"
    );
}

/// The values of counts are integers.
#[test]
fn counts_are_read_by_their_type() {
    let value = |value_type: &[u8; 5]| {
        let content = changed(content(400), b"FLOAT", value_type);
        plain(&content).map(|imported| imported.runs.runs[6].seconds.get())
    };
    assert_eq!(value(b"FLOAT"), Ok(0.5));
    assert_eq!(value(b"INT64"), Ok(0.5_f64.to_bits() as f64));
    assert!(value(b"INT16").unwrap_err().contains("INT16 (EXCLUSIVE), which is not read"));
}

#[test]
fn damaged_profiles_are_refused() {
    let whole = content(400);
    for end in (0..whole.len()).step_by(17) {
        // Zeros fill the archive behind the last part.
        let cut = plain(&whole[..end]);
        assert!(cut.is_err() || whole[end..].iter().all(|&byte| byte == 0), "{end}");
    }
    assert!(plain(&whole[..600]).unwrap_err().contains("this is not a whole profile of Score-P"));
    for (from, to, reason) in [
        (&b"1.data"[..], &b"2.data"[..], "the profile has no 1.data"),
        (b"CUBEX.DATA", b"CUBEX.DATE", "1.data is damaged"),
        (
            b"CUBEX.INDEX\0\0\0\x01\0\0\x01\0\0\0\x07",
            b"CUBEX.INDEX\0\0\0\x01\0\0\x01\0\0\0\x06",
            "1.index is damaged",
        ),
        (
            b"\0\0\0\x05",
            b"\0\0\0\x63",
            "1.index refers to the call path \"99\", which does not exist",
        ),
        (
            b"calleeId=\"12\"",
            b"calleeId=\"99\"",
            "anchor.xml refers to the region \"99\", which does not exist",
        ),
        (b"<metrics>", b"<metrixx>", "anchor.xml: expected 'metrixx' tag"),
        (
            b"EXCLUSIVE\"><disp_name>Time",
            b"SIMPLE   \"><disp_name>Time",
            "(SIMPLE   ), which is not read",
        ),
        (b"?\xd0\0\0\0\0\0\0", b"\xbf\xd0\0\0\0\0\0\0", "1.data contains -0.25, which is below 0"),
        (b"\"3\"><name>Thread", b"\"3\"/><ame>Thread", "anchor.xml: expected"),
    ] {
        let error = plain(&changed(whole.clone(), from, to)).unwrap_err();
        assert!(
            error.starts_with("p.cubex: ") && error.contains(reason),
            "{reason:?} is not in {error}"
        );
    }
    let compressed = content(100);
    let start = compressed.windows(11).position(|part| part == b"ZCUBEX.DATA").unwrap();
    for (offset, byte) in [(11, 0xff), (18, 0x7f), (19 + 16, 0xff), (11 + 8 + 5 * 24 + 4, 0x55)] {
        let mut damaged = compressed.clone();
        damaged[start + offset] = byte;
        assert!(plain(&damaged).unwrap_err().contains("1.data is damaged"), "{offset}");
    }
}

#[test]
fn hostile_profiles_need_little_memory() {
    let options =
        || ImportOptions { format: Some(ImportFormat::Cubex), ..ImportOptions::default() };
    let refused = |content: &[u8]| import(content, options()).unwrap_err();
    assert!(refused(b"n,time\n1,2\n").contains("this is not a whole profile of Score-P"));
    assert!(refused(&archive("notes.txt", b"")).contains("the profile has no anchor.xml"));
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    bomb.write_all(&vec![b' '; 1 << 25]).unwrap();
    let error = refused(&archive("anchor.xml", &bomb.finish().unwrap()));
    assert!(error.contains("anchor.xml expands to more than"), "{error}");
    // Deep nesting, and many call paths with long names.
    let nested = "<a>".repeat(100_000);
    assert!(refused(&archive("anchor.xml", nested.as_bytes())).contains("anchor.xml: "));
    let calls = 20_000;
    let chain = format!(
        "<cube><metric id='1' \
            type='INCLUSIVE'><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>\
         <region id='0'><name>{}</name></region>{}{}</cube>",
        "x".repeat(1000),
        "<cnode calleeId='0'>".repeat(calls),
        "</cnode>".repeat(calls)
    );
    let mut content = archive("anchor.xml", chain.as_bytes());
    content.extend(archive("1.index", b"CUBEX.INDEX\x01\0\0\0\0\0\x01\0\0\0\0"));
    content.extend(archive("1.data", b"CUBEX.DATA"));
    let error = refused(&content);
    assert!(error.contains("the list of call paths expands to more than"), "{error}");
}
