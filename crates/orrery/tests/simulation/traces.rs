//! Traces of a halo exchange and of a pipeline, as text: those of `testdata/simgrid/gen_tit.py`.

use std::fmt::Write as _;

/// A periodic halo exchange on a grid of `columns` × `rows` ranks.
pub struct Stencil {
    pub columns: usize,
    pub rows: usize,
    pub iterations: usize,
    /// How uneven the computation is, in thousandths.
    pub uneven: u32,
}

/// Messages down a chain of ranks, received and sent on one by one.
pub struct Ring {
    pub ranks: usize,
    pub messages: usize,
}

const HALO: usize = 65_536;
const BLOCK: usize = 4_194_304;
const FLOPS: f64 = 1e6;

/// The trace of each rank.
pub fn stencil(stencil: &Stencil) -> Vec<String> {
    let (px, py) = (stencil.columns, stencil.rows);
    let trace = |rank: usize| {
        let (x, y) = (rank % px, rank / px);
        let (west, east) = ((x + px - 1) % px + y * px, (x + 1) % px + y * px);
        let (north, south) = (x + ((y + py - 1) % py) * px, x + ((y + 1) % py) * px);
        let mut text = head(rank);
        for iteration in 0..stencil.iterations {
            for (tag, from) in [east, west, south, north].into_iter().enumerate() {
                line(&mut text, rank, &format!("irecv {from} {tag} {HALO} 6"));
            }
            for (tag, to) in [west, east, north, south].into_iter().enumerate() {
                line(&mut text, rank, &format!("isend {to} {tag} {HALO} 6"));
            }
            line(&mut text, rank, "waitall 8");
            let h = ((rank * 7919 + iteration * 104_729) % 1009) as f64 / 1009.0;
            let flops = (FLOPS * (1.0 + f64::from(stencil.uneven) / 1000.0 * h)) as u64;
            line(&mut text, rank, &format!("compute {flops}"));
        }
        line(&mut text, rank, "finalize");
        text
    };
    (0..px * py).map(trace).collect()
}

/// The trace of each rank.
pub fn ring(ring: &Ring) -> Vec<String> {
    let trace = |rank: usize| {
        let mut text = head(rank);
        for _ in 0..ring.messages {
            if rank > 0 {
                line(&mut text, rank, &format!("recv {} 0 {BLOCK} 6", rank - 1));
            }
            if rank + 1 < ring.ranks {
                line(&mut text, rank, &format!("send {} 0 {BLOCK} 6", rank + 1));
            }
        }
        line(&mut text, rank, "finalize");
        text
    };
    (0..ring.ranks).map(trace).collect()
}

fn head(rank: usize) -> String {
    format!("# version: 1.0\n{rank} init\n")
}

fn line(text: &mut String, rank: usize, action: &str) {
    writeln!(text, "{rank} {action}").expect("writing to a string does not fail");
}

/// The traces of the golden times, by name.
pub fn named(name: &str) -> Vec<String> {
    let even = Stencil { columns: 8, rows: 8, iterations: 200, uneven: 0 };
    let large = Stencil { columns: 32, rows: 32, iterations: 20, uneven: 0 };
    match name {
        "stencil64" => stencil(&even),
        "stencil64_imb" => stencil(&Stencil { uneven: 200, ..even }),
        "ring64" => ring(&Ring { ranks: 64, messages: 1000 }),
        "stencil1024" => stencil(&large),
        "stencil1024_imb" => stencil(&Stencil { uneven: 200, ..large }),
        _ => panic!("no trace is called {name}"),
    }
}

/// SimGrid's crossbar cluster for this number of ranks.
pub fn cluster(ranks: usize) -> String {
    format!(
        r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{}" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
"#,
        ranks - 1
    )
}
