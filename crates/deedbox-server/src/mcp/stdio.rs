//! MCP over a pair of streams, one JSON-RPC message a line.
//!
//! The SDK's own transport drops lines that it cannot read without a word, and reads JSON more laxly than
//! the protocol asks. This one answers each such line with an error, and goes on.

use std::{io, sync::Arc};

use rmcp::{
    ErrorData, RoleServer,
    model::ClientJsonRpcMessage,
    service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::JoinHandle,
};

use super::{Handler, envelope};
use crate::{App, Labels, auth::NotAdmitted, json};

/// How many answers may wait for a reader on the other side before reading stops.
const WAITING: usize = 64;

/// Why a pair of streams is not served any more.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The credential was not admitted.
    #[error(transparent)]
    NotAdmitted(#[from] NotAdmitted),
    /// The client and the server could not agree on how to begin.
    #[error("the MCP client did not begin as the protocol asks")]
    Beginning(#[source] Box<ServerInitializeError>),
    /// The task that serves broke off.
    #[error("serving MCP broke off")]
    Broken(#[from] tokio::task::JoinError),
}

/// Serves MCP over standard input and output until the input ends. The credential is checked now and
/// again at every call, so that a session ends for a key that is revoked or expires. Nothing but the protocol
/// is written to standard output.
///
/// # Errors
/// [`StdioError`].
pub async fn serve_stdio(
    app: Arc<App>,
    credential: &str,
    labels: Labels,
) -> Result<(), StdioError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve_streams(app, credential, labels, read, write).await
}

/// As [`serve_stdio`], over any two streams.
///
/// # Errors
/// [`StdioError`].
pub async fn serve_streams<R, W>(
    app: Arc<App>,
    credential: &str,
    labels: Labels,
    read: R,
    write: W,
) -> Result<(), StdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let _admitted = app.authenticator.admit(credential.as_bytes()).await?;
    let handler = Handler::over_stdio(app, credential, labels);
    match rmcp::serve_server(handler, Lines::new(read, write)).await {
        Ok(service) => {
            service.waiting().await?;
            Ok(())
        }
        // The input ended before anything was asked.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StdioError::Beginning(Box::new(error))),
    }
}

/// What came of reading a line.
enum Line {
    Whole,
    TooLong,
    End,
}

/// One message a line.
struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is still to be thrown away.
    skipping: bool,
    /// Whether a request came through: before the first, nothing else can mean anything.
    begun: bool,
    /// An error that is still to be sent. Kept here because reading may be broken off at any await.
    error: Option<Vec<u8>>,
    send: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new<W: AsyncWrite + Send + Unpin + 'static>(read: R, write: W) -> Self {
        let (send, messages) = mpsc::channel(WAITING);
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            begun: false,
            error: None,
            send: Some(send),
            writer: Some(tokio::spawn(write_lines(messages, write))),
        }
    }

    /// Reads on until a line is whole. What was read so far stays in `self.line` when this is broken off.
    async fn line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let fits = self.line.len() + taken <= deedbox_core::limits::BODY_BYTES;
            if !self.skipping && fits {
                self.line.extend_from_slice(&available[..taken]);
            }
            let first = !self.skipping && !fits;
            if first {
                self.line.clear();
                self.skipping = true;
            }
            self.read.consume(taken);
            if newline.is_some() && !std::mem::take(&mut self.skipping) {
                return Ok(Line::Whole);
            }
            if first {
                return Ok(Line::TooLong);
            }
        }
    }

    /// The message on a line, or the error to answer with. `None` for one that needs no answer.
    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, envelope::RpcError> {
        let line = self.line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let value = json::parse(line)
            .map_err(|bad| envelope::error(None, ErrorData::parse_error(bad.to_string(), None)))?;
        let envelope = envelope::check(&value)?;
        let message = serde_json::from_value(value).map_err(|_| {
            let text = "Invalid Request: not a message of this protocol";
            envelope::error(envelope.id, ErrorData::invalid_request(text, None))
        })?;
        self.begun |= matches!(message, ClientJsonRpcMessage::Request(_));
        // The SDK would end the session over a notification that comes before the first request.
        Ok(self.begun.then_some(message))
    }
}

async fn write_lines<W: AsyncWrite + Unpin>(
    mut messages: mpsc::Receiver<Vec<u8>>,
    mut write: W,
) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        write.write_all(&message).await?;
        if messages.is_empty() {
            write.flush().await?;
        }
    }
    write.flush().await
}

/// A message as a line.
fn line_of(message: &impl serde::Serialize) -> Vec<u8> {
    // Infallible: messages are texts, numbers and lists in structs. JSON has no raw line break in it.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let send = self.send.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let send = send.ok_or_else(closed)?;
            send.send(line_of(&message)).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.error.is_some() {
                let permit = self.send.as_ref()?.reserve().await.ok()?;
                permit.send(self.error.take().unwrap_or_default());
            }
            match self.line().await {
                Ok(Line::Whole) => {
                    let message = self.message();
                    self.line.clear();
                    match message {
                        Ok(Some(message)) => return Some(message),
                        Ok(None) => {}
                        Err(error) => self.error = Some(line_of(&error)),
                    }
                }
                Ok(Line::TooLong) => {
                    let text = format!(
                        "Invalid Request: a message has at most {} bytes",
                        deedbox_core::limits::BODY_BYTES
                    );
                    let error = ErrorData::invalid_request(text, None);
                    self.error = Some(line_of(&envelope::error(None, error)));
                }
                // A line without an end is no message.
                Ok(Line::End) => return None,
                Err(error) => {
                    tracing::error!(%error, "reading the input failed");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.send = None;
        match self.writer.take() {
            Some(writer) => writer.await.map_err(io::Error::other)?,
            None => Ok(()),
        }
    }
}
