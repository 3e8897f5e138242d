//! The values of `--set`: numbers of variables, and levels of the categories of a model.

use orrery::request::RegionAtLevels;
use orrery::scaling::Levels;

use crate::context::Context;

/// Parses NAME=VALUE.
pub fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as steps=100")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Reports the levels at which a model is used.
pub fn report(context: Context, known: &RegionAtLevels) {
    let RegionAtLevels { levels, factor, has_run, .. } = known;
    if let Some(factor) = factor {
        let never = if *has_run { "" } else { "; no run has all of them" };
        context.say(format!("levels {}: {factor:.3} of the mean time{never}", text(levels)));
    }
}

/// Levels as text: `broadcast = 2rM, depth = 1`.
pub fn text(levels: &Levels) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}
