//! Platforms of SimGrid: what is read, and what is refused where.

use orrery::platform::xml::parse;
use orrery::platform::{HostId, Topology};
use orrery::units::BytesPerSecond;

fn platform(inside: &str) -> Result<Topology, String> {
    parse(&format!("<platform version=\"4.1\">\n{inside}\n</platform>"), "p")
        .map(|platform| platform.topology)
        .map_err(|error| error.to_string())
}

fn names(topology: &Topology, from: u32, to: u32) -> Option<Vec<&str>> {
    let links = topology.route(HostId(from), HostId(to))?;
    Some(links.into_iter().map(|link| topology.links[link.index()].name.as_str()).collect())
}

#[test]
fn clusters_are_joined_through_ports_and_backbone() {
    let cluster = r#"prefix="n" suffix=".x" radical="0-1,5;7" speed="2Gf" core="4" bw="1Gbps" lat="10us""#;
    let crossbar = platform(&format!(r#"<cluster id="c" {cluster}/>"#)).unwrap();
    assert_eq!(crossbar.hosts[2].name, "n5.x");
    assert_eq!((crossbar.hosts[2].speed, crossbar.hosts[2].cores), (2e9, 4));
    assert_eq!(names(&crossbar, 0, 2), Some(vec!["c_link_0_UP", "c_link_5_DOWN"]));
    assert_eq!(names(&crossbar, 1, 1), Some(vec!["c_link_1_UP", "c_link_1_DOWN"]));
    let more = r#"sharing_policy="SHARED" bb_bw="2GBps" bb_lat="0" loopback_bw="1GBps""#;
    let backbone =
        platform(&format!(r#"<zone id="z" routing="Full"><cluster id="c" {cluster} {more}/></zone>"#)).unwrap();
    assert_eq!(names(&backbone, 3, 0), Some(vec!["c_link_7", "c_backbone", "c_link_0"]));
    assert_eq!(names(&backbone, 1, 1), Some(vec!["c_link_1_loopback"]));
    let own = &backbone.links[backbone.route(HostId(0), HostId(1)).unwrap()[0].index()];
    assert_eq!(own.bandwidth, BytesPerSecond::new(125e6));
}

#[test]
fn routes_are_turned_round() {
    let topology = platform(
        r#"<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
        <link id="l" bandwidth="1MBps" latency="1ms" sharing_policy="SPLITDUPLEX"/><link id="m" bandwidth="1kBps"/>
        <route src="a" dst="b"><link_ctn id="l" direction="UP"/><link_ctn id="m"/></route>
        <route src="a" dst="c" symmetrical="NO"><link_ctn id="m"/></route>"#,
    )
    .unwrap();
    assert_eq!(names(&topology, 0, 1), Some(vec!["l_UP", "m"]));
    assert_eq!(names(&topology, 1, 0), Some(vec!["m", "l_DOWN"]));
    assert_eq!((names(&topology, 0, 2), names(&topology, 2, 0)), (Some(vec!["m"]), None));
}

#[test]
fn as_many_hosts_as_there_may_be_are_read_and_long_routes_too() {
    let cluster = |radical: &str| {
        format!(r#"<cluster id="c" prefix="n" suffix="" radical="{radical}" speed="1Gf" bw="1GBps" lat="1us"/>"#)
    };
    let largest = platform(&cluster("0-1048575")).unwrap();
    assert_eq!((largest.hosts.len(), largest.links.len()), (1 << 20, 1 << 21));
    let told = platform(&cluster("0-1048576")).unwrap_err();
    assert!(told.starts_with("p:2:1: there are more than 1048576 hosts"), "{told}");
    let half = cluster("0-524288");
    let told = platform(&format!("{half}\n{}", half.replace("\"c\"", "\"d\""))).unwrap_err();
    assert!(told.starts_with("p:3:1: there are more than 1048576 hosts"), "{told}");
    let parts = "<link_ctn id=\"l\"/>".repeat(400_000);
    let ends = r#"<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1MBps"/>"#;
    let long = platform(&format!(r#"{ends}<route src="a" dst="b">{parts}</route>"#)).unwrap();
    assert_eq!(long.route(HostId(1), HostId(0)).map(|route| route.len()), Some(400_000));
}

#[test]
fn a_name_of_a_cluster_stands_once() {
    let cluster = |id: &str, prefix: &str, radical: &str| {
        let names = format!(r#"id="{id}" prefix="{prefix}" radical="{radical}""#);
        format!("\n<cluster {names} speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>")
    };
    for (inside, error) in [
        (cluster("c", "n", "0-9;5"), "p:3:1: the host \"n5\" is defined twice"),
        (cluster("c", "n", "0-9") + &cluster("c", "m", "9-12"), "p:4:1: the link \"c_link_9_DOWN\" is defined twice"),
        (cluster("c", "n", "0-99") + &cluster("d", "n", "99"), "p:4:1: the host \"n99\" is defined twice"),
        (cluster("c", "n", "7") + &cluster("d", "n", "0-99"), "p:4:1: the host \"n7\" is defined twice"),
        (cluster("c", "n", "0-99") + "<host id=\"n5\" speed=\"1Gf\"/>", "p:3:77: the host \"n5\" is defined twice"),
    ] {
        let told = platform(&inside).unwrap_err();
        assert!(told.starts_with(error), "{inside}: {told}");
    }
}

#[test]
fn mistakes_are_refused_where_they_stand() {
    for (inside, error) in [
        ("", "p:1:1: the platform has no host"),
        ("<host id=\"a\" speed=\"fast\"/>", "p:2:14: speed=\"fast\" is not supported; a speed above 0"),
        ("<host id=\"a\"/>", "p:2:1: <host> lacks speed"),
        ("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"a\" speed=\"1Gf\"/>", "p:3:1: the host \"a\" is defined twice"),
        ("<cabinet/>", "p:2:1: <cabinet> is not supported"),
        ("<host id=\"a\" speed=\"1Gf\"", "p:3:1: invalid XML"),
        ("<route src=\"a\" dst=\"b\"/>", "p:2:1: there is no host \"a\""),
        (
            "<cluster id=\"c\" radical=\"0-4000000000\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>",
            "p:2:1: there are more than 1048576 hosts or cores",
        ),
        (
            "<cluster id=\"c\" radical=\"9-1\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>",
            "p:2:1: radical=\"9-1\" is not supported",
        ),
        (
            "<cluster id=\"c\" radical=\"0-1\" speed=\"1Gf\" bw=\"-1GBps\" lat=\"1us\"/>",
            "p:2:43: bw=\"-1GBps\" is not supported",
        ),
        (
            "<cluster id=\"c\" topology=\"TORUS\" radical=\"0-1\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>",
            "p:2:17: topology=\"TORUS\" is not supported; only FLAT",
        ),
    ] {
        let told = platform(inside).unwrap_err();
        assert!(told.starts_with(error), "{inside}: {told}");
    }
    assert!(parse("<html/>", "p").unwrap_err().to_string().starts_with("p:1:1: the outermost element is <html>"));
}
