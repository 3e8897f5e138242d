//! Platforms of SimGrid: topologies, settings, and errors with their positions.

use orrery::platform::xml::{Setting, parse};
use orrery::platform::{HostId, Topology};
use orrery::units::BytesPerSecond;

use crate::table::rows;

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
fn hosts_of_clusters_have_ports_and_a_backbone() {
    let cluster =
        r#"prefix="n" suffix=".x" radical="0-1,5;7" speed="2Gf" core="4" bw="1Gbps" lat="10us""#;
    let crossbar = platform(&format!(r#"<cluster id="c" {cluster}/>"#)).unwrap();
    assert_eq!(crossbar.hosts[2].name, "n5.x");
    assert_eq!((crossbar.hosts[2].speed, crossbar.hosts[2].cores), (2e9, 4));
    assert_eq!(names(&crossbar, 0, 2), Some(vec!["c_link_0_UP", "c_link_5_DOWN"]));
    assert_eq!(names(&crossbar, 1, 1), Some(vec!["c_link_1_UP", "c_link_1_DOWN"]));
    let more = r#"sharing_policy="SHARED" bb_bw="2GBps" bb_lat="0" loopback_bw="1GBps""#;
    let backbone = platform(&format!(
        r#"<zone id="z" routing="Full"><cluster id="c" {cluster} {more}/></zone>"#
    ))
    .unwrap();
    assert_eq!(names(&backbone, 3, 0), Some(vec!["c_link_7", "c_backbone", "c_link_0"]));
    assert_eq!(names(&backbone, 1, 1), Some(vec!["c_link_1_loopback"]));
    let own = &backbone.links[backbone.route(HostId(0), HostId(1)).unwrap()[0].index()];
    assert_eq!(own.bandwidth, BytesPerSecond::new(125e6));
}

#[test]
fn routes_are_symmetrical_by_default() {
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
fn the_maximum_number_of_hosts_and_long_routes_are_parsed() {
    let cluster = |radical: &str| {
        format!(
            r#"<cluster id="c" prefix="n" suffix="" radical="{radical}" speed="1Gf" bw="1GBps" lat="1us"/>"#
        )
    };
    let largest = platform(&cluster("0-1048575")).unwrap();
    assert_eq!((largest.hosts.len(), largest.links.len()), (1 << 20, 1 << 21));
    let error = platform(&cluster("0-1048576")).unwrap_err();
    assert!(error.starts_with("p:2:1: there are more than 1048576 hosts"), "{error}");
    let half = cluster("0-524288");
    let error = platform(&format!("{half}\n{}", half.replace("\"c\"", "\"d\""))).unwrap_err();
    assert!(error.starts_with("p:3:1: there are more than 1048576 hosts"), "{error}");
    let parts = "<link_ctn id=\"l\"/>".repeat(400_000);
    let ends =
        r#"<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1MBps"/>"#;
    let long = platform(&format!(r#"{ends}<route src="a" dst="b">{parts}</route>"#)).unwrap();
    assert_eq!(long.route(HostId(1), HostId(0)).map(|route| route.len()), Some(400_000));
}

#[test]
fn names_of_clusters_are_unique() {
    let cluster = |id: &str, prefix: &str, radical: &str| {
        let names = format!(r#"id="{id}" prefix="{prefix}" radical="{radical}""#);
        format!("\n<cluster {names} speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>")
    };
    for (inside, error) in [
        (cluster("c", "n", "0-9;5"), "p:3:1: the host \"n5\" is defined twice"),
        (
            cluster("c", "n", "0-9") + &cluster("c", "m", "9-12"),
            "p:4:1: the link \"c_link_9_DOWN\" is defined twice",
        ),
        (
            cluster("c", "n", "0-99") + &cluster("d", "n", "99"),
            "p:4:1: the host \"n99\" is defined twice",
        ),
        (
            cluster("c", "n", "7") + &cluster("d", "n", "0-99"),
            "p:4:1: the host \"n7\" is defined twice",
        ),
        (
            cluster("c", "n", "0-99") + "<host id=\"n5\" speed=\"1Gf\"/>",
            "p:3:77: the host \"n5\" is defined twice",
        ),
    ] {
        let found = platform(&inside).unwrap_err();
        assert!(found.starts_with(error), "{inside}: {found}");
    }
}

const HOST: &str = "<host id=\"a\" speed=\"1Gf\"/>";

/// The settings of a platform with these properties in `<config>`, or the error.
fn settings(properties: &str) -> Result<Vec<Setting>, String> {
    let text =
        format!("<platform version=\"4.1\">\n<config>{properties}</config>{HOST}</platform>");
    let settings =
        parse(&text, "p").map(|platform| platform.settings).map_err(|error| error.to_string())?;
    Ok(settings.into_iter().map(|located| located.setting).collect())
}

#[test]
fn settings_are_parsed() {
    let prop = |name: &str, value: &str| format!("<prop id=\"{name}\" value=\"{value}\"/>");
    for (name, value, setting) in [
        ("network/model", "LV08", Setting::NetworkModel("LV08")),
        ("network/latency-factor", "10.4", Setting::LatencyFactor(10.4)),
        ("network/bandwidth-factor", "0.92", Setting::BandwidthFactor(0.92)),
        ("network/weight-S", "0", Setting::WeightS(0.0)),
        ("network/TCP-gamma", "65536", Setting::TcpGamma(65536.0)),
        ("network/crosstraffic", "no", Setting::CrossTraffic(false)),
        ("network/loopback-bw", "1e9", Setting::LoopbackBandwidth(1e9)),
        ("network/loopback-lat", "1e-6", Setting::LoopbackLatency(1e-6)),
        (
            "smpi/bw-factor",
            "1000:0.5;0:0.9",
            Setting::SmpiBandwidthFactors(vec![(1000.0, 0.5), (0.0, 0.9)]),
        ),
        ("smpi/lat-factor", "0:2", Setting::SmpiLatencyFactors(vec![(0.0, 2.0)])),
        ("smpi/IB-penalty-factors", "0.9;0.8;1.5", Setting::InfinibandPenalties([0.9, 0.8, 1.5])),
        ("smpi/async-small-thresh", "1000", Setting::AsyncThreshold(1000)),
        ("smpi/send-is-detached-thresh", "5000", Setting::DetachedThreshold(5000)),
        ("smpi/test", "1e-3", Setting::TestTime(1e-3)),
    ] {
        assert_eq!(settings(&prop(name, value)), Ok(vec![setting]), "{name}");
    }
    for (name, value) in [
        ("network/optim", "TI"),
        ("contexts/factory", "thread"),
        ("smpi/host-speed", "1e9"),
        ("smpi/simulate-computation", "yes"),
        ("cpu/model", "Cas01"),
        ("smpi/coll-selector", "default"),
    ] {
        assert_eq!(settings(&prop(name, value)), Ok(Vec::new()), "{name}");
    }
    for (name, value, error) in [
        ("network/model", "Constant", "supported models are CM02, LV08, SMPI and IB"),
        ("network/latency-factor", "-1", "a factor of 0 or more is expected"),
        ("smpi/coll-selector", "ompi", "only SimGrid's default is"),
        ("smpi/simulate-computation", "no", "only SimGrid's default is"),
        ("host/model", "ptask_L07", "only SimGrid's default is"),
        ("smpi/bw-factor", "fast", "factors such as"),
        ("smpi/os", "5", "sections such as"),
        ("plugin", "host_energy", "only SimGrid's default is"),
        ("network/unheard-of", "1", "it can change times; remove it"),
    ] {
        let expected = format!("p:2:9: the setting {name}={value:?} is not supported; {error}");
        let found = settings(&prop(name, value)).unwrap_err();
        assert!(found.starts_with(&expected), "{found}\nfor {expected}");
    }
    let twice = prop("smpi/test", "0") + &prop("smpi/test", "1");
    assert_eq!(
        settings(&twice),
        Err("p:2:41: the setting \"smpi/test\" is defined twice; rename or remove one".into())
    );
}

#[test]
fn overheads_are_those_of_the_host_or_of_the_config() {
    let text = r#"<platform version="4.1"><config><prop id="smpi/os" value="0:1e-5:1e-9;5000:2e-5:0"/></config>
        <zone id="z" routing="Full"><host id="a" speed="1Gf"/>
        <host id="b" speed="1Gf"><prop id="smpi/os" value="0:3e-5:0"/><prop id="smpi/or" value="0:1e-6:1e-9"/></host></zone>
        </platform>"#;
    let overheads = parse(text, "p").unwrap().overheads;
    let of = |host| overheads.of(HostId(host)).map(|time| time.seconds(10_000));
    assert_eq!((of(0), of(1)), ([20e-6, 0.0, 0.0], [30e-6, 0.0, 1e-6 + 1e-9 * 10_000.0]));
}

#[test]
fn profiles_and_unknown_attributes_are_errors() {
    let link = |more: &str| format!("{HOST}\n<link id=\"l\" bandwidth=\"1MBps\" {more}/>");
    let host = |more: &str| format!("<host id=\"b\" speed=\"1Gf\" {more}/>");
    for (inside, error) in [
        (
            host("speed_file=\"s.txt\""),
            "p:2:26: speed_file=\"s.txt\" is not supported; values that change over time",
        ),
        (
            host("state_file=\"s.txt\""),
            "p:2:26: state_file=\"s.txt\" is not supported; values that change",
        ),
        (
            host("availability_file=\"s\""),
            "p:2:26: availability_file=\"s\" is not supported; values that change",
        ),
        (
            host("power=\"2Gf\""),
            "p:2:26: the attribute power of <host> is not supported; its attributes are id, speed",
        ),
        (
            host("pstate=\"1\""),
            "p:2:26: pstate=\"1\" is not supported; \"speed\" lists fewer speeds",
        ),
        (
            link("bandwidth_file=\"b\""),
            "p:3:32: bandwidth_file=\"b\" is not supported; values that change",
        ),
        (
            link("latency_file=\"b\""),
            "p:3:32: latency_file=\"b\" is not supported; values that change",
        ),
        (link("state_file=\"b\""), "p:3:32: state_file=\"b\" is not supported; values that change"),
        (link("loss=\"0.1\""), "p:3:32: the attribute loss of <link> is not supported"),
        (
            "<host id=\"b\" speed=\"1Gf\"><prop id=\"smpi/x\" value=\"1\"/></host>".into(),
            "p:2:26: the setting smpi/x=",
        ),
        (
            format!("<zone id=\"z\" routing=\"Floyd\">{HOST}</zone>"),
            "p:2:14: routing=\"Floyd\" is not supported",
        ),
        ("<trace id=\"t\" periodicity=\"1\"/>".into(), "p:2:1: <trace> is not supported"),
    ] {
        let found = platform(&inside).unwrap_err();
        assert!(found.starts_with(error), "{inside}: {found}");
    }
    // Unset profiles, properties of users and disks cannot change times.
    let harmless = "<host id=\"b\" speed=\"2Gf,1Gf\" pstate=\"1\" speed_file=\"\" coordinates=\"1 \
        2\"><prop id=\"watt\" \
                    value=\"9\"/><disk id=\"d\" read_bw=\"1MBps\" write_bw=\"1MBps\"/></host>";
    assert!((platform(harmless).unwrap().hosts[0].speed - 1e9).abs() < 1.0);
}

/// What a platform may not contain, and the errors.
const INVALID: &str = r#"
 => p:1:1: the platform has no host
<host id="a" speed="fast"/> => p:2:14: speed="fast" is not supported; a speed above 0
<host id="a"/> => p:2:1: <host> lacks speed
<host id="a" speed="1Gf"/>\n<host id="a" speed="1Gf"/> => p:3:1: the host "a" is defined twice
<cabinet/> => p:2:1: <cabinet> is not supported
<host id="a" speed="1Gf" => p:3:1: invalid XML
<route src="a" dst="b"/> => p:2:1: there is no host "a"
<cluster id="c" radical="0-4000000000" speed="1Gf" bw="1GBps" lat="1us"/> => p:2:1: there are more
    than 1048576 hosts or cores
<cluster id="c" radical="9-1" speed="1Gf" bw="1GBps" lat="1us"/> => p:2:1: radical="9-1" is not
    supported
<cluster id="c" radical="0-1" speed="1Gf" bw="-1GBps" lat="1us"/> => p:2:43: bw="-1GBps" is not
    supported
<cluster id="c" topology="TORUS" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/> => p:2:17:
    topology="TORUS" is not supported; only FLAT
"#;

#[test]
fn invalid_platforms_are_errors_with_a_position() {
    for [inside, error] in rows(INVALID) {
        let found = platform(&inside).unwrap_err();
        assert!(found.starts_with(&error), "{inside}: {found}");
    }
    assert!(
        parse("<html/>", "p")
            .unwrap_err()
            .to_string()
            .starts_with("p:1:1: the outermost element is <html>")
    );
}

/// A few bytes can name many hosts and links.
#[test]
fn names_beyond_the_memory_of_their_text_are_an_error() {
    let cluster = |prefix: &str, id: &str| {
        format!(
            "<cluster id=\"{id}\" prefix=\"{prefix}\" suffix=\"\" radical=\"0-1000000\" \
                speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>"
        )
    };
    let long = "n".repeat(2000);
    for inside in [cluster(&long, "c"), cluster("n", &long)] {
        let text = format!("<platform version=\"4.1\">\n{inside}\n</platform>");
        let error = parse(&text, "p").unwrap_err();
        assert!(error.over_budget().is_some(), "{error}");
        let message = error.to_string();
        assert!(
            message
                .starts_with("p:2:1: the platform up to here takes 513 MiB of memory; its budget"),
            "{message}"
        );
    }
    assert_eq!(platform(&cluster("node-", "c")).map(|_| ()), Ok(()));
}
