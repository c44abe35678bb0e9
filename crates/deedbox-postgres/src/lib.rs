//! Deeds kept in PostgreSQL, shared by several replicas.
