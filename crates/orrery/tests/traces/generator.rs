//! Traces in GOAL whose finish times in LogGOPSim are known: `gen_goal.py` of the golden data, in
//! Rust.

use std::fmt::Write as _;

/// A periodic five-point stencil: each rank repeatedly exchanges with four neighbours and computes.
pub fn stencil(columns: u32, rows: u32, iterations: u32, bytes: u64, calculation: u64) -> String {
    let mut text = format!("num_ranks {}\n", columns * rows);
    for rank in 0..columns * rows {
        let (x, y) = (rank % columns, rank / columns);
        let west = (x + columns - 1) % columns + y * columns;
        let east = (x + 1) % columns + y * columns;
        let north = x + (y + rows - 1) % rows * columns;
        let south = x + (y + 1) % rows * columns;
        writeln!(text, "\nrank {rank} {{").unwrap();
        let (mut label, mut before) = (0, 0);
        for _ in 0..iterations {
            let begin = label + 1;
            for (word, to, peers) in [
                ("recv", "from", [(east, 0), (west, 1), (south, 2), (north, 3)]),
                ("send", "to", [(west, 0), (east, 1), (north, 2), (south, 3)]),
            ] {
                for (peer, tag) in peers {
                    label += 1;
                    writeln!(text, "l{label}: {word} {bytes}b {to} {peer} tag {tag}").unwrap();
                    if before > 0 {
                        writeln!(text, "l{label} requires l{before}").unwrap();
                    }
                }
            }
            let end = label;
            label += 1;
            writeln!(text, "l{label}: calc {calculation}").unwrap();
            (begin..=end).for_each(|other| writeln!(text, "l{label} requires l{other}").unwrap());
            before = label;
        }
        text.push_str("}\n");
    }
    text
}

/// Repeated disseminations, each followed by a computation.
pub fn dissemination(ranks: u32, repetitions: u32, bytes: u64, calculation: u64) -> String {
    let mut text = format!("num_ranks {ranks}\n");
    let rounds = u32::BITS - (ranks - 1).leading_zeros();
    for rank in 0..ranks {
        writeln!(text, "\nrank {rank} {{").unwrap();
        let (mut label, mut before) = (0, Vec::new());
        for _ in 0..repetitions {
            for round in 0..rounds {
                let (to, from) =
                    ((rank + (1 << round)) % ranks, (rank + ranks - (1 << round) % ranks) % ranks);
                for (word, peer) in [("send", format!("to {to}")), ("recv", format!("from {from}"))]
                {
                    label += 1;
                    writeln!(text, "l{label}: {word} {bytes}b {peer} tag {round}").unwrap();
                    before
                        .iter()
                        .for_each(|other| writeln!(text, "l{label} requires l{other}").unwrap());
                }
                before = vec![label - 1, label];
            }
            label += 1;
            writeln!(text, "l{label}: calc {calculation}").unwrap();
            before.iter().for_each(|other| writeln!(text, "l{label} requires l{other}").unwrap());
            before = vec![label];
        }
        text.push_str("}\n");
    }
    text
}
