//! What all files share: replacing a file in one step, and advice for what the operating system refuses.

mod advice;
mod replace;

pub use advice::advice;
pub use replace::replace;
