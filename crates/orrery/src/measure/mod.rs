//! Campaigns: what to measure, in which order, when to stop.
