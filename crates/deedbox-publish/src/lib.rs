//! Changing a chain safely: what will change is shown, signed locally, sent once, and read back.
//!
//! One straight line, whatever the [`Action`]:
//!
//! 1. what is asked is checked against the chain and, for tools, against what is served; it becomes one [`Change`](change::Change).
//! 2. It is simulated at the pending block; a refusal is told by its name.
//! 3. A [`Preview`] shows exactly what will change, and what it costs at most. Somebody says yes, or nothing happens.
//! 4. It is signed by a [`Signer`], recorded, and only then sent: from there on the same bytes may be sent again, and no others are ever made
//!    by themselves. So nothing that breaks in between leads to a second transaction.
//! 5. It is waited for, read back from the chain, compared with what was signed, and recorded.
//!
//! [`resume`] goes on from step 4 with what was recorded. No rule is decided while talking to anybody: what the room decides are pure functions
//! over what was read ([`fees`], [`watch`], [`expect`]), and the journey asks them.
//!
//! The room knows no terminal: what people see and say comes in through [`Teller`].

mod action;
pub mod change;
mod earlier;
mod error;
pub mod expect;
pub mod fees;
mod follow;
mod journey;
mod options;
mod prepare;
mod publication;
mod replaced;
mod resume;
mod revert;
mod settle;
mod signer;
mod teller;
pub mod transaction;
pub mod watch;

pub use action::{Action, ManifestSource};
pub use error::{PublishError, in_currency};
pub use journey::{Desk, publish};
pub use options::Options;
pub use resume::resume;
pub use signer::{CannotSign, Signer};
pub use teller::{Confirmation, NotAsked, Preview, Published, Settled, Step, Teller};
