//! The times of the phases of a run, which HPL prints when it was built with `HPL_DETAILED_TIMING`.

use super::super::Fault;
use crate::run::KindTimes;
use crate::units::Seconds;

/// The phases; those that are not printed take no time. Each is the maximum over the processes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Phases {
    /// Whether a line was read.
    any: bool,
    /// Factorisation of panels, the exchange of rows in it among it.
    rfact: f64,
    mxswp: f64,
    /// Update of the trailing matrix, its exchange of rows among it.
    update: f64,
    laswp: f64,
    /// Solution of the triangular system.
    uptrsv: f64,
    /// Broadcast of panels, where it is timed.
    pub(super) broadcast: Option<f64>,
}

impl Phases {
    /// Takes a line such as `+ Max aggregated wall time mxswp . . :  0.28`; any other is passed over. An error comes with
    /// its byte in the line and wants to know the run.
    pub(super) fn take(&mut self, line: &str) -> Result<(), (usize, impl FnOnce(String) -> Fault + use<>)> {
        let rest = line.trim_start_matches(['+', ' ', '\t']);
        let Some(rest) = rest.strip_prefix("Max aggregated wall time ") else { return Ok(()) };
        let (name, value) = rest.split_once(':').unwrap_or((rest, ""));
        let name = name.trim_end_matches([' ', '.']).to_owned();
        let found = value.trim().to_owned();
        let seconds = found.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        let Some(seconds) = seconds else {
            let expected = "a time in seconds, finite and not negative";
            let at = line.len() - value.trim_start().len();
            return Err((at, move |run| Fault::Value { run, column: name, found, expected }));
        };
        match name.as_str() {
            "rfact" => self.rfact = seconds,
            "mxswp" => self.mxswp = seconds,
            "update" => self.update = seconds,
            "laswp" => self.laswp = seconds,
            "up tr sv" => self.uptrsv = seconds,
            "bcast" => self.broadcast = Some(seconds),
            _ => return Ok(()),
        }
        self.any = true;
        Ok(())
    }

    /// What a kind of processing elements spent its time with; nothing where no phase was printed, an error where one of
    /// them is longer than the one that it is part of.
    ///
    /// Ta = (rfact − mxswp) + (update − laswp) + uptrsv, Tc = mxswp + laswp + bcast (Kishimoto and Ichikawa 2004).
    pub(super) fn part(&self, kind: String) -> Result<Option<KindTimes>, ()> {
        if !self.any {
            return Ok(None);
        }
        if self.mxswp > self.rfact || self.laswp > self.update {
            return Err(());
        }
        let computation = (self.rfact - self.mxswp) + (self.update - self.laswp) + self.uptrsv;
        let communication = self.mxswp + self.laswp + self.broadcast.unwrap_or(0.0);
        Ok(Some(KindTimes {
            kind,
            computation: to_nanoseconds(computation),
            communication: to_nanoseconds(communication),
        }))
    }
}

/// Phases are printed with two digits behind the point: a sum of them is 37.38 s and not 37.379999999999995 s.
fn to_nanoseconds(seconds: f64) -> Seconds {
    Seconds::new((seconds * 1e9).round() / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_make_computation_and_communication() {
        let mut phases = Phases::default();
        assert_eq!(phases.part("a".into()), Ok(None));
        for line in [
            "Max aggregated wall time rfact . . . :               3.50",
            "+ Max aggregated wall time pfact . . :               2.67",
            "+ Max aggregated wall time mxswp . . :               2.50",
            "Max aggregated wall time update  . . :             533.50",
            "+ Max aggregated wall time laswp . . :              56.75",
            "Max aggregated wall time up tr sv  . :               0.25",
            "HPL_pdgesv() start time Tue Aug 22 00:24:39 2023",
        ] {
            assert!(phases.take(line).is_ok());
        }
        let part = |phases: &Phases| phases.part(String::new()).unwrap().unwrap();
        assert_eq!(part(&phases).computation, Seconds::new(1.0 + 476.75 + 0.25));
        assert_eq!(part(&phases).communication, Seconds::new(59.25));
        assert!(phases.take("+ Max aggregated wall time bcast . . :  1.75").is_ok());
        assert_eq!(part(&phases).communication, Seconds::new(61.0));
        assert!(phases.take("Max aggregated wall time rfact . . . :  XXXX.XX").is_err_and(|(at, _)| at == 40));
        assert!(phases.take("Max aggregated wall time rfact . . . :  1.00").is_ok());
        assert_eq!(phases.part(String::new()), Err(()));
    }
}
