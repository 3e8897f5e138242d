//! Times taken in turn, so that what else the machine does meets all of them alike.

/// How many rounds there are.
const ROUNDS: usize = 15;

/// The times that each of some tasks tells of itself, by task and round; every other round goes
/// backwards.
pub fn in_turn(tasks: &[&dyn Fn() -> f64]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); tasks.len()];
    for round in 0..ROUNDS {
        for place in 0..tasks.len() {
            let task = if round % 2 == 0 { place } else { tasks.len() - 1 - place };
            times[task].push(tasks[task]());
        }
    }
    times
}

/// The quartiles of some numbers.
pub fn quartiles(mut numbers: Vec<f64>) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| numbers[quarter * numbers.len() / 4])
}

/// The largest time of a penalty law as a part of the time of max-min sharing.
const MAX_PART: f64 = 1.3;

/// Times as parts of the times of max-min sharing, round by round: `median [quartiles]  verdict`.
pub fn parts(times: &[f64], of: &[f64]) -> String {
    let [low, middle, high] = quartiles(times.iter().zip(of).map(|(time, of)| time / of).collect());
    let verdict = if middle <= MAX_PART { "ok" } else { "MISSED" };
    format!("{middle:.2} [{low:.2}, {high:.2}] of maxmin  {verdict}")
}
