//! Models of kernels in the model file.

use orrery::kernel::KernelCall;
use orrery::model::file::{parse, to_text};
use orrery::units::Bytes;

use super::{assert_rejected, schema};

/// A model of a kernel by hand; the tests below break it.
const KERNEL: &str = r#"{"format": "orrery-model", "version": 1, "models": {}, "kernels": [{
  "kernel": "dgemv", "variant": "n", "host": "a", "equal_hosts": ["b", "c"], "library": "l", "threads": 1, "operands": "warm",
  "level": 0.95, "measured": {"m": [8, 200], "n": [8, 100], "k": [1, 1]},
  "memory": {"mn": 8.0, "1": 4096},
  "pieces": [{"from": 1, "deviation": 0.02, "degrees": 8,
    "terms": {"mn": {"value": 1e-9, "low": 9e-10, "high": 1.1e-9, "samples": 40}}, "correlations": []}]
}], "host_memory": {"a": 16834887680, "b": 1024}}
"#;

#[test]
fn models_of_kernels_return_from_their_file() {
    let loaded = parse(KERNEL, "k.json").unwrap();
    assert_eq!(loaded.warnings, []);
    let [one] = &loaded.model.kernels[..] else { panic!("one model is expected") };
    assert!(
        one.equal_hosts == ["b", "c"] && one.is_for("c") && one.is_for("a") && !one.is_for("d")
    );
    let text = to_text(&loaded.model).unwrap();
    assert!(text.contains(r#""equal_hosts": ["b", "c"],"#), "{text}");
    assert_eq!(loaded.model.host_memory["a"], Bytes::new(16_834_887_680));
    assert!(text.contains(r#""memory": {"mn": 8e0, "1": 4.096e3},"#), "{text}");
    let call = KernelCall::new("dgemv".parse().unwrap(), "n", [100, 50, 1]).unwrap();
    assert_eq!(one.model.memory(&call), Bytes::new(8 * 100 * 50 + 4096));
    assert_eq!(parse(&text, "k.json").unwrap().model, loaded.model);
    assert!(schema().is_valid(&serde_json::from_str(&text).unwrap()));
    let without = KERNEL
        .replace(r#""equal_hosts": ["b", "c"], "#, "")
        .replace(r#""memory": {"mn": 8.0, "1": 4096},"#, "");
    let without = without.replace(r#", "host_memory": {"a": 16834887680, "b": 1024}"#, "");
    let loaded = parse(&without, "k.json").unwrap();
    assert!(loaded.model.kernels[0].equal_hosts.is_empty());
    assert_eq!(loaded.model.kernels[0].model.memory(&call), call.space());
    assert!(loaded.model.host_memory.is_empty());
    assert!(!to_text(&loaded.model).unwrap().contains("equal_hosts"));
    assert!(schema().is_valid(&serde_json::from_str(&without).unwrap()));
}

/// A replacement in [`KERNEL`]; true if the schema rejects it; a part of the reader's error.
const BROKEN: &str = r#"
"b": 1024 => "b": -1 => true => host_memory.b: this is -1, but a whole number of bytes
["b", "c"] => "b" => true => 2:66: kernels[0].equal_hosts: this is "b", but an array of names of
    hosts
"c"] => 7] => true => 2:72: kernels[0].equal_hosts[1]: this is 7, but the name of a host
"dgemv" => "dgemw" => false => 2:13: kernels[0].kernel: 
"n", "host" => "x", "host" => false => 2:33: kernels[0].variant: 
"mn": { => "q": { => false => kernels[0].pieces[0].terms.q: 
"mn": 8.0 => "mm": 8.0 => false => kernels[0].memory.mm: 
4096 => -4096 => true => kernels[0].memory.1: -4096.0 is negative
{"mn": 8.0, "1": 4096} => 4096 => true => 4:13: kernels[0].memory: this is 4096, but {"mk": 8
0.02 => -0.02 => true => kernels[0].pieces[0].deviation: -0.02 is not positive
"#;

#[test]
fn invalid_models_of_kernels_are_rejected_with_their_path() {
    assert_rejected(KERNEL, BROKEN);
}
