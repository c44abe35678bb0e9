//! What an agent, a tool and an access are, asked of a real node with our contracts and with contracts that lie, and of a real HTTPS
//! server that does what a test tells it.

#[cfg(test)]
mod access;
#[cfg(test)]
mod background;
#[cfg(test)]
mod compare;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod house;
#[cfg(test)]
mod manifests;
#[cfg(test)]
mod resolve;
#[cfg(test)]
mod update;
#[cfg(test)]
mod verify;
