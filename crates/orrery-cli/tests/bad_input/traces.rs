use crate::refused::cases;

const CLUSTER: &str = r#"<platform version="4.1">
  <cluster id="c" prefix="n-" suffix="" radical="0-1" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>"#;

/// A loop of five probes with 2³² − 1 iterations.
const ENDLESS: &[u8] = b"\x89\x4f\x52\x54\x0d\x0a\x1a\x0a\x01\x01\x00\x00\x10\xe3\x46\x80\
    \x60\x00\x01\xff\xff\xff\xff\x0f\x01\x05\x0e\x00\x00\x7b\xc8\x58\x57";

/// The same, damaged.
const DAMAGED: &[u8] = b"\x89ORT\r\n\x1a\n\x01\x01\x00\x00\x10AAAA";

cases! {
    unmatched_send: {"c.xml": CLUSTER, "t.tit": "0 init\n0 compute 5\n0 send 1 0 5\n1 init\n"}
        "simulate t.tit --platform c.xml"
        => FAILED "t.tit:3:1: rank 0 sends a message to rank 1 that no receive of rank 1 matches";
    unmatched_large_send: {"c.xml": CLUSTER, "t.tit": "0 init\n0 send 1 0 5e6\n1 init\n"}
        "simulate t.tit --platform c.xml"
        => FAILED "deadlock: rank 0 waits at t.tit:2:1 (send 5000000b to 1 tag 0)";
    index_of_missing_files: {"c.xml": CLUSTER, "i": "# ranks\nr0\nr1\n", "r0": "0 init\n"}
        "simulate i --platform c.xml" => FAILED "i:3:1: cannot read r1: ";
    no_trace: {"c.toml": "# none\n[[hosts]]\n", "c.xml": CLUSTER} "simulate c.toml --platform c.xml"
        => FAILED "c.toml: this is a cluster file; give a trace, with lines such as 0 compute 1e6"
        "this one is for \"orrery simulate TRACE --cluster c.toml\"";
    no_file_of_an_index: {"i": "# none\nr0.tit\n", "c.xml": CLUSTER} "simulate i --platform c.xml"
        => FAILED "i:2:1: cannot read r0.tit: " "a trace has lines such as \"0 compute 1e6\"";
    no_text: {"t": b"\0\x01", "c.xml": CLUSTER} "simulate t --platform c.xml" => FAILED "t:1:1: "
        "not text";
    goal_without_ranks: {"g": "// none\nnum_ranks 0\n", "c.xml": CLUSTER}
        "simulate g --platform c.xml" => FAILED "g: num_ranks is 0";
    too_many_actions: {"t.tit": "0 compute 5\n0 compute 6\n", "c.xml": CLUSTER}
        "simulate t.tit --platform c.xml --max-actions 1" => FAILED "t.tit: " "takes 2 operations"
        "its budget is 1, which rank 0 exceeds at its action 1 (t.tit:2:1)" "--max-operations 2";
    endless_sleep: {"t.tit": "0 sleep 1e308\n0 sleep 1e308\n", "c.xml": CLUSTER}
        "simulate t.tit --platform c.xml" => FAILED "t.tit:2:1: "
        "a duration of 1e308 s ends at no finite time";
    endless_computation: {"t.tit": "0 compute 1e30\n"} "trace convert t.tit t.goal"
        => FAILED "computation 1 of rank 0 takes 1e21 s, but GOAL represents at most 1.8e10 s";
    slow_rank: {"t.tit": "0 compute 1000\n"} "trace convert t.tit t.goal --speed 1e-300"
        => FAILED "t.tit: computation 1 of rank 0 takes" "give a higher speed";
    endless_graph: {"t.tit": "0 compute 1e30\n"}
        "simulate t.tit --network loggp -L 1 -o 1 -g 1 -G 1 --speed 1e9" => FAILED "t.tit: "
        "computation 1 of rank 0 takes 1e21 s, but GOAL represents at most 1.8e10 s";
    short_receive: {"t.tit": "0 send 1 0 50\n1 compute 1\n1 recv 0 0 49\n", "c.xml": CLUSTER}
        "simulate t.tit --platform c.xml" => FAILED "t.tit:3:1: rank 1 receives at most 392 bytes \
            here, but rank 0 sends 400; correct one of the sizes";
    short_receive_on_loggp: {"t.tit": "0 send 1 0 50\n1 compute 1\n1 recv 0 0 49\n"}
        "simulate t.tit --network loggp -L 2500 -o 1500 -g 1000 -G 6 --speed 1e9"
        => FAILED "t.tit:3:1: rank 1 receives at most 392 bytes here, but rank 0 sends 400; correct \
            one of the sizes";
    long_receive_of_a_broadcast: {"t.tit": "0 bcast 50 0\n1 bcast 51 0\n", "c.xml": CLUSTER}
        "simulate t.tit --platform c.xml" => FAILED "t.tit:2:1: rank 1 receives 408 bytes here, but \
            rank 0 sends 400; correct one of the sizes";
    long_receive_of_a_broadcast_on_loggp: {"t.tit": "0 bcast 50 0\n1 bcast 51 0\n"}
        "simulate t.tit --network loggp -L 2500 -o 1500 -g 1000 -G 6"
        => FAILED "t.tit:2:1: rank 1 receives 408 bytes here, but rank 0 sends 400; correct one of \
            the sizes";
    short_receive_of_a_broadcast: {"t.tit": "0 bcast 50 0\n1 bcast 49 0\n", "c.xml": CLUSTER}
        "simulate t.tit --platform c.xml" => FAILED "t.tit:2:1: rank 1 receives at most "
        "but rank 0 sends ";
    too_many_to_write: {"t.tit": "0 compute 5\n0 compute 6\n"}
        "trace convert t.tit t.goal --max-actions 1e0" => FAILED "(t.tit:2:1)" "--max-operations 2";
    invalid_limit: {"t.tit": "0 compute 5\n"} "trace convert t.tit t.goal --max-actions -1"
        => USAGE "5000 or 1e9";
    index_of_itself: {"c.xml": CLUSTER, "i": "r0\ni\n", "r0": "0 init\n"}
        "simulate i --platform c.xml" => FAILED "i:2:1: the index names itself";
    endless: {"t.orrt": ENDLESS} "trace profile t.orrt"
        => FAILED "t.orrt: byte 28: the rank has 21474836475 actions with repetitions";
    damaged_binary: {"t.orrt": DAMAGED} "trace profile t.orrt"
        => FAILED "t.orrt: byte 13: the checksum of the header";
    truncated_binary: {"t.orrt": b"\x89ORT\r\n\x1a\n\x01\x05"} "trace profile t.orrt"
        => FAILED "t.orrt: byte 10: a number of files below 2^32 is missing: the file is truncated";
    binary_altered_by_text_mode: {"t.orrt": b"\x89ORT\n\x1a\n\x01\x05"} "trace profile t.orrt"
        => FAILED "t.orrt: byte 0: ";
    later_version: {"t.orrt": b"\x89ORT\r\n\x1a\n\x02\x05"} "trace profile t.orrt"
        => FAILED "t.orrt: byte 8: this is version 2 of the format";
    unknown_name: {"t.tit": "0 init\n"} "trace convert t.tit t.xyz" => USAGE "t.xyz: " "--format";
    absent_trace: {} "trace profile nowhere.tit" => FAILED "nowhere.tit: cannot read the trace";
}
