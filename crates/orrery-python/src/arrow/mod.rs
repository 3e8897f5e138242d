//! Columns in the memory layout of Apache Arrow, and their export by the Arrow C data interface.
//!
//! The interface is two structs and a stream, whose layout is fixed. Only the types that tables
//! have are exported; nothing is imported.

mod builder;
mod column;
mod export;

pub(crate) use builder::{Bits, texts};
pub(crate) use column::{Column, Values};
pub(crate) use export::{array_capsules, schema_capsule, stream_capsule};
