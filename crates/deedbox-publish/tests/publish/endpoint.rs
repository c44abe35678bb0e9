//! An endpoint before the node, which breaks or lies when told to.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{Arc, Mutex},
};

use alloy_primitives::B256;
use deedbox_neighbours::{
    anvil::Anvil,
    rpc::{Call, FaultyEndpoint, Reply, Request},
};
use serde_json::{Value, json};

/// What the endpoint does with a request. Numbers count requests from when it was told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    None,
    /// Passes what is sent on, and loses the answer.
    LosesAnswerOfSending,
    /// Answers a sending itself, with this JSON-RPC error.
    Says(&'static str),
    /// Says that it took it, and throws it away.
    Swallows,
    /// Knows no transaction and no receipt, as while it indexes; everything else it does.
    KnowsNoTransaction,
    /// Does not answer requests with this method.
    Lacks(&'static str),
    /// Says that the base fee is ten thousand times what it is, for whatever is sent next.
    IsDear,
    /// Tells of no base fee, as chains without EIP-1559 have none.
    HasNoBaseFee,
    /// Says of every transaction that it was reverted, and tells no logs.
    SaysReverted,
    /// Says that the account has sent so many transactions.
    Counts(&'static str),
    /// Hangs up on the request with this number, and all after it, before the node hears of it.
    HangsUpAt(usize),
    /// The same after the node has heard of it.
    FallsSilentAfter(usize),
}

pub(crate) type Hook = Box<dyn Fn(&str) + Send + Sync>;
/// What an endpoint says instead of what the node says; none where it says the same.
pub(crate) type Lie = Arc<dyn Fn(&Call, &Anvil) -> Option<Value> + Send + Sync>;

#[derive(Default)]
pub(crate) struct Told {
    pub(crate) fault: Option<Fault>,
    pub(crate) seen: usize,
    pub(crate) hook: Option<Arc<Hook>>,
    pub(crate) lie: Option<Lie>,
}

/// Serves what the node says, but for what it is told.
pub(crate) fn serve(anvil: &Arc<Anvil>, told: &Arc<Mutex<Told>>) -> FaultyEndpoint {
    let (node, told) = (Arc::clone(anvil), Arc::clone(told));
    FaultyEndpoint::http(move |request| {
        let lie = told.lock().unwrap().lie.clone();
        match lie {
            Some(lie) => lied(&node, &lie, request),
            None => answer(&node.url(), &told, request),
        }
    })
    .unwrap()
}

/// What the endpoint says to a request, with the fault that it was told to have.
fn answer(node: &str, told: &Mutex<Told>, request: &Request) -> Reply {
    let (fault, number, hook) = {
        let mut told = told.lock().unwrap();
        told.seen += 1;
        let fault = told.fault.unwrap_or(Fault::None);
        (fault, told.seen, told.hook.clone())
    };
    if let Some(hook) = hook {
        hook(&request.methods().join(" "));
    }
    let sends = request.has("eth_sendRawTransaction");
    match fault {
        Fault::HangsUpAt(at) if number >= at => Reply::close(),
        Fault::FallsSilentAfter(at) if number >= at => {
            if number == at {
                forward(node, request);
            }
            Reply::close()
        }
        Fault::LosesAnswerOfSending if sends => {
            forward(node, request);
            Reply::close()
        }
        Fault::Says(words) if sends => {
            Reply::each(request, |_| Err(json!({"code": -32000, "message": words})))
        }
        Fault::Swallows if sends => Reply::each(request, |call| {
            let raw = alloy_primitives::hex::decode(call.params[0].as_str().unwrap()).unwrap();
            Ok(json!(alloy_primitives::keccak256(raw)))
        }),
        Fault::KnowsNoTransaction
            if request.has("eth_getTransactionReceipt")
                || request.has("eth_getTransactionByHash") =>
        {
            let mut rest = request.clone();
            for call in &mut rest.calls {
                if call.method.starts_with("eth_getTransactionReceipt")
                    || call.method.starts_with("eth_getTransactionByHash")
                {
                    // As for one that was never there.
                    call.params = json!([B256::ZERO]);
                }
            }
            Reply::new(200, forward(node, &rest))
        }
        Fault::Lacks(method) if request.has(method) => Reply::new(500, "out of order"),
        Fault::IsDear => {
            let answer = String::from_utf8(forward(node, request)).unwrap();
            let dear = "\"baseFeePerGas\":\"0xffffffffffff\",\"was\":\"";
            Reply::new(200, answer.replace("\"baseFeePerGas\":\"", dear))
        }
        Fault::SaysReverted if request.has("eth_getTransactionReceipt") => {
            let mut answer: Value = serde_json::from_slice(&forward(node, request)).unwrap();
            let answers = match &mut answer {
                Value::Array(answers) => answers.iter_mut().collect(),
                only => vec![only],
            };
            for answer in answers {
                if answer["result"]["status"].is_string() {
                    answer["result"]["status"] = json!("0x0");
                    answer["result"]["logs"] = json!([]);
                }
            }
            Reply::new(200, answer.to_string())
        }
        Fault::Counts(count) if request.has("eth_getTransactionCount") => {
            let mut answer: Value = serde_json::from_slice(&forward(node, request)).unwrap();
            for (call, answer) in request.calls.iter().zip(answer.as_array_mut().unwrap()) {
                if call.method == "eth_getTransactionCount" {
                    answer["result"] = json!(count);
                }
            }
            Reply::new(200, answer.to_string())
        }
        Fault::HasNoBaseFee => {
            // Such a node knows no history of fees.
            let mut older = request.clone();
            for call in &mut older.calls {
                call.method = call.method.replace("eth_feeHistory", "eth_unheardOf");
            }
            let answer = String::from_utf8(forward(node, &older)).unwrap();
            Reply::new(200, answer.replace("\"baseFeePerGas\"", "\"notThere\""))
        }
        _ => Reply::new(200, forward(node, request)),
    }
}

/// The node's answers, with lies in the place of some. What is lied about does not reach the node.
fn lied(node: &Anvil, lie: &Lie, request: &Request) -> Reply {
    Reply::each(request, |call| match lie(call, node) {
        Some(said) => Ok(said),
        None => node.ask(&call.method, call.params.clone()).unwrap(),
    })
}

/// The node's own answer, error objects included.
fn forward(node: &str, request: &Request) -> Vec<u8> {
    let call = |call: &deedbox_neighbours::rpc::Call| json!({"jsonrpc": "2.0", "id": call.id, "method": call.method, "params": call.params});
    let body = match (&request.calls[..], request.batch) {
        ([only], false) => call(only),
        (calls, _) => calls.iter().map(call).collect(),
    };
    let (body, host) = (body.to_string(), node.trim_start_matches("http://"));
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.as_bytes().to_vec()
}
