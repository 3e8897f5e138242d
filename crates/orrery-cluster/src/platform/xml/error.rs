use orrery_base::file::Fault;

/// The fault of a host or a link (`kind`) that is not defined before its use.
pub(super) fn undefined(kind: &str, name: &str) -> Fault {
    Fault::new(format!("there is no {kind} {name:?}; define it before its use"))
}

/// The fault of two hosts, links or settings (`kind`) of the same name.
pub(super) fn duplicate(kind: &str, name: &str) -> Fault {
    Fault::new(format!("the {kind} {name:?} is defined twice; rename or remove one"))
}

/// The fault of more than `most` hosts or cores.
pub(super) fn too_many(most: usize) -> Fault {
    Fault::new(format!(
        "there are more than {most} hosts or cores; correct \"radical\" or \
        \"core\""
    ))
}

/// The fault of a value that an attribute may not have; `expected` describes those that it may
/// have.
pub(super) fn invalid_value(attribute: &str, value: &str, expected: &str) -> Fault {
    Fault::new(format!("{attribute}={value:?} is not supported; {expected}"))
}
