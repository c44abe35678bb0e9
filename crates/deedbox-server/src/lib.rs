//! Authentication, limits, MCP tools and HTTP routes.
