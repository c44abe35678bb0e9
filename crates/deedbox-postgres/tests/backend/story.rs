//! The story that every backend must tell.

use std::sync::Arc;

use crate::common::Fixture;
use deedbox_store::{Store, story};

#[tokio::test(flavor = "multi_thread")]
async fn postgres_tells_the_story() {
    let fixture = Fixture::new().await;
    story::tell(
        Arc::clone(&fixture.store) as Arc<dyn Store>,
        Arc::clone(&fixture.world),
    )
    .await;
    fixture.store.close().await;
}
