//! Slurm's `topology.conf`: the tree of switches, the language of the file, and errors with their
//! positions.

use orrery::platform::slurm_topology::{SwitchId, SwitchTree, parse, read};

use crate::table::rows;

/// A two-level tree with a comment, a continued line, keys in any case, quotes and link speeds.
const TREE: &str = "\
# Two racks behind one switch
switchname=rack0 Nodes=n[00-02],login   # four hosts
SWITCHNAME = rack1 LinkSpeed=10 \\
    nodes=\"n[03-\\
04]\"
SwitchName=core Switches=rack[0-1]
";

fn names(tree: &SwitchTree, ids: &[SwitchId]) -> Vec<String> {
    ids.iter().map(|id| tree.switch(*id).name.clone()).collect()
}

#[test]
fn trees_are_parsed() {
    let tree = parse(TREE, "topology.conf").unwrap();
    assert_eq!(names(&tree, tree.roots()), ["core"]);
    let [core] = *tree.roots() else { panic!() };
    assert_eq!(names(&tree, &tree.switch(core).switches), ["rack0", "rack1"]);
    assert_eq!(tree.hosts_below(core), ["n00", "n01", "n02", "login", "n03", "n04"]);
    let rack = tree.switch(core).switches[1];
    assert_eq!((tree.switch(rack).parent, tree.depth(rack), tree.depth(core)), (Some(core), 1, 0));
    assert_eq!(tree.switch(rack).hosts, ["n03", "n04"]);
}

#[test]
fn several_trees_and_empty_switches_are_allowed() {
    let tree = parse("SwitchName=b Switches=c\nSwitchName=a Nodes=x\r\nSwitchName=c", "t").unwrap();
    assert_eq!(names(&tree, tree.roots()), ["b", "a"]);
    assert_eq!(tree.switches().len(), 3);
    assert!(tree.hosts_below(tree.roots()[0]).is_empty());
}

/// Invalid topologies and their errors.
const FAULTS: &str = r#"
# nothing\n\n => t:1:1: there is no switch
SwitchName=a Nodes => t:1:14: "Nodes" is no KEY=VALUE
SwitchName=a\n=b => t:2:1: "=b" is no KEY=VALUE
Nodes=a => t:1:1: there is no SwitchName=NAME on this line
SwitchName=a Node=b => t:1:14: unknown key "Node"; did you mean "Nodes"? valid
    keys are SwitchName, Switches
BlockName=b Nodes=c => t:1:1: BlockName belongs to topology/block
include more.conf => t:1:1: files are not included; put the lines of "more.conf"
SwitchName=a Nodes=b nodes=c => t:1:22: Nodes occurs twice
SwitchName=a Nodes=b Switches=c => t:1:1: switch "a" has Nodes and Switches
SwitchName=a[0-1] Nodes=b => t:1:12: SwitchName is a list; give each switch a line
SwitchName= => t:1:12: cannot read "" as host names: a name is empty
SwitchName=a Nodes="b => t:1:20: the quote is not closed
SwitchName=a \\n  Nodes=b[ => t:2:9: cannot read "b[" as host names
SwitchName=a Nodes=x\n\nSwitchName=a Nodes=y => t:3:12: switch "a" is defined in line 1 already
SwitchName=a Switches=b => t:1:23: there is no switch "b"
SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=x => t:2:23: switch "c" is
    below switch "a" already
SwitchName=a Nodes=x\nSwitchName=b Nodes=y,x => t:2:20: host "x" is on switch "a" already
SwitchName=a Nodes=x,x => t:1:20: host "x" is on switch "a" already
SwitchName=a Switches=a => t:1:12: switch "a" is below itself
SwitchName=r Nodes=x\nSwitchName=a Switches=b\nSwitchName=b Switches=a => t:2:12: switch "a" is
    below itself
SwitchName=a Nodes=a[1-100000]\nSwitchName=b Nodes=b[1-100000] => t:2:20: there are more than 200000
    hosts and switches
"#;

#[test]
fn faults_are_located() {
    for [text, expected] in rows(FAULTS) {
        let error = parse(&text, "t").unwrap_err().to_string();
        assert!(error.starts_with(&expected), "{text}\n{error}\n{expected}");
    }
}

#[test]
fn comments_end_continuations() {
    // A comment is removed before a backslash continues its line.
    let tree = parse("# comment \\\nSwitchName=a Nodes=x\n", "t").unwrap();
    assert_eq!(tree.switches().len(), 1);
}

#[test]
fn files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("topology.conf");
    std::fs::write(&path, TREE).unwrap();
    assert_eq!(read(&path).unwrap(), parse(TREE, "t").unwrap());
    std::fs::write(&path, b"SwitchName=a\nSwitchName=\xff").unwrap();
    assert!(
        read(&path)
            .unwrap_err()
            .to_string()
            .ends_with("topology.conf:2:12: the file is not UTF-8 text; Slurm's topology.conf is")
    );
    assert!(
        read(folder.path().join("none"))
            .unwrap_err()
            .to_string()
            .contains("cannot read the topology.conf")
    );
}

#[test]
fn switches_have_the_processors_of_their_hosts() {
    let tree = parse(TREE, "t").unwrap();
    let numbers = |hosts: &[&str]| -> Vec<Vec<u32>> {
        tree.processors_below(hosts)
            .iter()
            .map(|group| group.iter().map(|one| one.0).collect())
            .collect()
    };
    // Two processors on one host, a host in no switch, names with a domain.
    assert_eq!(
        numbers(&["n03", "n00", "n03", "x", "", "login.a.org"]),
        [vec![1, 5], vec![0, 2], vec![0, 1, 2, 5]]
    );
    let tree = parse("SwitchName=a Nodes=n.a.org\nSwitchName=b Nodes=n.b.org", "t").unwrap();
    let [a, b] = &tree.processors_below(&["n.b.org", "n.a.org", "n.c.org", "n"])[..] else {
        panic!()
    };
    assert_eq!(
        (a.iter().map(|one| one.0).collect::<Vec<_>>(), b.iter().map(|one| one.0).collect()),
        (vec![1, 3], vec![0])
    );
}
