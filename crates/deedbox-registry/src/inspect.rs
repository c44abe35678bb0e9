//! What stands at an address: read at one block, and told as it is.

use alloy_primitives::{Address, B256, Bytes, U256, b256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use deedbox_chain::{
    Block, Chains, ReadError, UntrustedText,
    look::{self, Call, Expects, Got, Said, Wanted},
};
use deedbox_core::{
    ChainAddress, CodeHash, ReadProvenance, RegistryId, Sighting, Standard, text::Name,
};
use deedbox_id::StorageKey;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    abi::{
        AccessProofPredicate, FixedSupplyAgentRegistry, OpenAgentRegistry as Agents,
        ToolRegistry as Tools,
    },
    artifact::Artifact,
    entry::REGISTRY_KEYS,
    interface,
};

/// What stands at an address.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Inspection {
    /// The chain, the block and the endpoint. It stands beside an answer, not in it.
    #[serde(skip)]
    pub provenance: ReadProvenance,
    /// The address.
    #[schemars(with = "String")]
    pub address: Address,
    /// What it is.
    pub kind: Kind,
    /// keccak256 over its code; none where there is no code.
    #[schemars(with = "Option<String>")]
    pub code_hash: Option<B256>,
    /// How many bytes of code there are.
    pub code_bytes: usize,
    /// Which of the contracts that this program can deploy it is, byte by byte; none for any other.
    pub known_as: Option<&'static str>,
    /// The interface ids that it claims, of those that were asked for.
    pub interfaces: Vec<Claimed>,
    /// Whether it claims even what no contract may claim (0xffffffff): then its claims say nothing.
    pub claims_everything: bool,
    /// What makes it a proxy, by the slots that ERC-1967 names: whoever controls that can replace what the contract does.
    pub proxy: Option<Proxy>,
    /// `name()`, where it has one.
    pub name: Option<UntrustedText>,
    /// `version()`, where it has one.
    pub version: Option<UntrustedText>,
    /// How many agents or tools were ever registered, as it says.
    #[schemars(with = "Option<String>")]
    pub count: Option<U256>,
    /// The most agents that there will ever be, as it says.
    #[schemars(with = "Option<String>")]
    pub max_supply: Option<U256>,
    /// Who sets its metadata and, where agents are admitted, admits them; zero: nobody.
    #[schemars(with = "Option<String>")]
    pub registrar: Option<Address>,
    /// Who is offered that role; zero: nobody.
    #[schemars(with = "Option<String>")]
    pub registrar_nominee: Option<Address>,
    /// Of a predicate that answers one caller only (`IServesOneCaller`): which; everybody else is denied.
    #[schemars(with = "Option<String>")]
    pub serves: Option<Address>,
    /// Its own metadata (ERC-8049): of the keys that were asked for, those that are set.
    pub metadata: Vec<(String, UntrustedText)>,
    /// Which keys were asked for: those of the standards first. A contract cannot be asked which others there are.
    pub metadata_keys: Vec<String>,
}

/// An interface that is claimed by ERC-165.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Claimed {
    /// What its standard calls it.
    pub name: &'static str,
    /// Its id, in hex.
    #[serde(serialize_with = "in_hex")]
    #[schemars(with = "String")]
    pub id: [u8; 4],
}

/// What a contract is, as far as its answers tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// There is no code: an account of somebody, or nothing.
    NoCode,
    /// An account that delegates to a contract (EIP-7702).
    DelegatedAccount,
    /// A registry of agents (ERC-8122): it claims ERC-6909 and ERC-8048.
    AgentRegistry,
    /// A registry of agents after an older draft of ERC-8122: it claims ERC-6909 and `getMetadata`, which was renamed.
    OlderDraftAgentRegistry,
    /// A registry of tools (ERC-8257).
    ToolRegistry,
    /// A predicate that decides on access (ERC-8257).
    AccessPredicate,
    /// A predicate with the names that its functions had in an older draft.
    OlderDraftAccessPredicate,
    /// Some other contract.
    Other,
}

/// Where a proxy leads (ERC-1967). An address is none where the slot is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Proxy {
    /// The contract that does what is called.
    #[schemars(with = "Option<String>")]
    pub implementation: Option<Address>,
    /// Who may replace it.
    #[schemars(with = "Option<String>")]
    pub admin: Option<Address>,
    /// The contract that names the implementation.
    #[schemars(with = "Option<String>")]
    pub beacon: Option<Address>,
}

impl Proxy {
    /// What these words in the [`SLOTS`] say; none where all are empty.
    pub(crate) fn of(words: &[B256]) -> Option<Self> {
        let slot = |index: usize| {
            let word = words.get(index).copied().unwrap_or_default();
            (!word.is_zero()).then(|| Address::from_word(word))
        };
        let proxy = Self {
            implementation: slot(0),
            admin: slot(1),
            beacon: slot(2),
        };
        let leads = proxy.implementation.or(proxy.admin).or(proxy.beacon);
        leads.is_some().then_some(proxy)
    }
}

impl Inspection {
    /// Which standard it follows, when it is a registry that this program reads.
    #[must_use]
    pub const fn standard(&self) -> Option<Standard> {
        match self.kind {
            Kind::AgentRegistry => Some(Standard::Erc8122),
            Kind::ToolRegistry => Some(Standard::Erc8257),
            _ => None,
        }
    }

    /// What it was looked at as.
    #[must_use]
    pub const fn registry(&self) -> RegistryId {
        RegistryId {
            chain_id: self.provenance.chain_id,
            address: ChainAddress(self.address.0.0),
        }
    }

    /// What whoever follows it accepts, and what a later look is compared with; none where there is no code.
    #[must_use]
    pub fn sighting(&self) -> Option<Sighting> {
        let address = |of: fn(&Proxy) -> Option<Address>| {
            let found = self.proxy.as_ref().and_then(of);
            found.map(|address| ChainAddress(address.0.0))
        };
        let claims = self.interfaces.iter();
        Some(Sighting {
            code_hash: CodeHash(self.code_hash?.0),
            implementation: address(|proxy| proxy.implementation),
            beacon: address(|proxy| proxy.beacon),
            claims: claims.filter_map(|one| Name::new(one.name).ok()).collect(),
            block_number: self.provenance.block_number,
            block_hash: self.provenance.block_hash,
        })
    }
}

/// Ids that are asked for, with the names of their standards.
const ASKED: [(&str, [u8; 4]); 11] = [
    ("ERC-165", interface::ERC165),
    ("ERC-6909", interface::ERC6909),
    ("ERC-8048", interface::ERC8048),
    ("ERC-8048 metadata authority", interface::ERC8048_AUTHORITY),
    ("ERC-8049", interface::ERC8049),
    ("ERC-8122", interface::ERC8122),
    ("ERC-8257 tool registry", interface::TOOL_REGISTRY),
    ("ERC-8257 access predicate", interface::ACCESS_PREDICATE),
    ("older draft of ERC-8048", interface::OLD_ERC8048),
    (
        "older draft of the access predicate",
        interface::OLD_ACCESS_PREDICATE,
    ),
    ("serves one caller", interface::SERVES_ONE_CALLER),
];

/// Slots of ERC-1967: keccak256 of `eip1967.proxy.implementation`, `….admin` and `….beacon`, less one.
pub(crate) const SLOTS: [B256; 3] = [
    b256!("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"),
    b256!("b53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"),
    b256!("a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"),
];

/// Looks at an address. Everything is read at one block, in two round trips: what it is, and what it says of itself.
///
/// # Errors
/// [`ReadError`]: then nothing is known. What the contract does not answer is none, and no error.
pub async fn inspect(
    chains: &Chains,
    chain_id: u64,
    block: Block,
    address: Address,
) -> Result<Inspection, ReadError> {
    inspect_keys(chains, chain_id, block, address, &[]).await
}

/// The same, and asks for the metadata under these keys besides those of the standards.
///
/// # Errors
/// As [`inspect`].
pub async fn inspect_keys(
    chains: &Chains,
    chain_id: u64,
    block: Block,
    address: Address,
    more: &[StorageKey],
) -> Result<Inspection, ReadError> {
    let more = more.iter().map(StorageKey::as_str);
    let more = more.filter(|key| !REGISTRY_KEYS.contains(key));
    let keys: Vec<&str> = REGISTRY_KEYS.into_iter().chain(more).collect();
    let looked = chains.look(chain_id, block, identity(address)).await?;
    let hash = Block::Hash(looked.provenance.block_hash);
    let said = chains
        .look(chain_id, hash, statements(address, &keys))
        .await?;
    let mut found = judge(address, looked.provenance, &looked.got);
    tell(&mut found, &keys, &said.got);
    Ok(found)
}

pub(crate) fn probe(to: Address, call: &impl SolCall, expects: Expects) -> Call {
    Call {
        to,
        data: call.abi_encode().into(),
        expects,
    }
}

fn supports(to: Address, id: [u8; 4]) -> Call {
    let call = Agents::supportsInterfaceCall {
        interfaceId: id.into(),
    };
    probe(to, &call, Expects::Flag)
}

fn identity(address: Address) -> Wanted {
    let ids = ASKED.iter().map(|(_, id)| *id).chain([interface::NONE]);
    Wanted {
        codes: vec![address],
        storage: SLOTS.iter().map(|slot| (address, *slot)).collect(),
        probes: ids.map(|id| supports(address, id)).collect(),
        ..Wanted::default()
    }
}

fn statements(address: Address, keys: &[&str]) -> Wanted {
    let all = Expects::Anything;
    let mut probes = vec![
        probe(address, &Tools::nameCall {}, all),
        probe(address, &Tools::versionCall {}, all),
        probe(address, &Tools::toolCountCall {}, all),
        probe(address, &Agents::agentCountCall {}, all),
        probe(address, &FixedSupplyAgentRegistry::maxSupplyCall {}, all),
        probe(address, &Agents::registrarCall {}, all),
        probe(address, &Agents::nominatedRegistrarCall {}, all),
    ];
    probes.extend(keys.iter().map(|key| {
        let key = (*key).to_owned();
        probe(address, &Agents::contractMetadataCall { key }, all)
    }));
    probes.push(probe(address, &AccessProofPredicate::callerCall {}, all));
    Wanted {
        probes,
        ..Wanted::default()
    }
}

/// Whether a probe answered yes: the word 1 and nothing else.
#[must_use]
pub fn is_yes(said: &Said) -> bool {
    matches!(said, Said::Returned(data) if U256::abi_decode(data).is_ok_and(|word| word == U256::from(1)) && data.len() == 32)
}

/// What the first look says.
fn judge(address: Address, provenance: ReadProvenance, got: &Got) -> Inspection {
    let code = got.codes.first().cloned().unwrap_or_default();
    let claims = |index: usize| got.probes.get(index).is_some_and(is_yes);
    let interfaces: Vec<_> = ASKED
        .iter()
        .enumerate()
        .filter(|(index, _)| claims(*index))
        .map(|(_, &(name, id))| Claimed { name, id })
        .collect();
    Inspection {
        provenance,
        address,
        kind: kind(&code, &interfaces),
        code_hash: (!code.is_empty()).then(|| keccak256(&code)),
        code_bytes: code.len(),
        known_as: Artifact::of_code(&code).map(|artifact| artifact.name.as_str()),
        interfaces,
        claims_everything: claims(ASKED.len()),
        proxy: Proxy::of(&got.storage),
        name: None,
        version: None,
        count: None,
        max_supply: None,
        registrar: None,
        registrar_nominee: None,
        serves: None,
        metadata: Vec::new(),
        metadata_keys: Vec::new(),
    }
}

fn kind(code: &[u8], interfaces: &[Claimed]) -> Kind {
    let has = |id| interfaces.iter().any(|claimed| claimed.id == id);
    match look::Kind::of(code) {
        look::Kind::NoCode => Kind::NoCode,
        look::Kind::Delegated => Kind::DelegatedAccount,
        _ if has(interface::TOOL_REGISTRY) => Kind::ToolRegistry,
        _ if has(interface::ERC6909) && has(interface::ERC8048) => Kind::AgentRegistry,
        _ if has(interface::ERC6909) && has(interface::OLD_ERC8048) => {
            Kind::OlderDraftAgentRegistry
        }
        _ if has(interface::ACCESS_PREDICATE) => Kind::AccessPredicate,
        _ if has(interface::OLD_ACCESS_PREDICATE) => Kind::OlderDraftAccessPredicate,
        look::Kind::Contract => Kind::Other,
    }
}

/// Adds what the second look says.
fn tell(found: &mut Inspection, keys: &[&str], got: &Got) {
    let returned = |index: usize| match got.probes.get(index) {
        Some(Said::Returned(data)) if !data.is_empty() => Some(data.as_ref()),
        _ => None,
    };
    let text = |index| {
        let bytes = Bytes::abi_decode(returned(index)?).ok()?;
        Some(UntrustedText::read(&bytes, false))
    };
    let number = |index| U256::abi_decode(returned(index)?).ok();
    let account = |index| Address::abi_decode(returned(index)?).ok();
    found.name = short(returned(0));
    found.version = short(returned(1));
    found.count = number(2).or_else(|| number(3));
    found.max_supply = number(4);
    found.registrar = account(5);
    found.registrar_nominee = account(6);
    let says_so = found
        .interfaces
        .iter()
        .any(|claimed| claimed.id == interface::SERVES_ONE_CALLER);
    found.serves = says_so.then(|| account(7 + keys.len())).flatten();
    let metadata = keys.iter().enumerate();
    found.metadata = metadata
        .filter_map(|(index, key)| Some(((*key).to_owned(), text(7 + index)?)))
        .filter(|(_, value)| !value.text.is_empty())
        .collect();
    found.metadata_keys = keys.iter().map(|key| (*key).to_owned()).collect();
}

/// The most bytes of `name()` and `version()`: more than that is as if the contract did not have it (ERC-8257, *Predicate
/// Introspection Hardening*), and so is what is empty or no text (reading P-09).
const MOST_OF_A_NAME: usize = 256;

fn short(returned: Option<&[u8]>) -> Option<UntrustedText> {
    let bytes = crate::words::bytes(returned?, 0)?;
    let is_name = (1..=MOST_OF_A_NAME).contains(&bytes.len()) && std::str::from_utf8(bytes).is_ok();
    is_name.then(|| UntrustedText::read(bytes, false))
}

fn in_hex<S: serde::Serializer>(id: &[u8; 4], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("0x{:08x}", u32::from_be_bytes(*id)))
}

#[cfg(test)]
mod tests {
    use deedbox_core::{BlockHash, Timestamp, evidence::Source};

    use super::*;

    fn provenance() -> ReadProvenance {
        ReadProvenance {
            chain_id: 1,
            block_number: 1,
            block_hash: BlockHash([1; 32]),
            block_timestamp: Timestamp::from_millis(0).unwrap(),
            source: Source::Rpc,
            endpoint_id: "main".parse().unwrap(),
        }
    }

    /// What is concluded of a contract with this code that claims these ids.
    fn judged(code: &[u8], claimed: &[[u8; 4]], slots: [B256; 3]) -> Inspection {
        let word = |yes: bool| Said::Returned(U256::from(u8::from(yes)).to_be_bytes_vec().into());
        let asked = ASKED.iter().map(|(_, id)| *id).chain([interface::NONE]);
        let got = Got {
            codes: vec![Bytes::copy_from_slice(code)],
            storage: slots.to_vec(),
            probes: asked.map(|id| word(claimed.contains(&id))).collect(),
            ..Got::default()
        };
        judge(Address::ZERO, provenance(), &got)
    }

    #[test]
    fn what_a_contract_is_follows_from_what_it_claims() {
        use interface::*;
        let delegated = [&[0xef, 1, 0][..], &[7; 20]].concat();
        for (code, claimed, kind) in [
            (&[][..], &[][..], Kind::NoCode),
            (&delegated, &[], Kind::DelegatedAccount),
            (&[1], &[], Kind::Other),
            (&[1], &[ERC165, ERC6909], Kind::Other),
            (&[1], &[ERC165, ERC8048], Kind::Other),
            (&[1], &[ERC165, ERC6909, ERC8048], Kind::AgentRegistry),
            (&[1], &[ERC6909, OLD_ERC8048], Kind::OlderDraftAgentRegistry),
            (&[1], &[ERC165, TOOL_REGISTRY], Kind::ToolRegistry),
            (&[1], &[ERC165, ACCESS_PREDICATE], Kind::AccessPredicate),
            (
                &[1],
                &[OLD_ACCESS_PREDICATE],
                Kind::OlderDraftAccessPredicate,
            ),
        ] {
            let found = judged(code, claimed, [B256::ZERO; 3]);
            assert_eq!(found.kind, kind, "{claimed:02x?}");
            assert!(!found.claims_everything);
            assert_eq!(found.proxy, None);
        }
        assert!(judged(&[1], &[NONE], [B256::ZERO; 3]).claims_everything);
    }

    #[test]
    fn a_name_over_256_bytes_is_as_if_there_were_none() {
        let name = |bytes: &[u8]| {
            let data = Bytes::copy_from_slice(bytes).abi_encode();
            short(Some(&data)).map(|name| name.text)
        };
        assert_eq!(name(b"ToolRegistry").as_deref(), Some("ToolRegistry"));
        assert_eq!(name(&[b'a'; 256]).map(|name| name.len()), Some(256));
        for none in [&[b'a'; 257][..], &[0xff], &[]] {
            assert_eq!(name(none), None);
        }
        assert_eq!(short(None), None);
    }

    #[test]
    fn only_the_word_one_is_a_yes() {
        let one = U256::from(1).to_be_bytes_vec();
        assert!(is_yes(&Said::Returned(one.clone().into())));
        let two = U256::from(2).to_be_bytes_vec();
        for no in [vec![], vec![1], two, [one, vec![0; 32]].concat()] {
            assert!(!is_yes(&Said::Returned(no.into())));
        }
        assert!(!is_yes(&Said::Reverted(Bytes::new())));
    }

    #[test]
    fn a_proxy_is_known_by_the_slots_of_erc_1967() {
        for (slot, name) in SLOTS.iter().zip(["implementation", "admin", "beacon"]) {
            let hash = keccak256(format!("eip1967.proxy.{name}"));
            assert_eq!(
                U256::from_be_bytes(slot.0) + U256::from(1),
                U256::from_be_bytes(hash.0)
            );
        }
        let leads = Address::repeat_byte(5).into_word();
        let found = judged(&[1], &[], [B256::ZERO, leads, B256::ZERO]);
        let seen = found.sighting().unwrap();
        assert_eq!(seen.implementation, None);
        assert_eq!(seen.beacon, None);
        assert_eq!(seen.code_hash.0, keccak256([1]).0);
        assert_eq!(judged(&[], &[], [B256::ZERO; 3]).sighting(), None);
        let leading = judged(&[1], &[], [leads, B256::ZERO, leads]);
        let seen = leading.sighting().unwrap();
        assert_eq!(seen.implementation, Some(ChainAddress([5; 20])));
        assert_eq!(seen.beacon, seen.implementation);
        let proxy = found.proxy.unwrap();
        assert_eq!(proxy.admin, Some(Address::repeat_byte(5)));
        assert_eq!((proxy.implementation, proxy.beacon), (None, None));
    }
}
