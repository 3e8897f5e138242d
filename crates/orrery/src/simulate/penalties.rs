use crate::platform::HostId;

/// How messages of InfiniBand hold each other up: the bound of each is its own divided by its penalty.
///
/// For a message c from s to e, with Δs(s) messages leaving s, Δe(e) arriving at e, Φ(e) hosts sending to e and Ω(s, e)
/// messages from s to e: p_s(c) = 1 if Δs = 1, else Δs·β_s, times γ if Δe ≥ 3; p_e(c) = 1 if Δe = 1, else Φ·β_e·Ω;
/// p(c) = max(max over all c' leaving s of p_s(c'), p_e(c)). Messages within a host do not count. The numbers are SimGrid's.
///
/// When a message ends, SimGrid looks at the hosts that other messages still join to its sender, and leaves the penalties of
/// all others as they were. Here penalties are always those of the messages that there are; in an uneven halo exchange
/// that is 4·10⁻⁶ of the time.
///
/// Source: J. Vienne, *Prédiction de performances d'applications de calcul haute performance sur réseau InfiniBand*,
/// thesis, Grenoble, 2010.
#[derive(Debug)]
pub(super) struct Penalties {
    /// For each host the messages that leave it.
    leaving: Vec<Vec<Message>>,
    /// For each host those that send to it, with how many messages.
    senders: Vec<Vec<(HostId, u32)>>,
    /// Messages with the bound that they now have.
    changed: Vec<(usize, f64)>,
}

#[derive(Debug, Clone, Copy)]
struct Message {
    number: usize,
    to: HostId,
    bound: f64,
}

const BETA_IN: f64 = 0.965;
const BETA_OUT: f64 = 0.925;
const GAMMA: f64 = 1.35;

impl Penalties {
    pub(super) fn new(hosts: usize) -> Self {
        Self { leaving: vec![Vec::new(); hosts], senders: vec![Vec::new(); hosts], changed: Vec::new() }
    }

    /// A message starts; gives the bounds of all that may have another one now.
    pub(super) fn start(&mut self, number: usize, from: HostId, to: HostId, bound: f64) -> &[(usize, f64)] {
        self.changed.clear();
        if from != to {
            self.leaving[from.index()].push(Message { number, to, bound });
            let senders = &mut self.senders[to.index()];
            match senders.iter_mut().find(|(sender, _)| *sender == from) {
                Some((_, count)) => *count += 1,
                None => senders.push((from, 1)),
            }
            self.find(from, to);
        }
        &self.changed
    }

    /// A message has ended; gives the bounds of all that may have another one now.
    pub(super) fn stop(&mut self, number: usize, from: HostId, to: HostId) -> &[(usize, f64)] {
        self.changed.clear();
        if from != to {
            self.leaving[from.index()].retain(|message| message.number != number);
            let senders = &mut self.senders[to.index()];
            senders.iter_mut().filter(|(sender, _)| *sender == from).for_each(|(_, count)| *count -= 1);
            senders.retain(|(_, count)| *count > 0);
            self.find(from, to);
        }
        &self.changed
    }

    /// Finds the bounds of the messages that leave `from`, and of those that leave a host that sends to `to`.
    fn find(&mut self, from: HostId, to: HostId) {
        let others = self.senders[to.index()].iter().map(|(sender, _)| *sender).filter(|sender| *sender != from);
        let hosts: Vec<HostId> = [from].into_iter().chain(others).collect();
        for host in hosts {
            let leaving = &self.leaving[host.index()];
            let arriving = |to: HostId| self.senders[to.index()].iter().map(|(_, count)| count).sum::<u32>();
            let out = leaving.len() as f64;
            let at_sender = leaving.iter().map(|message| match arriving(message.to) {
                _ if leaving.len() == 1 => 1.0,
                0..3 => out * BETA_OUT,
                3.. => out * BETA_OUT * GAMMA,
            });
            let at_sender = at_sender.fold(1.0, f64::max);
            for message in leaving {
                let senders = &self.senders[message.to.index()];
                let same = senders.iter().find(|(sender, _)| *sender == host).map_or(0, |(_, count)| *count);
                let is_alone = arriving(message.to) == 1;
                let at_receiver = if is_alone { 1.0 } else { senders.len() as f64 * BETA_IN * f64::from(same) };
                self.changed.push((message.number, message.bound / at_sender.max(at_receiver)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Penalties of SimGrid's model for schemes of concurrent messages.
    #[test]
    fn schemes_have_their_penalties() {
        type Scheme<'a> = (&'a [(u32, u32)], &'a [f64]);
        let schemes: [Scheme<'_>; 8] = [
            (&[(0, 1), (0, 2)], &[1.85, 1.85]),
            (&[(0, 1), (0, 2), (0, 3)], &[2.775; 3]),
            (&[(1, 0), (2, 0)], &[1.93; 2]),
            (&[(1, 0), (2, 0), (3, 0)], &[2.895; 3]),
            (&[(0, 1), (0, 2), (3, 1), (4, 1)], &[2.895, 2.4975, 2.895, 2.895]),
            (&[(0, 1), (0, 1)], &[1.93, 1.93]),
            (&[(0, 1), (0, 2), (1, 0)], &[1.85, 1.85, 1.0]),
            (&[(0, 1), (0, 2), (3, 1)], &[1.93, 1.85, 1.93]),
        ];
        for (scheme, expected) in schemes {
            let mut penalties = Penalties::new(5);
            let mut found = vec![0.0; scheme.len() + 1];
            let mut note = |changed: &[(usize, f64)]| changed.iter().for_each(|(k, bound)| found[*k] = 1.0 / bound);
            for (k, &(from, to)) in scheme.iter().enumerate() {
                note(penalties.start(k, HostId(from), HostId(to), 1.0));
            }
            // One more comes and goes, one stays within its host.
            note(penalties.start(scheme.len(), HostId(3), HostId(1), 1.0));
            note(penalties.stop(scheme.len(), HostId(3), HostId(1)));
            note(penalties.start(scheme.len(), HostId(0), HostId(0), 1.0));
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{scheme:?}: {found} is not {expected}");
            }
        }
    }

    /// The bounds that change step by step are those of the law, which looks at all messages at once.
    #[test]
    fn step_by_step_is_the_law_of_sharing() {
        use crate::sharing::{Infiniband, Sharing, Transfer};
        let law = Infiniband::new(BETA_OUT, BETA_IN, GAMMA).unwrap();
        let mut state = 1_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..300 {
            let count = 1 + next(10) as usize;
            let ends: Vec<(u32, u32)> = (0..count).map(|_| (next(6), next(6))).collect();
            let mut penalties = Penalties::new(6);
            let mut bounds = vec![1.0; count];
            for (number, &(from, to)) in ends.iter().enumerate() {
                for &(changed, bound) in penalties.start(number, HostId(from), HostId(to), 1.0) {
                    bounds[changed] = bound;
                }
            }
            let transfers: Vec<Transfer> = ends.iter().map(|&(from, to)| Transfer::between(from, to)).collect();
            for (bound, penalty) in bounds.iter().zip(law.penalties(&transfers).unwrap()) {
                assert!((1.0 / bound - penalty).abs() < 1e-9, "{ends:?}: {} is not {penalty}", 1.0 / bound);
            }
        }
    }
}
