//! A node, an endpoint before it that breaks when told to, a database, and somebody at the desk.

pub(crate) use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

pub(crate) use alloy_primitives::{Address, B256, Signature, U256};
use alloy_signer::Signer as _;
use alloy_signer_local::PrivateKeySigner;
use alloy_sol_types::SolCall;
pub(crate) use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
pub(crate) use deedbox_core::{
    Attribution, ChainAccount, ChainAddress, Principal, PublicationId,
    publication::{Inclusion, ReadBack, Settlement},
};
use deedbox_fetch::{Fetcher, Rules};
use deedbox_neighbours::{
    anvil::Anvil,
    certificate::Certificate,
    https::{Answer, HttpsServer},
    rpc::{Call, FaultyEndpoint},
};
pub(crate) use deedbox_publish::{
    Action, CannotSign, Confirmation, Desk, ManifestSource, NotAsked, Options, Preview,
    PublishError, Published, Signer, Step, Teller, publish, resume,
};
pub(crate) use deedbox_registry::{
    Admission, AgentRegistry, Deployment, Entry, NewAgent, Predicate,
    abi::{OpenAgentRegistry as Agents, ToolRegistry as Tools},
};
use deedbox_sqlite::SqliteStore;
pub(crate) use deedbox_store::Store;
use deedbox_store::story::StoryWorld;
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use tokio::sync::Barrier;

pub(crate) use crate::endpoint::Fault;
use crate::endpoint::{self, Told};

pub(crate) const CHAIN: u64 = 31_337;
/// The keys that every anvil signs for: public knowledge.
const KEYS: [&str; 3] = [
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
];

const DATABASE: &str = "deeds.db";

/// Everything that a publication needs.
pub(crate) struct House {
    pub(crate) anvil: Arc<Anvil>,
    told: Arc<Mutex<Told>>,
    /// Of the second endpoint, where there is one.
    spare: Arc<Mutex<Told>>,
    _endpoints: Vec<FaultyEndpoint>,
    pub(crate) chains: Chains,
    pub(crate) store: SqliteStore,
    pub(crate) world: Arc<StoryWorld>,
    pub(crate) fetcher: Fetcher,
    pub(crate) web: HttpsServer,
    pub(crate) attribution: Attribution,
    folder: tempfile::TempDir,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A house whose node has these arguments.
    pub(crate) async fn with(args: &[&str]) -> Self {
        Self::build(args, &["node"]).await
    }

    /// A house with a second endpoint, called `spare`, before the same node.
    pub(crate) async fn pair() -> Self {
        Self::build(&[], &["node", "spare"]).await
    }

    async fn build(args: &[&str], ids: &[&str]) -> Self {
        let anvil = Arc::new(Anvil::start_with(args).unwrap());
        let told: [Arc<Mutex<Told>>; 2] = Default::default();
        let served = told.iter().take(ids.len());
        let served = served.map(|told| endpoint::serve(&anvil, told));
        let served: Vec<_> = served.collect();
        let endpoints = ids.iter().zip(&served).map(|(id, served)| EndpointConfig {
            timeout: Duration::from_secs(20),
            attempts: std::num::NonZeroU32::MIN,
            ..EndpointConfig::new(id.parse().unwrap(), Secret::new(served.url()))
        });
        let world = Arc::new(StoryWorld::default());
        let config = ChainConfig {
            id: CHAIN,
            name: "Test chain".to_owned(),
            native_symbol: "ETH".to_owned(),
            native_decimals: 18,
            multicall: None,
            finality_depth: None,
            endpoints: endpoints.collect(),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        let store = SqliteStore::open(&path, world.clone()).await.unwrap();
        let web = HttpsServer::start(&Certificate::valid().unwrap(), |_| {
            Answer::new(404, &[], "nothing")
        })
        .unwrap();
        let fetcher = Fetcher::new(Rules {
            allow: ["127.0.0.0/8", "::1/128"]
                .map(|net| net.parse().unwrap())
                .into(),
            roots: vec![web.ca_pem().unwrap().to_owned()],
            ..Rules::default()
        });
        Self {
            chains: Chains::new(vec![config], world.clone()).unwrap(),
            store,
            fetcher: fetcher.unwrap(),
            attribution: Attribution::of(Principal::local()),
            anvil,
            told: Arc::clone(&told[0]),
            spare: Arc::clone(&told[1]),
            _endpoints: served,
            world,
            web,
            folder,
        }
    }

    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk {
            chains: &self.chains,
            store: &self.store,
            world: &*self.world,
            fetcher: &self.fetcher,
            attribution: &self.attribution,
        }
    }

    /// From now on the endpoint does this.
    pub(crate) fn fault(&self, fault: Fault) {
        let mut told = self.told.lock().unwrap();
        told.fault = Some(fault);
        told.seen = 0;
    }

    /// From now on the second endpoint does this.
    pub(crate) fn spare_fault(&self, fault: Fault) {
        self.spare.lock().unwrap().fault = Some(fault);
    }

    /// From now on the endpoint says this instead of what the node says.
    pub(crate) fn lie(&self, lie: impl Fn(&Call, &Anvil) -> Option<Value> + Send + Sync + 'static) {
        self.told.lock().unwrap().lie = Some(Arc::new(lie));
    }

    /// From now on it tells the truth.
    pub(crate) fn repent(&self) {
        self.told.lock().unwrap().lie = None;
    }

    /// How many requests came since [`House::fault`].
    pub(crate) fn seen(&self) -> usize {
        self.told.lock().unwrap().seen
    }

    /// Is called with the methods of each request before it is passed on.
    pub(crate) fn hook(&self, hook: impl Fn(&str) + Send + Sync + 'static) {
        self.told.lock().unwrap().hook = Some(Arc::new(Box::new(hook)));
    }

    /// Somebody else changes the database, past the program.
    pub(crate) async fn sql(&self, statement: &'static str) {
        let path = self.folder.path().join(DATABASE);
        let url = format!("sqlite://{}", path.display());
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        connection.execute(statement).await.unwrap();
    }

    pub(crate) async fn publish_by(
        &self,
        who: usize,
        action: Action,
        options: &Options,
        teller: &mut Script,
    ) -> Result<Published, PublishError> {
        publish(self.desk(), CHAIN, action, &key(who), options, teller).await
    }

    /// Publishes as the first account, saying yes, and returns what was settled.
    pub(crate) async fn done(&self, action: Action) -> Inclusion {
        self.done_by(0, action).await
    }

    pub(crate) async fn done_by(&self, who: usize, action: Action) -> Inclusion {
        let published = self
            .publish_by(who, action, &quick(), &mut Script::yes())
            .await
            .unwrap();
        let inclusion = included(published);
        assert!(inclusion.succeeded);
        assert_eq!(inclusion.findings, []);
        assert_eq!(inclusion.read_back, ReadBack::Matches);
        inclusion
    }

    /// What publishing refuses, as the first account.
    pub(crate) async fn refused(&self, action: Action) -> String {
        self.refused_by(0, action).await
    }

    pub(crate) async fn refused_by(&self, who: usize, action: Action) -> String {
        let nonce = self.nonce(address(who));
        let error = self
            .publish_by(who, action, &quick(), &mut Script::yes())
            .await
            .unwrap_err();
        assert_eq!(self.nonce(address(who)), nonce, "nothing was sent");
        assert_eq!(error.publication(), None);
        error.to_string()
    }

    pub(crate) async fn resumed(&self, id: PublicationId) -> Result<Published, PublishError> {
        resume(self.desk(), id, None, &quick(), &mut Script::yes()).await
    }

    pub(crate) async fn open(&self, who: usize) -> Option<PublicationId> {
        let of = ChainAccount {
            chain_id: CHAIN,
            account: ChainAddress(address(who).0.0),
        };
        let open = self.store.open_publication(of).await.unwrap();
        open.map(|open| open.id)
    }

    pub(crate) async fn deploy(&self, deployment: Deployment) -> Address {
        let inclusion = self.done(Action::Deploy(deployment)).await;
        inclusion.created["contract"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    pub(crate) async fn open_registry(&self) -> Address {
        self.deploy(registry(Admission::Open, address(0))).await
    }

    pub(crate) fn rpc(&self, method: &str, params: Value) -> Value {
        self.anvil.rpc(method, params).unwrap()
    }

    /// How many transactions of the account are in the chain.
    pub(crate) fn nonce(&self, account: Address) -> u64 {
        let nonce = self.rpc("eth_getTransactionCount", json!([account, "latest"]));
        u64::from_str_radix(&nonce.as_str().unwrap()[2..], 16).unwrap()
    }

    /// What a view returns at the newest block, through no code of ours.
    pub(crate) fn view<C: SolCall>(&self, to: Address, call: &C) -> C::Return {
        let data = alloy_primitives::hex::encode_prefixed(call.abi_encode());
        let answer = self.rpc("eth_call", json!([{"to": to, "data": data}, "latest"]));
        let bytes = alloy_primitives::hex::decode(answer.as_str().unwrap()).unwrap();
        C::abi_decode_returns(&bytes).unwrap()
    }

    pub(crate) fn agents_of(&self, registry: Address) -> u64 {
        let count = self.view(registry, &Agents::agentCountCall {});
        count.to()
    }
}

/// A key of anvil's, with which somebody signs.
pub(crate) struct Key(PrivateKeySigner);

pub(crate) fn key(who: usize) -> Key {
    Key(KEYS[who].parse().unwrap())
}

pub(crate) fn address(who: usize) -> Address {
    key(who).0.address()
}

#[async_trait::async_trait]
impl Signer for Key {
    fn address(&self) -> Address {
        self.0.address()
    }

    async fn sign(&self, hash: B256) -> Result<Signature, CannotSign> {
        let signed = self.0.sign_hash(&hash).await;
        signed.map_err(|error| CannotSign(error.to_string()))
    }
}

/// Somebody who says yes or no, and remembers what they were told.
pub(crate) struct Script {
    answer: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) previews: Vec<Preview>,
    on_step: Box<dyn FnMut(&Step) + Send>,
    on_confirm: Box<dyn FnMut() + Send>,
    together: Option<Arc<Barrier>>,
    first: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Script {
    pub(crate) fn yes() -> Self {
        Self {
            answer: true,
            steps: Vec::new(),
            previews: Vec::new(),
            on_step: Box::new(|_| {}),
            on_confirm: Box::new(|| {}),
            together: None,
            first: None,
        }
    }

    pub(crate) fn no() -> Self {
        Self {
            answer: false,
            ..Self::yes()
        }
    }

    pub(crate) fn on_step(self, hook: impl FnMut(&Step) + Send + 'static) -> Self {
        Self {
            on_step: Box::new(hook),
            ..self
        }
    }

    /// Something happens while they think.
    pub(crate) fn meanwhile(self, hook: impl FnMut() + Send + 'static) -> Self {
        Self {
            on_confirm: Box::new(hook),
            ..self
        }
    }

    /// They answer after this.
    pub(crate) fn after(self, first: impl Future<Output = ()> + Send + 'static) -> Self {
        Self {
            first: Some(Box::pin(first)),
            ..self
        }
    }

    /// They answer when all who wait there do.
    pub(crate) fn together(self, barrier: Arc<Barrier>) -> Self {
        Self {
            together: Some(barrier),
            ..self
        }
    }

    pub(crate) fn saw(&self, like: impl Fn(&Step) -> bool) -> usize {
        self.steps.iter().filter(|step| like(step)).count()
    }
}

#[async_trait::async_trait]
impl Teller for Script {
    fn tell(&mut self, step: &Step) {
        self.steps.push(step.clone());
        (self.on_step)(step);
    }

    async fn confirm(&mut self, preview: &Preview) -> Result<bool, NotAsked> {
        self.previews.push(preview.clone());
        (self.on_confirm)();
        if let Some(first) = self.first.take() {
            first.await;
        }
        if let Some(barrier) = &self.together {
            barrier.wait().await;
        }
        Ok(self.answer)
    }
}

/// Asks the chain often, and gives up after half a minute.
pub(crate) fn quick() -> Options {
    Options {
        poll: Duration::from_millis(5),
        wait: Duration::from_secs(30),
        ..Options::default()
    }
}

/// Gives up almost at once.
pub(crate) fn hasty() -> Options {
    Options {
        wait: Duration::from_millis(40),
        ..quick()
    }
}

pub(crate) fn included(published: Published) -> Inclusion {
    match published {
        Published::Settled(settled) => match settled.settlement {
            Settlement::Included(inclusion) => inclusion,
            other @ Settlement::Replaced(_) => panic!("{other:?}"),
        },
        other @ Published::DryRun(_) => panic!("{other:?}"),
    }
}

pub(crate) fn entry(key: &str, value: &str) -> Entry {
    Entry::text(key.parse().unwrap(), value).unwrap()
}

pub(crate) fn registry(admission: Admission, registrar: Address) -> Deployment {
    Deployment::Agents(AgentRegistry {
        admission,
        registrar,
        metadata: vec![
            entry("name", "Test registry"),
            entry("description", "For tests; テスト"),
        ],
    })
}

pub(crate) fn agent(owner: Address, name: &str) -> NewAgent {
    NewAgent {
        owner,
        metadata: vec![
            entry("name", name),
            entry("service_type", "mcp"),
            entry("service", "https://example.com/mcp"),
            entry(
                "agent_account",
                "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            ),
        ],
    }
}

pub(crate) fn register(registry: Address, name: &str) -> Action {
    Action::RegisterAgent {
        registry,
        agent: agent(address(0), name),
    }
}

/// Goes on until it is settled, as somebody would with `publication resume`.
pub(crate) async fn settle(house: &House, id: PublicationId) -> Inclusion {
    for _ in 0..20 {
        match house.resumed(id).await {
            Ok(published) => return included(published),
            Err(error) => assert_eq!(error.publication(), Some(id), "{error:?}"),
        }
    }
    panic!("{id} does not settle")
}
