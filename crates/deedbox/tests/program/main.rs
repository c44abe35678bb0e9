//! The built program, as people and their scripts meet it.

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod asking;
#[cfg(test)]
mod common;
#[cfg(test)]
mod dev;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod help;
#[cfg(test)]
mod id;
#[cfg(test)]
mod known;
#[cfg(test)]
mod labels;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod memories;
#[cfg(test)]
mod observed;
#[cfg(test)]
mod people;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod publication;
#[cfg(test)]
mod publishing;
#[cfg(test)]
mod read;
#[cfg(test)]
mod registries;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod settings;
#[cfg(test)]
#[cfg(unix)]
mod standing;
#[cfg(test)]
mod stopped;
#[cfg(test)]
mod sync;
#[cfg(test)]
mod told;
#[cfg(test)]
mod tool;
