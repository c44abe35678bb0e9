//! The registries of ERC-8122 and ERC-8257: their contracts, their calls, and what they say.
