//! Deeds kept in one embedded SQLite file.
