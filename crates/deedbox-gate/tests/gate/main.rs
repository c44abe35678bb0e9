//! The gate before the example tool, with a real node, our registry and predicates, and such as are broken.

#[cfg(test)]
#[path = "../../examples/guarded_tool.rs"]
#[expect(dead_code, reason = "its `main` is run by nobody here")]
mod guarded_tool;
#[cfg(test)]
mod house;

#[cfg(test)]
mod access;
#[cfg(test)]
mod proofs;
