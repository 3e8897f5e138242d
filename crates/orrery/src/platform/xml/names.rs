use std::collections::BTreeMap;

/// Adds names with what they stand for. Many are sorted and joined with those that there are, which takes a fraction of
/// the comparisons that a search for each takes.
///
/// # Errors
///
/// A name that stands twice; then nothing is known of what was added.
pub(super) fn add_all<T>(all: &mut BTreeMap<String, T>, mut new: Vec<(String, T)>) -> Result<(), String> {
    // Joining walks over all names, so many small clusters must not ask for it.
    if new.len() < all.len() / 16 {
        for (name, own) in new {
            if all.contains_key(&name) {
                return Err(name);
            }
            all.insert(name, own);
        }
        return Ok(());
    }
    new.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(two) = new.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(two[0].0.clone());
    }
    let mut old = all.keys().peekable();
    for (name, _) in &new {
        while old.next_if(|old| *old < name).is_some() {}
        if old.peek() == Some(&name) {
            return Err(name.clone());
        }
    }
    all.append(&mut new.into_iter().collect());
    Ok(())
}
