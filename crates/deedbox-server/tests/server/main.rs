//! A server on a real socket, over a real SQLite file, asked over HTTP and over MCP of both eras.

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod comparing;
#[cfg(test)]
mod conclusions;
#[cfg(test)]
mod doors;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod house;
#[cfg(test)]
mod idempotency;
#[cfg(test)]
mod labels;
#[cfg(test)]
mod library;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod memories;
#[cfg(test)]
mod memory_desk;
#[cfg(test)]
mod memory_limits;
mod moving;
#[cfg(test)]
mod node;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod readings;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod registries;
#[cfg(test)]
mod seen;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod sick;
#[cfg(test)]
mod spaces;
#[cfg(test)]
mod standing;
#[cfg(test)]
mod stdio;
#[cfg(test)]
mod stewards;
#[cfg(test)]
mod strict_readings;
