use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::common::{Folder, Outcome};
use crate::refused::{FAILED, USAGE, refused};

/// A folder with samples `s.csv` and the model `m.json` that was fitted to them.
fn fitted() -> Result<Folder, Box<dyn std::error::Error>> {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json -o s.csv")?;
    folder.done("fit s.csv -o m.json --models hockney")?;
    Ok(folder)
}

const IMPORT_KINDS: &str = "scaling import two-kinds.csv --map n=matrix,seconds=time \
    --map elements:athlon=athlons,processes:athlon=per_athlon \
    --map elements:pentium-ii=pentiums,processes:pentium-ii=per_pentium -o";

/// The commands that write files, without the file.
const WRITERS: [&str; 3] =
    ["measure comm --machine sim:truth.json -o", "fit s.csv -o", "report m.json s.csv -o"];

#[test]
fn outputs_that_cannot_be_written() -> Outcome {
    let folder = fitted()?;
    fs::create_dir(folder.path("closed"))?;
    fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o555))?;
    for (output, parts) in [
        ("no/where/x", ["no/where/x: cannot ", "create the folder first"]),
        (".", [".: cannot ", "name a file in it"]),
        ("closed/x", ["closed/x: cannot ", "check its permissions"]),
        (
            "/dev/full",
            ["/dev/full: cannot write ", "No space left on device (os error 28); free some space"],
        ),
    ] {
        if output == "closed/x" && rustix::process::geteuid().is_root() {
            continue; // root may write anywhere
        }
        for writer in WRITERS {
            refused(&folder, &format!("{writer} {output}"), FAILED, &parts)?;
        }
    }
    Ok(())
}

#[test]
fn a_full_disk_for_results() -> Outcome {
    let folder = fitted()?;
    let full = || fs::OpenOptions::new().write(true).open("/dev/full");
    for words in [
        "predict p2p m.json",
        "predict p2p m.json --format json",
        "simulate --help",
        "--help",
        "-h",
        "--version",
        "help",
        "completions bash",
        "man",
        "man measure comm",
    ] {
        let output = folder.command(words).stdout(full()?).output()?;
        let told = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(FAILED), "{words}: {told}");
        assert_eq!(told.lines().count(), 1, "{words}: {told}");
        let begin = "orrery: cannot write the result: No space left on device (os error 28); free";
        assert!(told.starts_with(begin), "{words}: {told}");
    }
    // Words that cannot be printed are lost; the exit status stays.
    for (words, status) in
        [("predict p2p none.json", FAILED), ("predict --none", USAGE), ("fit", USAGE)]
    {
        let output = folder.command(words).stderr(full()?).output()?;
        assert_eq!(output.status.code(), Some(status), "{words}");
    }
    Ok(())
}

#[test]
fn samples_that_exist() -> Outcome {
    let folder = fitted()?;
    let before = folder.read("s.csv")?;
    let words = "measure comm --machine sim:truth.json -o s.csv";
    refused(
        &folder,
        words,
        FAILED,
        &["s.csv: this file already exists", "--resume", "--force", "another file"],
    )?;
    assert_eq!(folder.read("s.csv")?, before);
    folder.done(&format!("{words} --force"))?;
    Ok(())
}

#[test]
fn samples_of_another_machine() -> Outcome {
    let folder = fitted()?;
    let before = folder.read("s.csv")?;
    for (machine, parts) in [
        ("sim:truth.json,noise=0.1", ["s.csv: ", "noise: 0, ", "noise: 0.1; ", "another file"]),
        ("local:2", ["s.csv: ", "machine: simulated, ", "machine: ", "another file"]),
    ] {
        refused(
            &folder,
            &format!("measure comm --machine {machine} -o s.csv --resume"),
            FAILED,
            &parts,
        )?;
        assert_eq!(folder.read("s.csv")?, before);
    }
    Ok(())
}

/// A campaign goes on by its own method unless another one is asked for, which is refused.
#[test]
fn a_campaign_keeps_its_timing_method() -> Outcome {
    let folder = Folder::new()?;
    let words = "measure collectives --machine sim:truth.json -o s.csv --sizes 1K";
    folder.done(&format!("{words} --timing root"))?;
    let parts = ["s.csv: ", "--timing root, not max", "leave --timing out", "another file"];
    refused(&folder, &format!("{words} --resume --timing max"), FAILED, &parts)?;
    folder.done(&format!("{words},4K --resume"))?;
    folder.done(&format!("{words},16K --resume --timing root"))?;
    refused(
        &folder,
        &format!("{words} --resume --timing global"),
        FAILED,
        &["--timing root, not global"],
    )?;
    // What was measured before the method was told was measured by the maximum.
    folder.write(
        "old.csv",
        folder.read("s.csv")?.replace("# timing: root: collectives by", "# timing:"),
    )?;
    let old = words.replace("s.csv", "old.csv");
    refused(
        &folder,
        &format!("{old} --resume --timing root"),
        FAILED,
        &["old.csv: ", "--timing max, not root"],
    )?;
    // Beside each other they are distinguished.
    folder.done(&format!("{words} --force"))?;
    folder.done(&format!("{words} --timing root").replace("s.csv", "root.csv"))?;
    let output = folder.run("samples summary s.csv root.csv")?;
    let said = String::from_utf8(output.stderr)?;
    assert!(
        said.contains("root.csv: its collectives are timed by root, those of earlier files by max"),
        "{said}"
    );
    Ok(())
}

/// An input is never replaced, also under another name.
#[test]
fn an_output_that_is_an_input() -> Outcome {
    let folder = fitted()?;
    folder.write("gather.tit", include_str!("../../../../examples/gather.tit"))?;
    folder.write("times.csv", "n,seconds\n1,1\n")?;
    folder.done("scaling import times.csv -o runs.json")?;
    for (input, words) in
        [("runs.json", "scaling import IN --force -o"), ("gather.tit", "trace convert IN --force")]
    {
        let before = folder.read(input)?;
        let (hard, soft) = (format!("hard-{input}"), format!("soft-{input}"));
        fs::hard_link(folder.path(input), folder.path(&hard))?;
        std::os::unix::fs::symlink(input, folder.path(&soft))?;
        for (input, output) in [(input, input), (input, &*hard), (input, &*soft), (&*soft, &*hard)]
        {
            let words = format!("{} {output}", words.replace("IN", input));
            let named = if input == output {
                "an input of this command".to_owned()
            } else {
                format!("the input {input}")
            };
            refused(
                &folder,
                &words,
                USAGE,
                &[&format!("{output}: this file is {named}"), "name another file"],
            )?;
        }
        assert_eq!(folder.read(input)?, before);
    }
    // The files that an index names are inputs, too.
    for (name, content) in [("r0", "0 compute 1\n"), ("r1", "1 compute 1\n"), ("index", "r0\nr1\n")]
    {
        folder.write(name, content)?;
    }
    refused(
        &folder,
        "trace convert index r1 --format tit --force",
        USAGE,
        &["r1: this file is an input"],
    )?;
    assert_eq!(folder.read("r1")?, "1 compute 1\n");
    // The template of HPL.dat is an input, too.
    folder.write("two-kinds.toml", include_str!("../../../../examples/two-kinds.toml"))?;
    folder.write("two-kinds.csv", include_str!("../../../../examples/two-kinds.csv"))?;
    folder.done(&format!("{IMPORT_KINDS} kinds.json"))?;
    folder.done("scaling fit kinds.json -o app.json")?;
    let choose = "choose configuration app.json --cluster two-kinds.toml --n 9600 --write next";
    fs::create_dir(folder.path("next"))?;
    folder.write("next/HPL.dat", include_str!("../transcripts/choices.out/chosen/HPL.dat"))?;
    refused(
        &folder,
        &format!("{choose} --hpl-dat next/HPL.dat --force"),
        USAGE,
        &["next/HPL.dat: this file is an input"],
    )
}

/// `fit --into` may add laws to its own output.
#[test]
fn a_model_that_laws_are_added_to() -> Outcome {
    let folder = Folder::new()?;
    folder.write("gigabit.json", include_str!("../../../../examples/gigabit.json"))?;
    folder
        .done("measure scheme --calibrate --machine sim:gigabit.json,noise=0.02 -o timings.csv")?;
    folder.write("m.json", folder.read("gigabit.json")?)?;
    folder.done("fit timings.csv --into m.json -o m.json --sharing gige")?;
    assert!(folder.read("m.json")?.contains("\"hockney"));
    refused(
        &folder,
        "fit timings.csv -o m.json --sharing gige",
        FAILED,
        &["already exists", "--force"],
    )
}

/// A demonstration replaces what a demonstration wrote, nothing else.
#[test]
fn samples_in_the_folder_of_a_demo() -> Outcome {
    let folder = fitted()?;
    let demo = "demo --machine sim:truth.json -o";
    folder.done(&format!("{demo} new"))?;
    refused(
        &folder,
        &format!("{demo} new"),
        FAILED,
        &["new/samples.csv: ", "already exists", "--force"],
    )?;
    folder.done(&format!("{demo} new --force"))?;
    folder.done("measure comm --machine sim:truth.json -o samples.csv")?;
    let before = folder.read("samples.csv")?;
    refused(
        &folder,
        &format!("{demo} . --quiet"),
        FAILED,
        &["samples.csv: ", "already exists", "--force"],
    )?;
    assert_eq!(folder.read("samples.csv")?, before);
    Ok(())
}
