//! Publishing to a real node, with a real database: what changes, what is refused, and what happens when something breaks in between.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod broken;
#[cfg(test)]
mod disagree;
#[cfg(test)]
mod endpoint;
#[cfg(test)]
mod house;
#[cfg(test)]
mod lying;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod reorganised;
#[cfg(test)]
mod settled;
#[cfg(test)]
mod tools;
