//! A URL and a header may hold a key: it appears nowhere, whatever goes wrong.

use std::{io, sync::Mutex};

use tracing_subscriber::fmt::MakeWriter;

use crate::support::*;

const SECRET: &str = "s3cr3tk3y";

/// Everything that is logged, by us and by what we use.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn secretive(server: &FaultyEndpoint) -> EndpointConfig {
    let url = server
        .url()
        .replace("localhost", &format!("{SECRET}:{SECRET}@localhost"));
    let mut config = config("main", &format!("{url}/v2/{SECRET}?key={SECRET}"));
    config.headers = vec![("x-api-key".to_owned(), Secret::new(SECRET))];
    config.timeout = PATIENCE;
    config
}

#[tokio::test]
async fn no_key_is_in_an_answer_an_error_a_list_a_log_or_a_debug_print() {
    let log = Log::default();
    let logging = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(logging);
    let echo = || format!("{SECRET} http://{SECRET}@localhost/{SECRET}");
    let replies: [fn(&Asked) -> Reply; 9] = [
        |request| CHAIN.reply(request),
        |_| Reply::close(),
        |_| Reply::hang(),
        |request| CHAIN.reply(request).cut(10),
        |_| Reply::new(307, "").header("location", "http://localhost/"),
        |_| Reply::new(200, "<html>"),
        |request| Chain { id: 5, head: 1 }.reply(request),
        // Some repeat the key in their words.
        |_| Reply::new(403, SECRET),
        |request| Reply::refusal(request, 200, &error(-32000, SECRET)),
    ];
    let mut said = echo().replace(SECRET, "");
    for reply in replies {
        let server = served(reply);
        let chains = chains(vec![secretive(&server)]);
        said += &format!("{:?}\n", read(&chains).await);
        said += &format!("{:?}\n{chains:?}\n", chains.list(|_| true).await);
        let asked = server.asked();
        assert_eq!(asked[0].target, format!("/v2/{SECRET}?key={SECRET}"));
        assert!(
            asked[0]
                .headers
                .contains(&("x-api-key".to_owned(), SECRET.to_owned()))
        );
    }
    said += &String::from_utf8_lossy(&log.0.lock().unwrap());
    assert!(
        said.contains("endpoint did not answer"),
        "nothing was logged: {said}"
    );
    let place = said
        .find(SECRET)
        .map(|at| &said[at.saturating_sub(200)..(at + 100).min(said.len())]);
    assert_eq!(place, None);
}

#[tokio::test]
async fn no_key_is_in_what_comes_of_a_transaction() {
    let log = Log::default();
    let logging = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(logging);
    let replies: [fn(&Asked) -> Reply; 6] = [
        |request| Reply::each(request, |_| Ok(json!(transaction().to_string()))),
        |_| Reply::close(),
        |_| Reply::new(403, SECRET),
        |request| Reply::refusal(request, 403, &error(-32000, SECRET)),
        |request| {
            let words = "no: http://s3cr3tk3y@localhost/v2/s3cr3tk3y?key=s3cr3tk3y, s3cr3tk3y";
            Reply::refusal(request, 200, &error(-32000, words))
        },
        |request| Reply::refusal(request, 200, &error(-32603, SECRET)),
    ];
    let mut said = String::new();
    for reply in replies {
        let server = handed(reply);
        let chains = chains(vec![secretive(&server)]);
        let sending = sending(&chains);
        said += &format!("{:?}\n", sending.broadcast(&raw()).await);
        said += &format!("{:?}\n", sending.whereabouts(transaction()).await);
        said += &format!("{:?}\n{sending:?}\n", sending.fees().await);
        let look = chains.look(CHAIN.id, Block::Latest, Default::default());
        said += &format!("{:?}\n", look.await);
    }
    assert!(said.contains("(a URL)"), "the endpoint's own words: {said}");
    assert!(!said.contains("localhost"), "{said}");
    said += &String::from_utf8_lossy(&log.0.lock().unwrap());
    assert!(said.contains("a transaction was handed over"));
    let place = said
        .find(SECRET)
        .map(|at| &said[at.saturating_sub(200)..(at + 100).min(said.len())]);
    assert_eq!(place, None);
}

#[test]
fn a_configuration_that_cannot_be_used_is_refused_without_repeating_it() {
    type Change = fn(&mut ChainConfig);
    let changes: [(Change, &str); 12] = [
        (
            |c| c.id = 0,
            "chain 0: its id is not between 1 and 2^53 - 1",
        ),
        (
            |c| c.id = 1 << 53,
            "chain 9007199254740992: its id is not between 1 and 2^53 - 1",
        ),
        (|c| c.endpoints.clear(), "chain 1: it has no endpoint"),
        (
            |c| c.endpoints.push(c.endpoints[0].clone()),
            "chain 1, endpoint main: another endpoint of the chain has the same id",
        ),
        (
            |c| c.endpoints[0].url = Secret::new(SECRET),
            "chain 1, endpoint main: its URL is none",
        ),
        (
            |c| c.endpoints[0].url = Secret::new(format!("ws://{SECRET}@h/")),
            "chain 1, endpoint main: its URL must begin with https:// or http://",
        ),
        (
            |c| c.endpoints[0].url = Secret::new(format!("https://{SECRET}@:x/")),
            "chain 1, endpoint main: its URL is none",
        ),
        (
            |c| c.endpoints[0].headers = vec![("a b".to_owned(), Secret::new(SECRET))],
            "chain 1, endpoint main: \"a b\" is no name of a header",
        ),
        (
            |c| {
                c.endpoints[0].headers =
                    vec![("key".to_owned(), Secret::new(format!("{SECRET}\n")))];
            },
            "chain 1, endpoint main: the value of its header key holds what no header may",
        ),
        (
            |c| c.endpoints[0].ca_pem = Some(SECRET.into()),
            "chain 1, endpoint main: its file of certificates holds none (PEM)",
        ),
        (
            |c| c.endpoints[0].timeout = Duration::ZERO,
            "chain 1, endpoint main: its time-out is zero",
        ),
        (
            |c| c.endpoints[0].max_body = 0,
            "chain 1, endpoint main: its largest answer is zero bytes",
        ),
    ];
    let good = ChainConfig {
        id: 1,
        name: "Test".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: vec![config("main", "https://localhost/")],
    };
    let world: Arc<dyn World> = Arc::new(Fixed::default());
    assert!(Chains::new(vec![good.clone()], Arc::clone(&world)).is_ok());
    for (change, message) in changes {
        let mut bad = good.clone();
        change(&mut bad);
        let refusal = Chains::new(vec![bad], Arc::clone(&world)).unwrap_err();
        assert_eq!(refusal.to_string(), message);
    }
    let twice = Chains::new(vec![good.clone(), good], world).unwrap_err();
    assert_eq!(twice.to_string(), "chain 1: is there twice");
}
