//! The five readings.
