//! Servers of manifests, in a process of their own: what they cost is not the verifier's.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::{
    certificate::Certificate,
    https::{Answer, HttpsServer},
};
use serde_json::{Value, json};

/// The account that registers every tool, as manifests name it: the first of the node's.
pub(crate) const CREATOR: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/// Where the manifest of a tool is, on a server.
pub(crate) fn uri(port: u16, tool: u32) -> String {
    format!("https://localhost:{port}/.well-known/ai-tool/tool-{tool}.json")
}

/// The manifest of a tool: two kilobytes, as manifests in use have.
pub(crate) fn manifest(port: u16, tool: u32) -> String {
    let property = |n: u32| {
        let text = format!("Input number {n} of a tool that is measured, and that does nothing.");
        (
            format!("input_{n}"),
            json!({"type": "string", "description": text}),
        )
    };
    let properties: serde_json::Map<String, Value> = (0..12).map(property).collect();
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": format!("tool-{tool}"),
        "description": "A tool that is measured, and that does nothing.",
        "endpoint": format!("https://localhost:{port}/tool-{tool}"),
        "version": "1.0.0",
        "tags": ["measured"],
        "inputs": {"type": "object", "properties": properties},
        "outputs": {"type": "object"},
        "creatorAddress": CREATOR,
    })
    .to_string()
}

/// Serves manifests until standard input ends. Prints the ports in one line, and then the certificate of the authority.
///
/// # Errors
/// When a server does not start.
pub(crate) fn serve(servers: usize) -> Result<()> {
    let certificate = Certificate::valid()?;
    let mut all = Vec::new();
    for _ in 0..servers {
        let server = HttpsServer::start(&certificate, |_| Answer::ok(""))?;
        let port = server.port();
        server.script(move |request| {
            let tool = request.target.rsplit("tool-").next();
            let tool = tool.and_then(|name| name.strip_suffix(".json")?.parse().ok());
            tool.map_or_else(
                || Answer::new(404, &[], ""),
                |tool| Answer::ok(manifest(port, tool)),
            )
        });
        all.push(server);
    }
    let ports: Vec<String> = all.iter().map(|server| server.port().to_string()).collect();
    let ca = all.first().and_then(HttpsServer::ca_pem);
    let mut out = io::stdout();
    writeln!(out, "{}", ports.join(","))?;
    write!(out, "{}\n\n", ca.context("no authority")?.trim_end())?;
    out.flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// A process that does.
pub(crate) struct Web {
    child: Child,
    /// Closed, it ends.
    _open: ChildStdin,
    pub(crate) ports: Vec<u16>,
    pub(crate) ca: String,
}

impl Web {
    pub(crate) fn start(servers: usize) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--serve", &servers.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let open = child.stdin.take().context("no input")?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let ports = lines.next().context("no ports")??;
        let ports: Vec<u16> = ports.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let mut ca = String::new();
        for line in lines {
            let line = line?;
            if line.is_empty() {
                break;
            }
            ca.push_str(&line);
            ca.push('\n');
        }
        ensure!(ports.len() == servers, "not all servers started");
        Ok(Self {
            child,
            _open: open,
            ports,
            ca,
        })
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
