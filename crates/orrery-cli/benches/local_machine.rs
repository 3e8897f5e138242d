//! The local machine against bare sockets: what do its headers, its matching and its timers cost?
//!
//! The rival is the least that two processes can do: one connection with `TCP_NODELAY`, sends that
//! write, receives that poll, each process on a core of its own as our workers are. Its peer is
//! this program again. Rounds of both are interleaved, in turn the one and the other first. Each
//! round is represented by its median, each start of both by the median of its rounds' ratios, and
//! the whole by the median of the starts with its 95 % interval from order statistics.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::time::Instant;

use orrery::machine::local::{LocalMachine, Options};
use orrery::machine::{Batch, Machine};
use orrery::platform::Placement;
use orrery::schedule::{Program, RoundTrip};
use orrery::units::{Bytes, Seconds};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use socket2::{Domain, Socket, Type};

/// Makes this program the rival's process 0 (`measure`) or 1 (`answer`).
const ROLE: &str = "ORRERY_BENCH_ROLE";

fn main() -> ExitCode {
    let done = match std::env::var(ROLE) {
        Ok(role) => serve(&role),
        Err(_) => compare(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

struct Case {
    what: &'static str,
    size: usize,
    repetitions: u32,
    rounds: usize,
    /// The largest ratio of times that is allowed.
    bar: f64,
}

const CASES: [Case; 2] = [
    Case { what: "round trip, 1 byte", size: 1, repetitions: 500, rounds: 21, bar: 1.2 },
    Case { what: "bandwidth, 1 MiB", size: 1 << 20, repetitions: 50, rounds: 21, bar: 1.0 / 0.9 },
];

/// The number of starts of both, because a ratio varies more between starts than within one.
const STARTS: usize = 15;

fn compare() -> Result<(), Box<dyn Error>> {
    let cores = cores();
    if cores.len() < 2 {
        println!("two cores are needed, this process has {}", cores.len());
        return Ok(());
    }
    let mut found: [[Vec<f64>; 3]; 2] = Default::default();
    for start in 0..STARTS {
        let program = Some(PathBuf::from(env!("CARGO_BIN_EXE_orrery")));
        let mut ours = LocalMachine::start(&Options { workers: 2, program, ..Options::default() })?;
        let mut bare = Bare::start()?;
        if start == 0 {
            let provenance = ours.provenance();
            println!(
                "{}",
                ["transport", "binding", "polling"]
                    .map(|key| provenance.get(key).unwrap_or("?"))
                    .join("; ")
            );
        }
        for (case, found) in CASES.iter().zip(&mut found) {
            let medians = interleave(case, &mut ours, &mut bare)?;
            found.iter_mut().zip(medians).for_each(|(all, one)| all.push(one));
        }
    }
    println!(
        "{:<20} {:>12} {:>12} {:>7} {:>17} {:>7}",
        "what", "ours", "bare", "ratio", "95 % interval", "bar"
    );
    for (case, [a, b, ratios]) in CASES.iter().zip(&mut found) {
        report(case, median(a), median(b), ratios);
    }
    Ok(())
}

/// The medians over the rounds of our time, the bare time and their ratio.
fn interleave(
    case: &Case,
    ours: &mut LocalMachine,
    bare: &mut Bare,
) -> Result<[f64; 3], Box<dyn Error>> {
    let (mut a, mut b, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..case.rounds {
        let (x, y) = if round % 2 == 0 {
            let x = measure_ours(ours, case)?;
            (x, bare.measure(case)?)
        } else {
            let y = bare.measure(case)?;
            (measure_ours(ours, case)?, y)
        };
        a.push(x);
        b.push(y);
        ratios.push(x / y);
    }
    Ok([median(&mut a), median(&mut b), median(&mut ratios)])
}

fn report(case: &Case, ours: f64, bare: f64, ratios: &mut [f64]) {
    let ratio = median(ratios);
    let (low, high) = interval(ratios);
    let verdict = if ratio <= case.bar { "ok" } else { "MISSED" };
    let line =
        |what: &str, ours: String, bare: String, ratio: f64, low: f64, high: f64, bar: String| {
            let interval = format!("{low:.3} – {high:.3}");
            println!(
                "{what:<20} {ours:>12} {bare:>12} {ratio:>7.3} {interval:>17} {bar:>7} {verdict}"
            );
        };
    if case.size == 1 {
        let time = |seconds| Seconds::new(seconds).to_string();
        line(case.what, time(ours), time(bare), ratio, low, high, format!("≤ {:.2}", case.bar));
    } else {
        let rate = |seconds| (Bytes::new(2 * case.size as u64) / Seconds::new(seconds)).to_string();
        let bar = format!("≥ {:.2}", 1.0 / case.bar);
        line(case.what, rate(ours), rate(bare), 1.0 / ratio, 1.0 / high, 1.0 / low, bar);
    }
}

fn cores() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..1024).filter(|&core| set.is_set(core)).collect()
}

fn measure_ours(machine: &mut LocalMachine, case: &Case) -> Result<f64, Box<dyn Error>> {
    let size = Bytes::new(case.size as u64);
    let program = Program::RoundTrip(RoundTrip { out: size, back: size });
    let (reading, placement) = (program.reading(), Placement::identity(2));
    let batch = Batch {
        program,
        placement,
        reading,
        warm_up: 10,
        first_repetition: 0,
        repetitions: case.repetitions,
    };
    let mut seconds: Vec<f64> = machine.run(&batch)?.into_iter().map(Seconds::get).collect();
    Ok(median(&mut seconds))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The 95 % interval of the median of sorted values: the order statistics (n ± 1.96 √n) / 2.
fn interval(sorted: &[f64]) -> (f64, f64) {
    let n = sorted.len() as f64;
    let half = 0.98 * n.sqrt();
    let low = (n / 2.0 - half).floor().max(0.0) as usize;
    let high = ((n / 2.0 + half).ceil() as usize).min(sorted.len() - 1);
    (sorted[low], sorted[high])
}

/// The two bare processes; this process sends them commands and sleeps, like the parent of a
/// machine.
struct Bare {
    first: TcpStream,
    children: Vec<Child>,
}

impl Bare {
    fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?.to_string();
        let program = std::env::current_exe()?;
        let child =
            |role: &str| Command::new(&program).env(ROLE, format!("{role} {address}")).spawn();
        let mut children = vec![child("measure")?];
        let (first, _) = listener.accept()?;
        let mut port = [0; 2];
        (&first).read_exact(&mut port)?;
        let peer = (Ipv4Addr::LOCALHOST, u16::from_le_bytes(port));
        children.push(
            Command::new(&program).env(ROLE, format!("answer {}:{}", peer.0, peer.1)).spawn()?,
        );
        Ok(Self { first, children })
    }

    fn measure(&mut self, case: &Case) -> io::Result<f64> {
        let order = [case.size as u64, case.repetitions as u64];
        self.first.write_all(&order.map(u64::to_le_bytes).concat())?;
        let mut answer = [0; 8];
        self.first.read_exact(&mut answer)?;
        Ok(f64::from_le_bytes(answer))
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn serve(role: &str) -> Result<(), Box<dyn Error>> {
    let (role, address) = role.split_once(' ').ok_or("no role")?;
    let mut set = CpuSet::new();
    set.set(cores()[usize::from(role == "answer")]);
    sched_setaffinity(None, &set)?;
    if role == "answer" {
        let peer = socket()?;
        peer.connect(&address.parse::<SocketAddr>()?.into())?;
        return answer(&prepare(peer.into())?);
    }
    let mut other = TcpStream::connect(address)?;
    let listener = socket()?;
    listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
    listener.listen(1)?;
    let listener = TcpListener::from(listener);
    other.write_all(&listener.local_addr()?.port().to_le_bytes())?;
    let peer = prepare(listener.accept()?.0)?;
    let mut memory = vec![1; 1 << 20];
    let mut order = [0; 16];
    while other.read_exact(&mut order).is_ok() {
        let (size, repetitions) = order.split_at(8);
        let size = u64::from_le_bytes(size.try_into()?) as usize;
        let repetitions = u64::from_le_bytes(repetitions.try_into()?) as usize;
        let mut times = Vec::with_capacity(repetitions);
        send(&peer, &order)?;
        for repetition in 0..repetitions + 10 {
            let begin = Instant::now();
            send(&peer, &memory[..size])?;
            receive(&peer, &mut memory[..size])?;
            if repetition >= 10 {
                times.push(begin.elapsed().as_secs_f64());
            }
        }
        other.write_all(&median(&mut times).to_le_bytes())?;
    }
    Ok(())
}

/// Sends back what comes in; between the rounds it sleeps, as a worker does.
fn answer(peer: &TcpStream) -> Result<(), Box<dyn Error>> {
    let mut memory = vec![1; 1 << 20];
    let mut order = [0; 16];
    loop {
        peer.set_nonblocking(false)?;
        if (&*peer).read_exact(&mut order).is_err() {
            return Ok(());
        }
        peer.set_nonblocking(true)?;
        let (size, repetitions) = order.split_at(8);
        let size = u64::from_le_bytes(size.try_into()?) as usize;
        let repetitions = u64::from_le_bytes(repetitions.try_into()?) as usize;
        for _ in 0..repetitions + 10 {
            receive(peer, &mut memory[..size])?;
            send(peer, &memory[..size])?;
        }
    }
}

/// As our workers have it: no BBR from the beginning.
fn socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    if socket.tcp_congestion()?.starts_with(b"bbr") {
        socket.set_tcp_congestion(b"cubic")?;
    }
    Ok(socket)
}

fn prepare(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

fn send(mut stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn receive(mut stream: &TcpStream, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.read(bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes = &mut bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
