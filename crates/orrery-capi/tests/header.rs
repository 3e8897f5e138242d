//! The committed headers are those of the sources, and name every function that the library
//! exports. The maps for the linker export the functions of the headers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// With this variable the test writes the headers instead of comparing them.
const BLESS: &str = "ORRERY_BLESS";

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The header of some source files and those that they name by `mod`.
fn generated(config: &str, sources: &[&str]) -> String {
    let config = cbindgen::Config::from_file(top().join(config)).unwrap();
    let mut header = Vec::new();
    let builder = cbindgen::Builder::new().with_config(config);
    let builder =
        sources.iter().fold(builder, |builder, source| builder.with_src(top().join(source)));
    builder.generate().unwrap().write(&mut header);
    // Documentation of Rust escapes brackets.
    String::from_utf8(header).unwrap().replace("\\[", "[").replace("\\]", "]")
}

/// Compares a header with the committed one, and checks that it has every function of these files.
fn check(name: &str, generated: &str, sources: &[PathBuf]) {
    let path = top().join("include").join(name);
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "include/{name} is not that of src; run this test with {BLESS}=1"
    );
    for source in sources {
        let text = std::fs::read_to_string(source).unwrap();
        let functions =
            text.split("extern \"C\" fn ").skip(1).filter_map(|rest| rest.split('(').next());
        for function in functions {
            assert!(committed.contains(&format!("{function}(")), "{function} is missing in {name}");
        }
    }
}

#[test]
fn headers_follow_from_the_sources() {
    let of_mpi = ["src/mpi.rs", "src/collectives.rs"];
    let paths = of_mpi.map(|source| top().join(source));
    let files = std::fs::read_dir(top().join("src")).unwrap().map(|entry| entry.unwrap().path());
    let others: Vec<PathBuf> = files.filter(|file| !paths.contains(file)).collect();
    check("orrery.h", &generated("cbindgen.toml", &["src/lib.rs"]), &others);
    check("orrery_mpi.h", &generated("cbindgen-mpi.toml", &of_mpi), &paths);
}

/// The words of a text that begin with `orrery_` and end with this letter.
fn words(text: &str, end: char) -> BTreeSet<&str> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == '*');
    let words =
        words.filter(|word| word.starts_with("orrery_")).filter_map(|word| word.split_once(end));
    words
        .map(|(word, _)| word)
        .filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'))
        .collect()
}

#[test]
fn maps_export_the_functions_of_the_headers() {
    for (header, map, count) in
        [("orrery.h", "orrery.map", 37), ("orrery_mpi.h", "orrery_mpi.map", 6)]
    {
        let header = std::fs::read_to_string(top().join("include").join(header)).unwrap();
        // Comments mention functions, too.
        let code: String = header
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        let functions = words(&code, '(');
        assert!(functions.len() >= count, "{functions:?}");
        let map_text = std::fs::read_to_string(top().join(map)).unwrap();
        assert_eq!(words(&map_text, ';'), functions, "{map} and the header differ");
    }
}
