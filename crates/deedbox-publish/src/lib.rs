//! Changing a chain safely: what will change is shown, signed locally, sent once, and read back.
