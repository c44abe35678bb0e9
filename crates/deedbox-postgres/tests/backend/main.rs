//! What only PostgreSQL has to promise, tried on real servers. What every backend has to is in
//! `deedbox_store::story`, which is told here too.

mod common;
mod faults;
mod index;
mod ledger;
mod memories;
mod opening;
mod plans;
mod races;
mod story;
mod tls;
