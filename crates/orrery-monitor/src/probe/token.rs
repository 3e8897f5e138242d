//! The token of a clique: who holds it may probe.

use std::time::Duration;

/// What identifies a token: those with a later epoch replace others, then those with a later
/// sequence number. Both numbers wrap around, so that after each token there is a later one: a
/// number is later than those up to half of all numbers before it (RFC 1982).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Token {
    /// Counts the tokens that were made; 1 for the first.
    pub epoch: u64,
    /// Counts the times that the token was passed on.
    pub sequence: u64,
}

impl Token {
    /// Returns true if this token is later than another one.
    fn is_after(self, other: Self) -> bool {
        let (number, other) = if self.epoch == other.epoch {
            (self.sequence, other.sequence)
        } else {
            (self.epoch, other.epoch)
        };
        match number.wrapping_sub(other) {
            HALF => number > other,
            ahead => ahead != 0 && ahead < HALF,
        }
    }
}

/// Half of all numbers.
const HALF: u64 = 1 << 63;

/// What a member of a clique knows about the token.
///
/// A member that holds the token probes its peers and passes it on with the next sequence number. A
/// member accepts a token that is greater than all it has seen, so that of two tokens one remains:
/// the smaller is refused where the greater has passed. A member that sees no token for a time
/// makes a new one with the next epoch.
#[derive(Debug)]
pub struct TokenState {
    seen: Token,
    is_held: bool,
    /// A token is lost at this time.
    deadline: Duration,
    timeout: Duration,
}

impl TokenState {
    /// The state at the start: the first token is made after `first`, a lost one replaced after
    /// `timeout`.
    pub fn new(now: Duration, first: Duration, timeout: Duration) -> Self {
        Self { seen: Token::default(), is_held: false, deadline: now + first, timeout }
    }

    /// Returns true if this member holds the token.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Takes the token that a peer passes on.
    ///
    /// # Errors
    ///
    /// Returns the greatest token that was seen, if the passed one is not greater.
    pub fn accept(&mut self, token: Token, now: Duration) -> Result<(), Token> {
        if !token.is_after(self.seen) {
            return Err(self.seen);
        }
        self.seen = token;
        self.is_held = true;
        self.deadline = now + self.timeout;
        Ok(())
    }

    /// The token to pass on; `None` without one.
    pub fn next(&self) -> Option<Token> {
        let Token { epoch, sequence } = self.seen;
        self.is_held.then_some(Token { epoch, sequence: sequence.wrapping_add(1) })
    }

    /// A peer took the token. If another one was accepted in the meantime, that one is kept.
    pub fn passed(&mut self, token: Token, now: Duration) {
        if token.is_after(self.seen) {
            self.seen = token;
            self.is_held = false;
            self.deadline = now + self.timeout;
        }
    }

    /// A peer has seen a greater token: the one held here is given up.
    pub fn give_up(&mut self, greater: Token, now: Duration) {
        if greater.is_after(self.seen) {
            self.seen = greater;
            self.is_held = false;
            self.deadline = now + self.timeout;
        }
    }

    /// Makes a new token if the last one is lost; returns its epoch, or `None` if no token is made.
    pub fn renew_if_lost(&mut self, now: Duration) -> Option<u64> {
        if self.is_held || now < self.deadline {
            return None;
        }
        self.seen = Token { epoch: self.seen.epoch.wrapping_add(1), sequence: 0 };
        self.is_held = true;
        Some(self.seen.epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn pass(from: &mut TokenState, to: &mut TokenState, now: Duration) {
        let token = from.next().expect("the token is held");
        match to.accept(token, now) {
            Ok(()) => from.passed(token, now),
            Err(greater) => from.give_up(greater, now),
        }
    }

    #[test]
    fn the_first_token_is_made_and_passed() {
        let [mut a, mut b] =
            [TokenState::new(at(0), at(0), TIMEOUT), TokenState::new(at(0), at(2), TIMEOUT)];
        assert_eq!((a.renew_if_lost(at(0)), b.renew_if_lost(at(0))), (Some(1), None));
        pass(&mut a, &mut b, at(1));
        assert!(!a.is_held() && b.is_held());
        pass(&mut b, &mut a, at(2));
        assert!(a.is_held() && !b.is_held());
        assert_eq!(b.renew_if_lost(at(11)), None);
    }

    #[test]
    fn a_lost_token_is_replaced_and_the_old_one_refused() {
        let mut members: [TokenState; 3] =
            std::array::from_fn(|rank| TokenState::new(at(0), at(rank as u64), TIMEOUT));
        let [a, b, c] = &mut members;
        a.renew_if_lost(at(0));
        pass(a, b, at(1));
        // b does not answer for a while: a makes a new token and passes it to c.
        assert_eq!(a.renew_if_lost(at(11)), Some(2));
        pass(a, c, at(11));
        // b starts again with the old one.
        pass(b, c, at(12));
        assert!(!b.is_held() && c.is_held());
        pass(c, b, at(13));
        assert!(b.is_held());
    }

    #[test]
    fn a_repeated_token_is_refused() {
        let mut state = TokenState::new(at(0), at(5), TIMEOUT);
        let token = Token { epoch: 1, sequence: 4 };
        assert_eq!((state.accept(token, at(1)), state.accept(token, at(1))), (Ok(()), Err(token)));
    }

    /// Passes the token round; returns the number of members that held it alone.
    fn turns(members: &mut [TokenState; 3], mut now: u64) -> usize {
        let mut held = std::collections::BTreeSet::new();
        for step in 0..60 {
            now += 4;
            let (from, to) = (step % 3, (step + 1) % 3);
            members[from].renew_if_lost(at(now));
            let is_alone = members.iter().filter(|member| member.is_held()).count() == 1;
            if members[from].is_held() && is_alone && step >= 30 {
                held.insert(from);
            }
            let Some(token) = members[from].next() else { continue };
            match members[to].accept(token, at(now)) {
                Ok(()) => members[from].passed(token, at(now)),
                Err(greater) => members[from].give_up(greater, at(now)),
            }
        }
        held.len()
    }

    /// A number near one at which a comparison changes, or any.
    fn number() -> impl Strategy<Value = u64> {
        let near = prop::sample::select(vec![0, HALF, u64::MAX, u64::MAX >> 1]);
        prop_oneof![
            (near, 0_u64..6).prop_map(|(at, by)| at.wrapping_add(by).wrapping_sub(3)),
            any::<u64>()
        ]
    }

    #[test]
    fn the_last_token_is_not_the_end() {
        for (epoch, sequence) in [(u64::MAX, u64::MAX), (1, u64::MAX), (HALF, HALF), (u64::MAX, 0)]
        {
            let mut members: [TokenState; 3] =
                std::array::from_fn(|rank| TokenState::new(at(0), at(rank as u64), TIMEOUT));
            members[0].renew_if_lost(at(0));
            let _ = members[1].accept(Token { epoch, sequence }, at(0));
            assert_eq!(turns(&mut members, 1), 3, "{epoch} {sequence}");
        }
    }

    proptest! {
        /// Whatever tokens strangers pass to whom, all members have turns again afterwards.
        #[test]
        fn turns_go_on_after_strange_tokens(
            strange in prop::collection::vec((0_usize..3, number(), number()), 0..12)
        ) {
            let mut members: [TokenState; 3] =
                std::array::from_fn(|rank| TokenState::new(at(0), at(rank as u64), TIMEOUT));
            for (to, epoch, sequence) in strange {
                let _ = members[to].accept(Token { epoch, sequence }, at(0));
            }
            prop_assert_eq!(turns(&mut members, 1), 3);
        }

        /// Whoever passes to whom, whatever acknowledgement is lost: once all messages arrive
        /// again, one token remains.
        #[test]
        fn one_token_remains(steps in prop::collection::vec((0_usize..4, 0_usize..4, any::<bool>()), 0..60)) {
            let mut members: Vec<TokenState> = (0..4).map(|rank| TokenState::new(at(0), at(rank), TIMEOUT)).collect();
            let mut now = 0;
            for (from, to, is_lost) in steps {
                now += 4;
                members[from].renew_if_lost(at(now));
                let Some(token) = members[from].next().filter(|_| from != to) else { continue };
                match members[to].accept(token, at(now)) {
                    Ok(()) if is_lost => {}
                    Ok(()) => members[from].passed(token, at(now)),
                    Err(greater) => members[from].give_up(greater, at(now)),
                }
            }
            // In a ring, tokens meet within two rounds.
            now += 100;
            members[0].renew_if_lost(at(now));
            for step in 0..12 {
                let (from, to) = (step % 4, (step + 1) % 4);
                let Some(token) = members[from].next() else { continue };
                match members[to].accept(token, at(now)) {
                    Ok(()) => members[from].passed(token, at(now)),
                    Err(greater) => members[from].give_up(greater, at(now)),
                }
            }
            prop_assert_eq!(members.iter().filter(|member| member.is_held()).count(), 1);
        }
    }
}
