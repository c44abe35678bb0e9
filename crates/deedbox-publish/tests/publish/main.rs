//! Publishing to a real node, with a real database: what changes, what is refused, and what happens when something breaks in between.

mod agents;
mod broken;
mod house;
mod refused;
mod tools;
