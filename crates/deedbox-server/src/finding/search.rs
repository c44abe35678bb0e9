//! From a search's arguments to what the index is asked, and from what it found to a page.

use super::{
    AgentHit, FoundAgents, FoundTools, Hint, HintCode, Known, ToolHit,
    cursor::{self, Page},
};
use crate::{
    inputs::{FindAgents, FindTools, MOST_REGISTRIES},
    operations::TrustLevel,
    policy::Asked,
};
use deedbox_core::{ChainAddress, Refusal, RegistryId, Standard};
use deedbox_id::{Address, EvmChain, Registry};
use deedbox_manifest::Tier;
use deedbox_store::index::{AgentEntry, Found, OfAgents, OfTools, Search, ToolEntry, WindowPlace};

/// A search whose arguments were read, before it is known what may be told.
#[derive(Clone, Debug)]
pub(crate) struct Scoped<F> {
    /// Without what is thought of registries.
    search: Search<F>,
    tool: &'static str,
    /// The owner or creator, under the argument's name.
    account: Option<(&'static str, ChainAddress)>,
    /// The arguments, but for the page: what a cursor is bound to.
    filter: Vec<u8>,
    /// Where it goes on; `None` for the first page.
    page: Option<Page>,
}

/// The arguments that both searches have.
macro_rules! common {
    ($input:expr, $tool:expr, $account:expr, $only:expr) => {{
        let input = $input;
        if input.registries.len() > MOST_REGISTRIES {
            let reason = format!("names more than {MOST_REGISTRIES}");
            return Err(Refusal::invalid("registries", reason));
        }
        let registries = input.registries.iter();
        let registries = registries.map(|text| registry("registries", text));
        let account = $account;
        let mut same = input.clone();
        (same.limit, same.cursor) = (None, None);
        let filter = cursor::filter($tool, &same);
        let after = input.cursor.as_ref();
        let page = after.map(|text| cursor::after(&text.0, $tool, &filter));
        let page = page.transpose()?;
        Ok(Scoped {
            search: Search {
                text: input.text.clone().unwrap_or_default(),
                registries: registries.collect::<Result<_, _>>()?,
                chain_id: input.chain_id,
                owner: account.map(|(_, account)| account),
                updated_since: input.updated_since,
                gone: input.gone,
                blocked: input.blocked,
                only: $only,
                after: page.as_ref().map(|page| page.place.clone()),
                limit: input.limit.unwrap_or_default().get(),
                ..Search::default()
            },
            tool: $tool,
            account,
            filter,
            page,
        })
    }};
}

impl FindAgents {
    /// # Errors
    /// [`Refusal::InvalidInput`], naming the argument.
    pub(crate) fn scoped(&self) -> Result<Scoped<OfAgents>, Refusal> {
        let only = OfAgents {
            service_type: self.service_type.clone(),
        };
        common!(
            self,
            "find_agents",
            account("owner", self.owner.as_deref())?,
            only
        )
    }
}

impl FindTools {
    /// # Errors
    /// [`Refusal::InvalidInput`], naming the argument.
    pub(crate) fn scoped(&self) -> Result<Scoped<OfTools>, Refusal> {
        if self.at_most.is_some() && self.asset.is_none() {
            let reason = "is an amount of an asset; name it in asset";
            return Err(Refusal::invalid("at_most", reason));
        }
        let amount = |text: &String| {
            let number = deedbox_id::decimal::parse(text);
            number.map_err(|error| Refusal::invalid("at_most", error.to_string()))
        };
        let only = OfTools {
            unverified: self.unverified,
            tier: self.tier.as_deref().map(tier).transpose()?,
            access: self.access,
            asset: self.asset.as_deref().map(asset).transpose()?,
            at_most: self.at_most.as_ref().map(amount).transpose()?,
        };
        common!(
            self,
            "find_tools",
            account("creator", self.creator.as_deref())?,
            only
        )
    }
}

/// One of the standard's tiers; a misspelled one would find nothing, as if there were none.
fn tier(text: &str) -> Result<String, Refusal> {
    match Tier::named(text) {
        Some(tier) => Ok(tier.as_str().to_owned()),
        None => Err(Refusal::invalid(
            "tier",
            "must be self-attested, hardware-attested or verifiable",
        )),
    }
}

/// An asset, as manifests name it.
fn asset(text: &str) -> Result<String, Refusal> {
    let asset = text.parse::<deedbox_id::caip::Asset>();
    let bad = |error: deedbox_id::Error| Refusal::invalid("asset", error.to_string());
    asset.map(|_| text.to_owned()).map_err(bad)
}

/// A registry in one of its two notations.
pub(crate) fn registry(name: &'static str, text: &str) -> Result<RegistryId, Refusal> {
    let bad = || {
        let reason =
            "must be a contract on an EVM chain, like eip155:1:0x… (CAIP-10) or 0x0001… (ERC-7930)";
        Refusal::invalid(name, reason)
    };
    if !text.starts_with("0x") {
        return text.parse().map_err(|_| bad());
    }
    let place: Registry = text.parse().map_err(|_| bad())?;
    let place = place.as_interop();
    let chain = place.evm_chain().and_then(EvmChain::to_u64);
    let (Some(chain_id), Some(address)) = (chain, place.evm_address()) else {
        return Err(bad());
    };
    Ok(RegistryId {
        chain_id,
        address: ChainAddress(address.0),
    })
}

fn account(
    name: &'static str,
    text: Option<&str>,
) -> Result<Option<(&'static str, ChainAddress)>, Refusal> {
    let read = |text: &str| {
        let address = text.parse::<Address>();
        let address = address.map_err(|error| Refusal::invalid(name, error.to_string()))?;
        Ok((name, ChainAddress(address.0)))
    };
    text.map(read).transpose()
}

impl<F> Scoped<F> {
    /// What a policy is asked about it.
    pub(crate) fn asked(&self) -> Asked {
        let registries = self.search.registries.iter();
        let chains = registries.clone().map(|registry| registry.chain_id);
        let places = registries.map(|registry| ("registries", registry.address));
        let addresses = places.chain(self.account);
        let addresses = addresses.map(|(name, address)| (name.to_owned(), Address(address.0)));
        Asked::of_the_index(
            self.tool,
            self.search.chain_id.into_iter().chain(chains),
            addresses,
        )
    }

    /// What the index is asked, of registries that may be told of; `None` when there are none, and nothing is to be found.
    pub(crate) fn search(&self, known: &Known) -> Option<Search<F>>
    where
        F: Clone,
    {
        let mut search = Search {
            trust: known.trust(),
            ..self.search.clone()
        };
        let is_told = |registry: &RegistryId| known.cursor(*registry).is_some();
        if !search.registries.is_empty() {
            search.registries.retain(is_told);
        } else if known.some_left_out {
            search.registries = known.cursors.keys().copied().collect();
        } else {
            return Some(search);
        }
        (!search.registries.is_empty()).then_some(search)
    }

    /// The registries of this standard in which it is looked, by what [`search`](Self::search) asks of the index.
    fn searched(&self, known: &Known, standard: Standard) -> Vec<RegistryId> {
        let search = &self.search;
        let cursors = known.cursors.values();
        let searched = cursors.filter(|cursor| {
            let registry = cursor.registry;
            cursor.standard == standard
                && (search.registries.is_empty() || search.registries.contains(&registry))
                && search
                    .chain_id
                    .is_none_or(|chain| chain == registry.chain_id)
                && (search.blocked || known.trust_in(registry) != TrustLevel::Blocked)
        });
        searched.map(|cursor| cursor.registry).collect()
    }

    /// By which numbering the pages before this one were found; `None` for the first page.
    pub(crate) fn numbering(&self) -> Option<i64> {
        self.page.as_ref().map(|page| page.numbering)
    }

    /// Refuses to go on when the index has another numbering by now.
    ///
    /// # Errors
    /// [`Refusal::InvalidInput`], naming the cursor.
    pub(crate) fn still_counts(&self, numbering: i64) -> Result<(), Refusal> {
        let page = self.page.as_ref();
        page.map_or(Ok(()), |page| cursor::still_counts(page, numbering))
    }

    fn next(&self, next: Option<WindowPlace>, numbering: i64) -> Option<String> {
        let place = next?;
        Some(cursor::next(
            &Page { numbering, place },
            self.tool,
            &self.filter,
        ))
    }

    fn hints(&self, known: &Known, standard: Standard, nothing: bool) -> Vec<Hint> {
        let mut hints = known.hints(Some(standard));
        let unread = self.search.registries.iter();
        let unread = unread.filter(|registry| known.cursor(**registry).is_none());
        if unread.count() > 0 {
            let message = "some of the registries that were named are not read here; list_registries says which are";
            hints.push(Hint::new(HintCode::RegistryNotRead, message));
        }
        let named = self.search.registries.iter();
        let of_the_other = named
            .filter(|registry| known.standard(**registry).is_some_and(|of| of != standard))
            .count();
        if of_the_other > 0 {
            hints.push(other_standard(standard));
        }
        let named = self.search.registries.iter();
        let blocked = named.filter(|registry| known.trust_in(**registry) == TrustLevel::Blocked);
        if !self.search.blocked && blocked.count() > 0 {
            let message = "some of the registries that were named are blocked; with blocked, what they have is found too, and marked";
            hints.push(Hint::new(HintCode::RegistryBlocked, message));
        }
        let elsewhere = |chain: &u64| !known.cursors.keys().any(|one| one.chain_id == *chain);
        if let Some(chain) = self.search.chain_id.filter(elsewhere) {
            let message = format!("no registry of chain {chain} is read here");
            hints.push(Hint::new(HintCode::ChainNotRead, message));
        }
        if nothing && hints.is_empty() {
            let message = "nothing fits: all words have to be there, and everything else that is asked for; ask for less, or look at list_registries for what is read";
            hints.push(Hint::new(HintCode::NothingFits, message));
        }
        hints
    }
}

/// What to know about a search in registries that hold the other thing than what is searched for.
fn other_standard(searched: Standard) -> Hint {
    let message = match searched {
        Standard::Erc8122 => {
            "some of the registries that were named hold tools (ERC-8257) and no agents: find_tools, on a command line deedbox tool find, looks there"
        }
        Standard::Erc8257 => {
            "some of the registries that were named hold agents (ERC-8122) and no tools: find_agents, on a command line deedbox agent find, looks there"
        }
    };
    Hint::new(HintCode::OtherStandard, message)
}

impl Scoped<OfAgents> {
    /// The page, found by this numbering.
    pub(crate) fn page(
        &self,
        (found, numbering): (Found<AgentEntry>, i64),
        known: &Known,
    ) -> FoundAgents {
        let agents = found.entries.iter();
        let agents: Vec<_> = agents.map(|agent| AgentHit::new(agent, known)).collect();
        let searched = self.searched(known, Standard::Erc8122);
        let mut hints = self.hints(known, Standard::Erc8122, agents.is_empty());
        let provenance = known.provenance(agents.iter().map(|agent| agent.registry), &searched);
        hints.extend(known.begins_in_the_middle(&provenance));
        hints.extend(known.warnings(&searched));
        FoundAgents {
            provenance,
            hints,
            next_cursor: self.next(found.next, numbering),
            agents,
        }
    }
}

impl Scoped<OfTools> {
    /// The page, found by this numbering.
    pub(crate) fn page(
        &self,
        (found, numbering): (Found<ToolEntry>, i64),
        known: &Known,
    ) -> FoundTools {
        let tools = found.entries.iter();
        let tools: Vec<_> = tools.map(|tool| ToolHit::new(tool, known)).collect();
        let mut hints = self.hints(known, Standard::Erc8257, tools.is_empty());
        let searched = self.searched(known, Standard::Erc8257);
        // Where no tools are looked for, none are left out.
        if tools.is_empty() && !self.search.only.unverified && !searched.is_empty() {
            let message = "only tools whose manifest was verified are found; with unverified, those that were not are found too, and marked";
            hints.push(Hint::new(HintCode::VerifiedOnly, message));
        }
        let provenance = known.provenance(tools.iter().map(|tool| tool.registry), &searched);
        hints.extend(known.begins_in_the_middle(&provenance));
        hints.extend(known.warnings(&searched));
        FoundTools {
            provenance,
            hints,
            next_cursor: self.next(found.next, numbering),
            tools,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CAIP: &str = "eip155:1:0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
    const HEX: &str = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";

    fn agents(arguments: serde_json::Value) -> Result<Scoped<OfAgents>, Refusal> {
        let arguments = arguments.as_object().unwrap().clone();
        crate::inputs::read::<FindAgents>(arguments)?.scoped()
    }

    #[test]
    fn both_notations_name_the_same_registry() {
        let scoped = agents(json!({"registries": [CAIP, HEX]})).unwrap();
        assert_eq!(scoped.search.registries[0], scoped.search.registries[1]);
        let asked = scoped.asked();
        assert_eq!(asked.chains, [1, 1]);
        assert_eq!(asked.addresses.len(), 2);
    }

    #[test]
    fn what_is_malformed_is_named() {
        for (arguments, field) in [
            (json!({"registries": ["eip155:1"]}), "registries"),
            (json!({"registries": ["0x0001"]}), "registries"),
            (json!({"registries": vec![CAIP; 17]}), "registries"),
            (json!({"owner": "0x12"}), "owner"),
            // The checksum of another address.
            (
                json!({"owner": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046"}),
                "owner",
            ),
            (json!({"limit": 101}), "limit"),
            (json!({"text": "x".repeat(401)}), "text"),
            (json!({"service_type": "x".repeat(201)}), "service_type"),
            (json!({"cursor": "AAAA"}), "cursor"),
            (json!({"updated_since": "yesterday"}), "updated_since"),
        ] {
            let said = agents(arguments.clone()).unwrap_err().to_string();
            assert!(said.starts_with(field), "{arguments}: {said}");
        }
        for (field, longest) in [("tier", 64), ("asset", 200)] {
            let tools = json!({field: "x".repeat(longest + 1)});
            let said = crate::inputs::read::<FindTools>(tools.as_object().unwrap().clone());
            let said = said.unwrap_err().to_string();
            assert!(said.starts_with(field), "{said}");
        }
        let tools = json!({"at_most": "5"}).as_object().unwrap().clone();
        let tools = crate::inputs::read::<FindTools>(tools).unwrap();
        let said = tools.scoped().unwrap_err().to_string();
        assert!(said.starts_with("at_most"), "{said}");
    }

    #[test]
    fn a_cursor_goes_on_with_its_own_search_only() {
        let place = WindowPlace {
            newest: 70_000,
            shown: vec![68_999, 70_000],
        };
        let first = agents(json!({"text": "weather", "limit": 5})).unwrap();
        let cursor = first.next(Some(place.clone()), 5).unwrap();
        let again = agents(json!({"text": "weather", "limit": 7, "cursor": cursor})).unwrap();
        assert_eq!(again.search.after.as_ref(), Some(&place));
        assert_eq!(again.search.limit, 7);
        assert_eq!(again.still_counts(5), Ok(()));
        let said = again.still_counts(6).unwrap_err().to_string();
        assert!(said.starts_with("cursor: is of an index"), "{said}");
        assert_eq!(first.still_counts(6), Ok(()), "it begins");
        for other in [
            json!({"text": "Weather", "cursor": cursor}),
            json!({"text": "weather", "gone": true, "cursor": cursor}),
        ] {
            assert!(agents(other).is_err());
        }
    }
}
