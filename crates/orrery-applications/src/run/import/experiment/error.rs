use orrery_base::file::Fault;

/// Content that is no archive, or an archive that ends early.
pub(super) fn not_archive() -> Fault {
    Fault::new(
        "this is not a whole experiment of Extra-P (a zip archive); save it again, or give another \
            format",
    )
}

/// An archive without a member.
pub(super) fn no_member(member: &str) -> Fault {
    Fault::new(format!("the experiment has no {member}; save it again by Extra-P 4"))
}

/// Content that is damaged.
pub(super) fn damaged(member: &str) -> Fault {
    Fault::new(format!("{member} is damaged; save the experiment again"))
}

/// Content that is too long for the file.
pub(super) fn too_long(member: &str, limit: usize) -> Fault {
    Fault::new(format!(
        "{member} expands to more than {limit} bytes, far more than that of any \
        experiment; save it again"
    ))
}
