//! The committed header is that of the sources, and names every function that the library exports.

use std::path::Path;

/// With this variable the test writes the header instead of comparing it.
const BLESS: &str = "ORRERY_BLESS";

#[test]
fn header_follows_from_the_sources() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(top.join("cbindgen.toml")).unwrap();
    let mut sources: Vec<_> = std::fs::read_dir(top.join("src")).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    let mut generated = Vec::new();
    // It finds the other files by their `mod`.
    let builder = cbindgen::Builder::new().with_config(config).with_src(top.join("src/lib.rs"));
    builder.generate().unwrap().write(&mut generated);
    // Documentation of Rust escapes brackets.
    let generated = String::from_utf8(generated).unwrap().replace("\\[", "[").replace("\\]", "]");
    let path = top.join("include/orrery.h");
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "include/orrery.h is not that of src; run this test with {BLESS}=1");
    for source in sources {
        let text = std::fs::read_to_string(source).unwrap();
        let functions = text.split("extern \"C\" fn ").skip(1).filter_map(|rest| rest.split('(').next());
        for function in functions {
            assert!(committed.contains(&format!("{function}(")), "{function} is missing in the header");
        }
    }
}
