//! Numbers without a unit or of another form: the message names the unit to write.

use crate::refused::cases;

const CLUSTER: &str = include_str!("../../../../examples/cluster.toml");
const TRACE: &str = include_str!("../../../../examples/ring.tit");
const LOAD: &str = include_str!("../../../../examples/load.csv");

cases! {
    bandwidth: {"t.tit": TRACE, "c.toml": CLUSTER.replace("125MBps", "125")}
        "simulate t.tit --cluster c.toml" => FAILED "c.toml:9:13: \"125\" has no unit; write a rate \
            above 0, such as \"125MBps\"";
    latency: {"t.tit": TRACE, "c.toml": CLUSTER.replace("50us", "50")}
        "simulate t.tit --cluster c.toml" => FAILED "c.toml:10:11: \"50\" has no unit; write a time \
            from 0 up, such as \"50us\"";
    speed: {"t.tit": TRACE, "c.toml": CLUSTER.replace("1Gf", "1e9")}
        "simulate t.tit --cluster c.toml" => FAILED "c.toml:6:9: \"1e9\" has no unit; write a speed";
    budget: {} "scaling advise r.json --cluster c.toml --n 9 --budget 2" => USAGE
        "invalid value '2' for '--budget <TIME>': the unit is missing; write 2s, 2m or 2h";
    deadline: {} "choose configuration m.json --cluster c.toml --n 9 --deadline 2" => USAGE
        "--deadline" "write 2s, 2m or 2h";
    horizon: {"l.csv": LOAD} "monitor forecast l.csv --horizon 2" => USAGE "--horizon"
        "write 2s, 2m or 2h";
    time_limit: {} "measure comm -o s.csv --time-limit 5" => USAGE "--time-limit"
        "write 5s, 5m or 5h";
    max_time: {} "measure comm -o s.csv --max-time 0.5" => USAGE "--max-time"
        "write 0.5s, 0.5m or 0.5h";
    unknown_unit_of_a_duration: {} "measure comm -o s.csv --max-time 5sec" => USAGE "--max-time"
        "such as 90s, 10m or 2h";
    negative_memory: {} "model show truth.json --max-memory -1G" => USAGE
        "invalid value '-1G' for '--max-memory': it must not be negative";
    negative_size: {} "predict p2p truth.json --size -4K" => USAGE
        "invalid value '-4K' for '--size': it must not be negative";
    name_for_a_rank: {} "predict p2p truth.json --from n1" => USAGE
        "invalid value 'n1' for '--from <RANK>': write a whole number, such as 4";
    semicolons: {"s.csv": "experiment;i;j;size;seconds\nroundtrip;0;1;1024;1,9e-5\n"}
        "fit s.csv -o m.json" => FAILED "s.csv:1:1: columns are separated by semicolons here; separate \
            them by commas";
}
