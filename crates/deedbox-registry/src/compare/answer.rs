//! What a comparison says.

use deedbox_chain::UntrustedText;
use deedbox_core::{ChainAddress, ReadProvenance, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    asset::Decimals,
    order::{NotCompared, Placed},
};
use crate::{
    access::{Access, AccessWarning},
    tool::Registration,
    verify::{CheckName, CheckReason, Freshness, TierFacts},
};

/// Tools side by side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolComparison {
    /// The block of the first tool's chain. It stands beside an answer, not in it.
    #[serde(skip)]
    pub provenance: ReadProvenance,
    /// The blocks at which everything was read: one for each chain, the first tool's first.
    pub chains: Vec<ReadProvenance>,
    /// The account whose access was asked for; null for nobody's.
    pub account: Option<ChainAddress>,
    /// The asset (CAIP-19) in which prices are ordered; null where none is named and they are not all in one.
    pub asset: Option<String>,
    /// The tools, in the order in which they were named.
    pub tools: Vec<ComparedTool>,
    /// All of them once more, in the order that is offered, the first first, with the reasons. It is an offer: verified before not, usable
    /// before not, cheaper before dearer as far as that can be compared, a higher effective tier before a lower one, older before newer.
    pub order: Vec<Placed>,
    /// What could not be compared. It is not converted, either.
    pub not_compared: Vec<NotCompared>,
}

/// One of the tools.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedTool {
    /// The tool: `eip155:<chain>/erc8257:<registry>/<id>`.
    pub tool: String,
    /// Whether it is what its registration says. If not, it must not be used, and of its manifest nothing but the name is repeated.
    pub verified: bool,
    /// The first check that failed; null when none did, and when there was nothing to check.
    pub failed: Option<CheckName>,
    /// Why that check failed: at most eight reasons.
    pub reasons: Vec<CheckReason>,
    /// What the registry says.
    pub registration: Registration,
    /// When it was registered.
    pub registered: Registered,
    /// `name`; null when no manifest could be read.
    pub name: Option<UntrustedText>,
    /// `description`, of at most 512 characters.
    pub description: Option<UntrustedText>,
    /// What it claims about where it runs; null when it is not verified. `effective` is the one to go by.
    pub tier: Option<TierFacts>,
    /// What it costs, as it says.
    pub cost: Cost,
    /// Whether the account may use it; null when nobody's access was asked for, and where nothing is registered.
    pub access: Option<ComparedAccess>,
    /// Values that its manifest puts into arguments, at most 16: each has to be shown, and confirmed where it says so.
    pub pre_filled: Vec<PreFilledFact>,
    /// For how long the verification counts.
    pub freshness: Freshness,
    /// `maxAge` of its manifest in seconds.
    pub max_age: Option<u64>,
    /// What to know before it is chosen.
    pub warnings: Vec<ComparisonWarning>,
}

/// When a tool was registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Registered {
    /// As the index of followed registries has it.
    At {
        /// In this block.
        block_number: u64,
        /// The block's own time.
        at: Timestamp,
    },
    /// Nobody here knows: its registry is not followed, or not that far. No view of a registry says it.
    NotIndexed,
    /// The index could not be read.
    IndexUnavailable,
}

/// What a tool costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Cost {
    /// Nothing is known: the tool is not verified.
    Unknown,
    /// The manifest says nothing about a price. That is not "free".
    Unstated,
    /// What the caller would use is declared free.
    DeclaredFree {
        /// The ways to use it, in the creator's order: the first eight, and the chosen one.
        prices: Vec<ComparedPrice>,
    },
    /// It has a price.
    Priced {
        /// The ways to pay, in the creator's order: the first eight, and the chosen one.
        prices: Vec<ComparedPrice>,
    },
    /// It has a price, and none by a protocol that the caller named.
    NoSupportedProtocol {
        /// The ways to pay, in the creator's order: the first eight, and the chosen one.
        prices: Vec<ComparedPrice>,
    },
}

/// One way to pay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedPrice {
    /// In the asset's smallest unit, in decimal.
    pub amount: String,
    /// The same in whole units of the asset, in decimal; null where its decimals are not known.
    pub in_units: Option<String>,
    /// How many decimals the asset has.
    pub decimals: Decimals,
    /// Whether the amount is zero: a declared free.
    pub is_free: bool,
    /// The asset (CAIP-19).
    pub asset: UntrustedText,
    /// Who is paid (CAIP-10).
    pub recipient: UntrustedText,
    /// How.
    pub protocol: UntrustedText,
    /// Whether the caller named that protocol; null when none was named.
    pub protocol_is_supported: Option<bool>,
    /// Whether this is the one that a caller would take: the first, in the creator's order, by a protocol that was named.
    pub is_chosen: bool,
}

/// Whether the account may use a tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedAccess {
    /// The answer, without any evidence.
    pub access: Access,
    /// What the predicate says that it takes, in a few words each, by what the kinds mean and not by what a stranger wrote; none for an
    /// open tool. They are advice; `check_tool_access` has them as they were read.
    pub takes: Vec<String>,
    /// What to know before the answer is relied upon.
    pub warnings: Vec<AccessWarning>,
}

/// A value that a manifest puts into arguments (ERC-8257, *Schema `default` and `const` Injection*). Nothing here ever does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PreFilledFact {
    /// Where it stands, as a JSON pointer into the manifest.
    pub pointer: UntrustedText,
    /// The argument that it fills; null where that cannot be said.
    pub argument: Option<UntrustedText>,
    /// What fills it in: `default`, `const` or `enum` with one choice.
    pub keyword: String,
    /// The value as JSON, of at most 128 bytes.
    pub value: UntrustedText,
    /// What has to happen before it may be sent.
    pub consent: ConsentFact,
}

/// What has to happen before a value that was filled in may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ConsentFact {
    /// It has to be shown.
    Show,
    /// It has to be shown and confirmed.
    Confirm,
    /// It has to be shown and acknowledged, whatever the tool costs or does.
    Acknowledge,
}

/// What to know before a tool is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonWarning {
    /// It is not verified: it must not be used.
    NotVerified,
    /// It says nothing about a price; an endpoint that then asks for money has to be confirmed by the user.
    PriceUnstated,
    /// It can be paid by none of the protocols that were named.
    NoSupportedProtocol,
    /// The decimals of an asset that it takes are not known, so its amount is in the smallest unit only.
    DecimalsUnknown,
    /// What it declares as its tier and the fields beside it contradict each other.
    TierContradicted,
    /// Its endpoint cannot be invoked from here.
    NotInvocable,
    /// It fills in arguments that have to be confirmed.
    FillsInArguments,
    /// It fills in more arguments than are listed.
    MoreFilledIn,
    /// It has more ways to pay than are listed.
    MorePrices,
    /// It has to be verified anew for each invocation (`maxAge` 0).
    VerifyEachTime,
    /// Its registry is a proxy (ERC-1967): what it says can be replaced.
    RegistryIsProxy,
}
