//! Tools side by side: two real nodes, one server of manifests, and an index that followed.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use deedbox_chain::config::Secret;
use deedbox_core::Standard;
use deedbox_id::{Asset, EvmChain, ToolReference};
use deedbox_registry::{
    CompareTools, ToolComparison,
    access::Access,
    compare::{
        Because, ComparedPrice, ComparisonWarning, Cost, Decimals, DecimalsSource, NoDecimals,
        NotCompared, Registered,
    },
    compare_tools,
    sync::{News, Options, Syncer, Watch},
    verify::CheckName,
};
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Index, RegistryId};

use super::{
    house::*,
    verify::{hash, manifest},
};

/// The second chain.
const OTHER: u64 = 31_338;

/// Two nodes with registries, a server, and everything that it serves by path.
struct Market {
    house: House,
    other: Anvil,
    both: Chains,
    registry: Address,
    server: HttpsServer,
    served: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

fn config(id: u64, url: String) -> ChainConfig {
    ChainConfig {
        id,
        name: format!("Chain {id}"),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: vec![EndpointConfig {
            timeout: Duration::from_secs(60),
            ..EndpointConfig::new("node".parse().unwrap(), Secret::new(url))
        }],
    }
}

impl Market {
    fn new() -> Self {
        let house = House::new();
        let other = Anvil::start_with(&["--chain-id", &OTHER.to_string()]).unwrap();
        let configs = vec![config(CHAIN, house.anvil.url()), config(OTHER, other.url())];
        let both = Chains::new(configs, house.clock.clone()).unwrap();
        let served = Arc::new(Mutex::new(BTreeMap::<String, Vec<u8>>::new()));
        let shelf = Arc::clone(&served);
        let certificate = Certificate::valid().unwrap();
        let server = HttpsServer::start(&certificate, move |request| {
            match shelf.lock().unwrap().get(&request.target) {
                Some(body) => Answer::ok(body),
                None => Answer::new(404, &[], "nothing"),
            }
        });
        Self {
            registry: house.deploy(&Deployment::Tools),
            both: both.with_deadline(Duration::from_secs(120)),
            server: server.unwrap(),
            house,
            other,
            served,
        }
    }

    /// Serves a good manifest, changed a little; returns its URI and its hash.
    fn serve(&self, name: &str, change: impl FnOnce(&mut Json)) -> (String, B256) {
        let mut manifest = manifest(&self.house, &self.server);
        manifest["name"] = json!(name);
        change(&mut manifest);
        let body = manifest.to_string().into_bytes();
        let path = format!("/.well-known/ai-tool/{name}.json");
        let hash = hash(&body);
        self.served.lock().unwrap().insert(path.clone(), body);
        (self.server.url(HOST, &path), hash)
    }

    fn tool(
        &self,
        name: &str,
        predicate: Address,
        change: impl FnOnce(&mut Json),
    ) -> ToolReference {
        let (uri, hash) = self.serve(name, change);
        self.house.register(self.registry, &uri, hash, predicate)
    }

    fn token(&self, decimals: u8) -> Address {
        let arguments = (
            Bytes::from_static(b"Dollar"),
            Bytes::from_static(b"USD"),
            U256::from(decimals),
        );
        self.house.fixture("Token", &arguments.abi_encode_params())
    }

    /// One that does not say its decimals.
    fn bare_token(&self) -> Address {
        let arguments = (Address::ZERO, U256::ZERO);
        self.house
            .fixture("BareToken", &arguments.abi_encode_params())
    }

    async fn compare(&self, request: &CompareTools, index: Option<&dyn Index>) -> ToolComparison {
        let fetcher = fetcher(&self.server);
        let found = compare_tools(&self.both, &fetcher, &*self.house.clock, index, request).await;
        as_its_schema_says(found.unwrap())
    }
}

fn of(tools: &[ToolReference]) -> CompareTools {
    CompareTools {
        tools: tools.to_vec(),
        block: Block::Latest,
        blocks: BTreeMap::new(),
        account: None,
        asset: None,
        protocols: None,
    }
}

fn price(amount: &str, asset: &str, protocol: &str) -> Json {
    let chain = asset.split_once('/').unwrap().0;
    let recipient = format!("{chain}:0xabcdef0123456789abcdef0123456789abcdef01");
    json!({"amount": amount, "asset": asset, "recipient": recipient, "protocol": protocol})
}

fn erc20(token: Address) -> String {
    format!("eip155:{CHAIN}/erc20:{token:#x}")
}

fn prices(cost: &Cost) -> &[ComparedPrice] {
    match cost {
        Cost::DeclaredFree { prices }
        | Cost::Priced { prices }
        | Cost::NoSupportedProtocol { prices } => prices,
        Cost::Unknown | Cost::Unstated => &[],
    }
}

fn order(found: &ToolComparison) -> Vec<usize> {
    let place = |tool: &String| {
        found
            .tools
            .iter()
            .position(|one| one.tool == *tool)
            .unwrap()
    };
    found
        .order
        .iter()
        .map(|placed| place(&placed.tool))
        .collect()
}

#[tokio::test]
async fn prices_are_written_with_the_decimals_that_the_chain_says_and_free_is_not_unknown() {
    let market = Market::new();
    let usd = erc20(market.token(6));
    let silent = erc20(market.bare_token());
    let nowhere = erc20(Address::repeat_byte(0x44));
    let ether = format!("eip155:{CHAIN}/slip44:60");
    let tools = [
        market.tool("dear", Address::ZERO, |manifest| {
            manifest["pricing"] = json!([price("70000", &usd, "x402"), price("1", &ether, "mpp")]);
        }),
        market.tool("cheap", Address::ZERO, |manifest| {
            manifest["pricing"] = json!([price("9999", &usd, "x402")]);
        }),
        market.tool("silent", Address::ZERO, |_| {}),
        market.tool("free", Address::ZERO, |manifest| {
            manifest["pricing"] = json!([price("0", &usd, "x402")]);
        }),
        market.tool("odd", Address::ZERO, |manifest| {
            let elsewhere = "eip155:1/slip44:60";
            manifest["pricing"] = json!([
                price("5", &silent, "x402"),
                price("5", &nowhere, "x402"),
                price("5", elsewhere, "x402")
            ]);
        }),
    ];
    let found = market.compare(&of(&tools), None).await;
    assert!(found.tools.iter().all(|tool| tool.verified));
    let units: Vec<Vec<_>> = found
        .tools
        .iter()
        .map(|tool| {
            prices(&tool.cost)
                .iter()
                .map(|price| price.in_units.as_deref())
                .collect()
        })
        .collect();
    assert_eq!(
        units,
        [
            vec![Some("0.07"), Some("0.000000000000000001")],
            vec![Some("0.009999")],
            vec![],
            vec![Some("0")],
            vec![None, None, None],
        ]
    );
    let known = |decimals, source| Decimals::Known { decimals, source };
    let unknown = |why| Decimals::Unknown { why };
    let decimals = |index: usize| -> Vec<_> {
        prices(&found.tools[index].cost)
            .iter()
            .map(|one| one.decimals)
            .collect()
    };
    assert_eq!(
        decimals(0),
        [
            known(6, DecimalsSource::Contract),
            known(18, DecimalsSource::Configuration)
        ]
    );
    assert_eq!(
        decimals(4),
        [
            unknown(NoDecimals::NotSaid),
            unknown(NoDecimals::NoContract),
            unknown(NoDecimals::ChainNotRead)
        ]
    );
    assert!(matches!(found.tools[2].cost, Cost::Unstated));
    assert!(
        found.tools[2]
            .warnings
            .contains(&ComparisonWarning::PriceUnstated)
    );
    assert!(matches!(found.tools[3].cost, Cost::DeclaredFree { .. }));
    assert!(
        found.tools[4]
            .warnings
            .contains(&ComparisonWarning::DecimalsUnknown)
    );
    // Several assets and none asked for: nothing is put above anything for its price, but free is free.
    assert_eq!(
        (found.asset.as_deref(), order(&found)),
        (None, vec![3, 0, 1, 4, 2])
    );
    assert_eq!(found.not_compared.len(), 2);

    let in_usd = CompareTools {
        asset: Some(usd.parse::<Asset>().unwrap()),
        ..of(&tools)
    };
    let found = market.compare(&in_usd, None).await;
    assert_eq!(
        (found.asset.as_deref(), order(&found)),
        (Some(&*usd), vec![3, 1, 0, 4, 2])
    );
    assert_eq!(
        found.order[3].because,
        [Because::Verified, Because::PriceInAnotherAsset]
    );
    assert!(matches!(
        &found.not_compared[0],
        NotCompared::PricesInSeveralAssets { assets } if assets.contains(&usd) && assets.len() == 2
    ));

    // By one protocol only.
    let by_mpp = CompareTools {
        protocols: Some(vec!["mpp".to_owned()]),
        ..of(&tools[..2])
    };
    let found = market.compare(&by_mpp, None).await;
    let listed = prices(&found.tools[0].cost);
    assert_eq!(
        listed
            .iter()
            .map(|one| (one.protocol_is_supported, one.is_chosen))
            .collect::<Vec<_>>(),
        [(Some(false), false), (Some(true), true)]
    );
    assert!(matches!(
        found.tools[1].cost,
        Cost::NoSupportedProtocol { .. }
    ));
    assert!(
        found.tools[1]
            .warnings
            .contains(&ComparisonWarning::NoSupportedProtocol)
    );
}

#[tokio::test]
async fn who_is_not_verified_or_not_let_in_stands_behind_and_is_not_hidden() {
    let market = Market::new();
    let (house, registry) = (&market.house, market.registry);
    let list = house.predicate(Predicate::Allowlist { registry });
    let free = |manifest: &mut Json| {
        manifest["pricing"] = json!([price("0", "eip155:1/slip44:60", "x402")]);
    };
    let gated = market.tool("gated", list, free);
    let open = market.tool("open", Address::ZERO, |_| {});
    let (uri, _) = market.serve("fake", free);
    let fake = house.register(registry, &uri, B256::repeat_byte(9), Address::ZERO);
    let none = tool(registry, U256::from(99));
    let request = CompareTools {
        account: Some(house.account(3)),
        ..of(&[fake, gated, none, open])
    };
    let found = market.compare(&request, None).await;
    assert_eq!(order(&found), [3, 1, 0, 2]);
    let access: Vec<_> = found
        .tools
        .iter()
        .map(|tool| tool.access.as_ref().map(|one| one.access))
        .collect();
    assert_eq!(
        access,
        [
            Some(Access::Open),
            Some(Access::Denied),
            None,
            Some(Access::Open)
        ]
    );
    assert_eq!(
        found.tools[1].access.as_ref().unwrap().takes,
        [format!("be on the list of {list:#x}")]
    );
    assert_eq!(
        found.order[0].because,
        [Because::Verified, Because::MayUse, Because::PriceUnstated]
    );
    assert_eq!(
        found.order[1].because,
        [Because::Verified, Because::MayNotUse, Because::DeclaredFree]
    );
    // Of what is not verified nothing is gone by, also where it says that it is free.
    let fake = &found.tools[0];
    assert_eq!((fake.verified, fake.failed), (false, Some(CheckName::Hash)));
    assert_eq!(
        (&fake.cost, &fake.tier, fake.pre_filled.len()),
        (&Cost::Unknown, &None, 0)
    );
    assert_eq!(fake.name.as_ref().unwrap().text, "fake");
    assert_eq!(fake.warnings, [ComparisonWarning::NotVerified]);
    let nobody = market.compare(&of(&[gated, open]), None).await;
    assert!(nobody.tools.iter().all(|tool| tool.access.is_none()));
}

#[tokio::test]
async fn what_a_manifest_fills_in_is_listed_with_its_value() {
    let market = Market::new();
    let filling = market.tool("filling", Address::ZERO, |manifest| {
        manifest["maxAge"] = json!(0);
        manifest["inputs"] = json!({
            "type": "object",
            "properties": {
                "to": {"type": "string", "const": "0xabcdef0123456789abcdef0123456789abcdef01"},
                "days": {"type": "integer", "default": 7},
            },
        });
        manifest["pricing"] = json!([price("1", "eip155:1/slip44:60", "x402")]);
    });
    let plain = market.tool("plain", Address::ZERO, |_| {});
    let found = market.compare(&of(&[filling, plain]), None).await;
    let tool = &found.tools[0];
    let mut listed: Vec<_> = tool
        .pre_filled
        .iter()
        .map(|one| {
            (
                one.pointer.text.as_str(),
                one.keyword.as_str(),
                one.value.text.as_str(),
            )
        })
        .collect();
    listed.sort_unstable();
    assert_eq!(
        listed,
        [
            ("/inputs/properties/days/default", "default", "7"),
            (
                "/inputs/properties/to/const",
                "const",
                "\"0xabcdef0123456789abcdef0123456789abcdef01\""
            ),
        ]
    );
    for warning in [
        ComparisonWarning::FillsInArguments,
        ComparisonWarning::VerifyEachTime,
    ] {
        assert!(tool.warnings.contains(&warning), "{:?}", tool.warnings);
    }
    assert!(found.tools[1].pre_filled.is_empty());
}

/// A comparison that is too long for its evidence would not be told at all, so one creator could hide the others.
#[tokio::test]
async fn ten_tools_that_say_as_much_as_they_can_fit_into_one_piece_of_evidence() {
    let market = Market::new();
    let tools: Vec<_> = (0..10)
        .map(|number| {
            market.tool(&format!("long{number}"), Address::ZERO, |manifest| {
                let prices: Vec<_> = (0..32_u64)
                    .map(|one| {
                        let token = Address::from_word(U256::from(one + 1).into());
                        price(&U256::MAX.to_string(), &erc20(token), &format!("p{one}"))
                    })
                    .collect();
                manifest["description"] = json!("d".repeat(400));
                manifest["pricing"] = json!(prices);
                let properties = (0..40).map(|one| {
                    let key = format!("{}{one}", "k".repeat(60));
                    (
                        key,
                        json!({"type": "string", "default": "\u{202e}".repeat(60)}),
                    )
                });
                let properties: serde_json::Map<_, _> = properties.collect();
                manifest["inputs"] = json!({"type": "object", "properties": properties});
            })
        })
        .collect();
    let request = CompareTools {
        protocols: Some(vec!["p31".to_owned()]),
        account: Some(market.house.account(1)),
        ..of(&tools)
    };
    let found = market.compare(&request, None).await;
    for tool in &found.tools {
        assert!(tool.verified, "{:?}", tool.reasons);
        let listed = prices(&tool.cost);
        assert_eq!((listed.len(), listed[8].is_chosen), (9, true));
        for warning in [
            ComparisonWarning::MorePrices,
            ComparisonWarning::MoreFilledIn,
        ] {
            assert!(tool.warnings.contains(&warning));
        }
    }
    let length = serde_json::to_vec(&found).unwrap().len();
    assert!(length < deedbox_core::limits::READING_BYTES / 2, "{length}");
}

/// Nobody listens.
#[derive(Debug)]
struct Deaf;

impl Watch for Deaf {
    fn tell(&self, _: News) {}
}

#[tokio::test]
async fn each_chain_has_one_block_and_the_index_says_how_old_a_registration_is() {
    let market = Market::new();
    let here = market.tool("here", Address::ZERO, |_| {});
    let (uri, hash) = market.serve("there", |manifest| {
        manifest["pricing"] = json!([price("0", "eip155:1/slip44:60", "x402")]);
    });
    // The same on the other chain: the same account deploys first.
    let receipt = market
        .other
        .create(&Deployment::Tools.encode().to_string())
        .unwrap();
    let registry: Address = receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let call = Call::RegisterTool {
        metadata_uri: uri,
        manifest_hash: hash,
        access_predicate: Address::ZERO,
    };
    let from = market.other.account(0);
    market
        .other
        .send(from, &registry.to_string(), &call.encode())
        .unwrap();
    let chain = EvmChain::try_from(OTHER).unwrap();
    let there =
        ToolReference::new(chain, deedbox_id::Address(registry.0.0), U256::from(1)).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let index = Arc::new(
        SqliteIndex::open(&folder.path().join("index.sqlite3"))
            .await
            .unwrap(),
    );
    let followed = RegistryId {
        chain_id: CHAIN,
        address: chain_address(market.registry),
    };
    index.begin(followed, Standard::Erc8257, 0).await.unwrap();
    let clock: Arc<dyn World> = market.house.clock.clone();
    let configs = vec![config(CHAIN, market.house.anvil.url())];
    let chains = Arc::new(Chains::new(configs, Arc::clone(&clock)).unwrap());
    let as_index: Arc<dyn Index> = index.clone();
    let options = Options {
        holder: "test".to_owned(),
        ..Options::new(&*clock)
    };
    let syncer = Syncer::new(
        chains,
        as_index,
        Arc::clone(&clock),
        options,
        Arc::new(Deaf),
    );
    syncer.catch_up(CHAIN).await.unwrap();

    let request = of(&[here, there]);
    let found = market.compare(&request, Some(&*index)).await;
    let read: Vec<_> = found.chains.iter().map(|at| at.chain_id).collect();
    assert_eq!(read, [CHAIN, OTHER]);
    assert_eq!(found.provenance, found.chains[0]);
    assert!(found.tools.iter().all(|tool| tool.verified));
    assert_eq!(order(&found), [1, 0]);
    let Registered::At { block_number, .. } = found.tools[0].registered else {
        panic!("{:?}", found.tools[0].registered)
    };
    assert_eq!(block_number, market.house.anvil.height().unwrap());
    assert_eq!(found.tools[1].registered, Registered::NotIndexed);

    // Read again at the blocks that were read, it is the same, whatever the chains have done since.
    market
        .house
        .send(0, market.registry, &Call::DeregisterTool(here.tool_id()));
    let again = CompareTools {
        blocks: found
            .chains
            .iter()
            .map(|at| (at.chain_id, at.block_hash))
            .collect(),
        ..request.clone()
    };
    let again = market.compare(&again, None).await;
    assert_eq!(again.chains, found.chains);
    assert!(again.tools[0].verified);
    let now = market.compare(&request, Some(&*index)).await;
    assert!(!now.tools[0].verified);

    // A chain that cannot be read is no side without a side.
    drop(market.other);
    let fetcher = fetcher(&market.server);
    let short = Chains::new(
        vec![
            config(CHAIN, market.house.anvil.url()),
            config(OTHER, "http://127.0.0.1:9".to_owned()),
        ],
        Arc::clone(&clock),
    );
    let unread = compare_tools(&short.unwrap(), &fetcher, &*clock, None, &request).await;
    assert!(unread.unwrap_err().code.retryable());
}

#[test]
fn what_cannot_be_compared_is_refused_before_anybody_is_asked() {
    let on = |chain: u64, id: u64| {
        let chain = EvmChain::try_from(chain).unwrap();
        ToolReference::new(chain, deedbox_id::Address([7; 20]), U256::from(id)).unwrap()
    };
    let refused = |request: CompareTools| request.check().unwrap_err().message;
    assert!(refused(of(&[on(1, 1)])).starts_with("tools must name 2 to 10"));
    let eleven: Vec<_> = (1..12).map(|id| on(1, id)).collect();
    assert!(refused(of(&eleven)).starts_with("tools must name 2 to 10"));
    assert!(refused(of(&[on(1, 1), on(1, 1)])).starts_with("tools name a tool twice"));
    let at = |block| CompareTools {
        block,
        ..of(&[on(1, 1), on(10, 1)])
    };
    assert!(refused(at(Block::Number(7))).starts_with("block must be latest"));
    assert!(at(Block::Finalized).check().is_ok());
    let elsewhere = deedbox_core::BlockHash([1; 32]);
    let blocks = |id| CompareTools {
        blocks: BTreeMap::from([(id, elsewhere)]),
        ..at(Block::Number(7))
    };
    assert!(blocks(10).check().is_ok(), "one chain is left");
    assert!(refused(blocks(5)).starts_with("blocks name a block of chain 5"));
}
