//! Programs in C, compiled with the header and the library, and under valgrind where it is
//! installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use skip::skip;

#[path = "../../orrery/tests/common/skip.rs"]
mod skip;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the shared library: that of this test, or the one above it.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folders = test.ancestors().skip(1).take(2);
    let found =
        folders.map(Path::to_path_buf).find(|folder| folder.join("liborrery_capi.so").exists());
    found.expect("the shared library is built with the tests")
}

fn output(command: &mut Command) -> Output {
    let output = command.env("LD_LIBRARY_PATH", libraries()).output().unwrap();
    let words =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(
        output.status.success(),
        "{command:?} fails: {}\n{}\n{}",
        output.status,
        words[0],
        words[1]
    );
    output
}

/// Compiles a program in a standard of C.
fn compiled(source: &str, standard: &str) -> PathBuf {
    let source = top().join(source);
    let name = format!("{}-{standard}", source.file_stem().unwrap().to_string_lossy());
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let include = top().join("include");
    output(
        Command::new(compiler)
            .args([
                "-Wall",
                "-Wextra",
                "-Werror",
                "-pedantic",
                "-g",
                &format!("-std={standard}"),
                "-I",
            ])
            .args([&include, &source])
            .arg("-L")
            .arg(libraries())
            .args(["-lorrery_capi", "-lpthread", "-lm", "-o"])
            .arg(&program),
    );
    program
}

/// Runs a program, under valgrind if it is installed, and returns what it prints.
fn printed(program: &Path, arguments: &[&Path]) -> String {
    let valgrind = Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    let mut command = if valgrind {
        let mut command = Command::new("valgrind");
        command.args([
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite",
        ]);
        command.arg(program);
        command
    } else {
        skip("valgrind is not installed");
        Command::new(program)
    };
    String::from_utf8(output(command.args(arguments)).stdout).unwrap()
}

#[test]
fn the_example_predicts_chooses_and_explains() {
    let expected = "message of 1000 bytes: 50.0 us
its interval is unknown
binomial scatter of 1 KiB: 291.7 us
fastest bcast of 1 MiB: ";
    for standard in ["c99", "c17", "c11"] {
        let program = compiled("examples/predict.c", standard);
        let text = if standard == "c11" {
            printed(&program, &[])
        } else {
            printed_without_valgrind(&program, &[])
        };
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("\n2e-5 1 × 2e-5 link_latency of link 0-1\n"), "{text}");
        assert!(
            text.ends_with("freed twice: the handle names no model: it was freed, or never made\n"),
            "{text}"
        );
    }
}

#[test]
fn the_document_shows_the_example_and_what_it_prints() {
    let document = std::fs::read_to_string(top().join("../../docs/c-interface.md")).unwrap();
    let source = std::fs::read_to_string(top().join("examples/predict.c")).unwrap();
    assert!(
        document.contains(&format!("```c\n{source}```\n")),
        "the document shows another program"
    );
    let text = printed_without_valgrind(&compiled("examples/predict.c", "gnu11"), &[]);
    assert!(document.contains(&format!("```text\n{text}```\n")), "the program prints\n{text}");
}

/// The functions of FAST, on idle hosts and for the present load.
#[test]
fn the_present_load_changes_forecasts() {
    let files = ["four-hosts.json", "now.json"].map(|name| top().join("../../examples").join(name));
    let files = files.each_ref().map(PathBuf::as_path);
    let text = printed(&compiled("examples/now.c", "c11"), &files);
    assert_eq!(text, printed_without_valgrind(&compiled("examples/now.c", "c99"), &files));
    let document = std::fs::read_to_string(top().join("../../docs/c-interface.md")).unwrap();
    assert!(document.contains(&format!("```text\n{text}```\n")), "the program prints\n{text}");
    // n3 has half of a processor, 0.45 to 0.55.
    let times = |line: &str| -> Vec<f64> {
        let words = text.lines().find(|one| one.starts_with(line)).unwrap().split_whitespace();
        words
            .map(|word| word.trim_matches(['(', ')', ',']))
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    let (idle, now) = (times("idle: dgemm"), times("now: dgemm"));
    assert_eq!(idle.len(), 6, "{text}");
    let expected = [2.0 * idle[0], idle[1] / 0.55, idle[2] / 0.45];
    assert!(now.iter().zip(expected).all(|(now, expected)| (now - expected).abs() < 0.2), "{text}");
    assert!(now[3] > 1.5 * idle[3] && now[4] < now[3] && now[3] < now[5], "{text}");
}

/// A service that answers one request with a text; returns its address and what it was asked.
#[cfg(feature = "monitor")]
fn service(answer: String) -> (String, std::thread::JoinHandle<String>) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let request = lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty());
        let request = request.collect::<Vec<_>>().join("\n");
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).unwrap();
        request
    });
    (address, server)
}

#[cfg(feature = "monitor")]
#[test]
fn a_service_answers_as_its_file() {
    let files = ["four-hosts.json", "now.json"].map(|name| top().join("../../examples").join(name));
    let program = compiled("examples/now.c", "gnu11");
    let of_file = printed_without_valgrind(&program, &files.each_ref().map(PathBuf::as_path));
    let (address, server) = service(std::fs::read_to_string(&files[1]).unwrap());
    let of_service = printed(&program, &[&files[0], Path::new(&address)]);
    assert_eq!(of_service, of_file);
    assert!(server.join().unwrap().starts_with("GET /v1/conditions HTTP/1.1\n"));
}

#[test]
fn wrong_calls_are_answered() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("misuse.json");
    for (source, arguments) in
        [("tests/misuse.c", &[file.as_path()][..]), ("tests/misuse_now.c", &[])]
    {
        assert_eq!(printed(&compiled(source, "c11"), arguments), "all wrong calls were answered\n");
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn messages_are_predicted_at_a_rate() {
    let model = top().join("../../examples/switched-eight.json");
    let text =
        printed_without_valgrind(&compiled("examples/rate.c", "c11"), &[&model, Path::new("lmo")]);
    assert!(text.contains("million messages per second (mean "), "{text}");
}

/// The case of the papers: LMO of sixteen processors takes less than a second of the network's
/// time.
#[test]
fn an_estimation_is_rehearsed() {
    let text = printed_without_valgrind(&compiled("examples/rehearse.c", "c99"), &[]);
    let seconds = text
        .strip_prefix("brief: ")
        .and_then(|text| text.split(' ').next())
        .expect("it begins with the brief one");
    assert!(seconds.parse::<f64>().unwrap() < 1.0, "{text}");
    let document = std::fs::read_to_string(top().join("../../docs/c-interface.md")).unwrap();
    assert!(
        document.contains(&format!("```text\n{text}```\n")),
        "the document does not show\n{text}"
    );
}

fn printed_without_valgrind(program: &Path, arguments: &[&Path]) -> String {
    String::from_utf8(output(Command::new(program).args(arguments)).stdout).unwrap()
}

/// The header is valid C++ too.
#[test]
fn the_header_is_valid_in_cpp() {
    let has_compiler =
        Command::new("c++").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_compiler {
        return skip("c++ is not installed");
    }
    let header = top().join("include/orrery.h");
    output(
        Command::new("c++").args(["-fsyntax-only", "-Wall", "-Werror", "-x", "c++"]).arg(header),
    );
}

/// Calls functions with extreme numbers, each within 1 GiB and 10 s of processor time; builds with
/// checks are several times slower.
fn extremes(first: u64, calls: u64) {
    let program = compiled("tests/extremes.c", "gnu11");
    let seconds: u64 = if cfg!(debug_assertions) { 60 } else { 10 };
    let mut command = Command::new(&program);
    command.arg(top().join("../../examples/four-hosts.json"));
    command.args([first, calls, seconds].map(|number| number.to_string()));
    let ended = command.env("LD_LIBRARY_PATH", libraries()).env("RAYON_NUM_THREADS", "1").output();
    let ended = ended.unwrap();
    assert!(
        ended.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}

#[test]
fn some_extreme_numbers_are_answered_or_refused() {
    extremes(0, 300);
}

#[test]
#[ignore = "takes minutes, run by make soak"]
fn all_extreme_numbers_are_answered_or_refused() {
    extremes(0, 5000);
}
