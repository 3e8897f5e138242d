use crate::common::{Folder, Outcome};
use crate::refused::cases;

const CLUSTER: &str = "[links]\nbandwidth = \"1Gbps\"\n[[hosts]]\nnames = \"n[0-1]\"\nkind \
    = \"k\"\ncores = 1\nspeed = \"1Gf\"\n";
const TRACE: &str = "0 send 1 0 8\n1 recv 0 0 8\n";
const STUCK: &str = "# both wait\n0 recv 1 0 8\n1 recv 0 0 8\n";
const GRAPH: &str =
    "num_ranks 2\nrank 0 {\na: calc 9\nb: send 8b to 1\n}\nrank 1 { recv 8b from 0 }\n";

/// A SimGrid platform of two hosts with a setting, and with an overhead of a host.
const SETTING: &str = "<platform version=\"4.1\">\n<config><prop id=\"network/latency-factor\" \
    value=\"5\"/></config>\n\
    <host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/></platform>";
const OVERHEAD: &str = "<platform version=\"4.1\"><host id=\"a\" speed=\"1Gf\"/>\n\
    <host id=\"b\" speed=\"1Gf\"><prop id=\"smpi/or\" value=\"0:1e-5:0\"/></host></platform>";
/// A platform whose second host changes its speed over time.
const PROFILE: &str = "<platform version=\"4.1\"><host id=\"a\" speed=\"1Gf\"/>\n\
    <host id=\"b\" speed=\"1Gf\" speed_file=\"load.txt\"/></platform>";

cases! {
    stuck_job_on_loggp: {"t": TRACE, "s": STUCK}
        "simulate t --network loggp -L 2500 -o 1500 -g 1000 -G 6 --speed 1e9 --job s"
        => FAILED "rank 0 waits at s:2:1";
    slip_in_a_cluster: {"t": TRACE, "c.toml": format!("{CLUSTER}sped = 1\n")}
        "simulate t --cluster c.toml" => FAILED "c.toml:8:1: " "did you mean \"speed\"?";
    absent_cluster: {"t": TRACE} "simulate t --cluster nowhere" => FAILED "nowhere";
    no_cluster: {"t": TRACE} "simulate t" => USAGE "--cluster";
    absent_placement: {"t": TRACE, "c": CLUSTER} "simulate t --cluster c --placement rnr"
        => FAILED "rnr" "rrn, rrp, random[:SEED]";
    host_that_is_not: {"t": TRACE, "c": CLUSTER, "h": "n0\n  n7\n"}
        "simulate t --cluster c --placement h" => FAILED "h:2:3: " "\"n7\"";
    too_few_places: {"t": TRACE, "c": CLUSTER, "h": "n0\n"} "simulate t --cluster c --placement h"
        => FAILED "h:1:1: " "slots for 1 ranks" "there are 2";
    slip_in_a_hostfile: {"t": TRACE, "c": CLUSTER, "h": "n0 slot=2\n"}
        "simulate t --cluster c --placement h" => FAILED "h:1:4: " "slots=4";
    seed_that_is_none: {"t": TRACE} "simulate t --cluster c --placement random:x"
        => USAGE "\"x\" is not a seed";
    job_without_a_trace: {"t": TRACE} "simulate t --cluster c --job ,rrn" => USAGE "--job"
        "name a trace";
    job_before_the_start: {"t": TRACE} "simulate t --cluster c --job t,start=-1" => USAGE "start"
        "0 or more";
    job_with_two_placements: {"t": TRACE} "simulate t --cluster c --job t,rrn,rrp"
        => USAGE "a second placement";
    stuck_job: {"t": TRACE, "s": STUCK, "c": CLUSTER} "simulate t --cluster c --job s"
        => FAILED "rank 0 waits at s:2:1 (recv 64b from 1 tag 0)" "rank 1 waits at s:3:1";
    stuck_jobs: {"s": STUCK, "z": STUCK, "c": CLUSTER} "simulate s --cluster c --job z,start=2"
        => FAILED "rank 1 waits at s:3:1" "rank 0 waits at z:2:1 (recv 64b from 1";
    stuck_on_pairs: {"s": STUCK} "simulate s --network lmo --parameters truth.json"
        => FAILED "rank 0 waits at s:2:1 (recv 64b from 1 tag 0)";
    stuck_on_loggp: {"s": STUCK} "simulate s --network loggp -L 2500 -o 1500 -g 1000 -G 6"
        => FAILED "rank 0 waits at s:2:1" "rank 1 waits at s:3:1";
    no_speed: {"t": "0 compute 9\n"} "simulate t --network lmo --parameters truth.json"
        => FAILED "t: the speed of its computations, in operations per second, is unknown; give --speed FLOPS";
    no_speed_for_loggp: {"t": "0 compute 9\n"}
        "simulate t --network loggp -L 2500 -o 1500 -g 1000 -G 6"
        => FAILED "t: the speed of its computations, in operations per second, is unknown; give --speed FLOPS";
    no_model: {"t": TRACE} "simulate t --network lmo" => USAGE "--parameters <MODEL>";
    model_without_it: {"t": TRACE} "simulate t --network hockney --parameters truth.json"
        => FAILED "truth.json" "hockney";
    more_ranks_than_processors: {"t": "0 barrier\n1 barrier\n2 barrier\n3 barrier\n4 barrier\n"}
        "simulate t --network lmo --parameters truth.json" => FAILED "5 ranks" "the model has 4";
    no_processor_left: {"t": TRACE, "u": "0 barrier\n1 barrier\n2 barrier\n"}
        "simulate t --network lmo --parameters truth.json --job u"
        => FAILED "u: each of the 3 ranks needs a processor"
        "2 of them free";
    crowded_host: {"t": TRACE, "h": "processor0\n"}
        "simulate t --network lmo --parameters truth.json --placement h" => FAILED "h:1:1: "
        "\"processor0\"";
    eager_on_pairs: {"t": TRACE} "simulate t --network lmo --parameters truth.json --eager 1K"
        => USAGE "--eager" "lmo";
    speed_of_a_cluster: {"t": TRACE, "c": CLUSTER} "simulate t --cluster c --speed 1e9"
        => USAGE "--speed";
    speed_below_0: {"t": TRACE} "simulate t --network loggp -L 2500 -o 1500 -g 1000 -G 6 --speed -1"
        => USAGE "above 0, such as 2e9";
    endless_gap: {"t": TRACE} "simulate t --network loggp -L 1 -o 1 -g 1 -G 1e300"
        => USAGE "from 0 to 1e15";
    files_alike: {"t": TRACE, "c": CLUSTER} "simulate t --cluster c --chrome x --report x"
        => USAGE "the same file";
    files_nowhere: {"t": STUCK, "c": CLUSTER} "simulate t --cluster c --chrome no/x"
        => FAILED "no/x: " "there is no folder no";
    overhead_on_flows: {"t": TRACE, "c": CLUSTER} "simulate t --cluster c -o 5" => USAGE "-o"
        "loggp";
    model_on_loggp: {"t": TRACE} "simulate t --network loggp --parameters truth.json"
        => FAILED "truth.json: there is no model loggp" "-L, -o, -g and -G";
    loggp_without_parameters: {"t": TRACE} "simulate t --network loggp -o 5 -g 5"
        => USAGE "--network loggp lacks -L, -G" "--parameters MODEL" "-L 2500 -o 1500 -g 1000 -G 6";
    setting_on_loggp: {"t": TRACE, "p.xml": SETTING}
        "simulate t --network loggp -L 1 -o 1 -g 1 -G 1 --cluster p.xml"
        => FAILED "p.xml:2:9: the setting network/latency-factor is for the networks simgrid-… and \
            not for loggp";
    overhead_on_loggp: {"t": TRACE, "p.xml": OVERHEAD}
        "simulate t --network loggp -L 1 -o 1 -g 1 -G 1 --cluster p.xml"
        => FAILED "p.xml: the overheads of hosts (fixed_delay, byte_delay, smpi/os, smpi/ois, \
            smpi/or) are for networks with flows and not for loggp";
    setting_on_pairs: {"t": TRACE, "p.xml": SETTING}
        "simulate t --network lmo --parameters truth.json --cluster p.xml"
        => FAILED "p.xml:2:9: the setting network/latency-factor is for the networks simgrid-… and \
            not for lmo";
    profile_in_a_choice: {"t": TRACE, "p.xml": PROFILE} "choose network t --cluster p.xml"
        => FAILED "p.xml:2:26: speed_file=\"load.txt\" is not supported";
    report_on_pairs: {"t": TRACE} "simulate t --network lmo --parameters truth.json --report x"
        => USAGE "--report" "lmo";
    chrome_on_loggp: {"t": TRACE} "simulate t --network loggp --chrome x" => USAGE "--chrome"
        "loggp";
    conflicts_on_loggp: {"t": TRACE} "simulate t --network loggp --conflicts" => USAGE "--conflicts"
        "loggp";
    places_on_loggp: {"t": TRACE} "simulate t --network loggp --job t,rrp" => USAGE "--cluster";
    graph_on_flows: {"g": GRAPH, "c": CLUSTER} "simulate g --cluster c" => FAILED "g: line 4: "
        "line 3" "the network loggp";
    measured_without_times: {"t": TRACE, "c": CLUSTER, "m": "task\n0\n"}
        "simulate t --cluster c --compare m" => FAILED "m:1:1: " "communicating or seconds";
    measured_of_others: {"t": TRACE, "c": CLUSTER, "m": "task,seconds\n0,1\n2,1\n"}
        "simulate t --cluster c --compare m" => FAILED "m:3:1: there is no task 2";
    compare_by_alone: {"t": TRACE} "simulate t --cluster c --compare-by seconds"
        => USAGE "--compare";
    seeds_backwards: {"t": TRACE} "choose network t --cluster c --placement random:9..2"
        => USAGE "random:9..2" "ends before it begins";
    choice_that_is_stuck: {"s": STUCK, "c": CLUSTER} "choose network s --cluster c --network maxmin"
        => FAILED "c with maxmin and rrn" "s:2:1";
}

/// The sweep gives the same on any number of threads.
#[test]
fn choices_do_not_depend_on_the_threads() -> Outcome {
    let folder = Folder::new()?;
    folder.write(
        "t",
        "0 compute 1e6\n0 send 1 0 80000\n1 recv 0 0 80000\n2 compute 5e6\n2 send 0 0 \
            9\n0 recv 2 0 9\n",
    )?;
    folder.write("u", TRACE)?;
    folder.write("c", CLUSTER)?;
    let run = |threads| {
        let choice = "choose network t u --cluster c --network maxmin,simgrid-lv08 --placement \
            rrn,rrp,random:1..6";
        folder.done(&format!("{choice} --format json --quiet --jobs {threads}"))
    };
    let one = run(1)?;
    assert!(one.matches("\"place\"").count() == 32, "{one}");
    for threads in [2, 5, 64] {
        assert_eq!(run(threads)?, one);
    }
    Ok(())
}
