//! The rules that the project keeps: architecture, texts, dependencies.

mod architecture;
mod dependencies;
