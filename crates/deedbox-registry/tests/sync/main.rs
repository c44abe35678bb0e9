//! Registries are followed on a chain that grows, takes back its blocks and is served badly: in the end the index has what the chain says,
//! and nothing else.

#[cfg(test)]
mod ahead;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod leases;
#[cfg(test)]
mod life;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod short;
