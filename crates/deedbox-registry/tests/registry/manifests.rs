//! The thirty-eight manifests that are found in public, served and verified.

use std::path::Path;

use deedbox_registry::verify::{CheckName, CheckOutcome, Purpose};

use super::{
    house::*,
    verify::{hash, manifest},
};

const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../deedbox-manifest/tests/vectors/real-manifests"
);

/// Those that break a rule of their own, by hand from their texts, once they name the right creator and endpoint: an older type, too
/// long, not NFC, too many tags, capitals in hex, no price in `pricing`.
const BROKEN: [usize; 18] = [
    2, 3, 13, 15, 16, 17, 18, 20, 22, 23, 24, 25, 30, 32, 33, 34, 35, 35,
];

fn read(number: usize) -> Vec<u8> {
    std::fs::read(Path::new(FOLDER).join(format!("{number:03}.json"))).unwrap()
}

#[tokio::test]
async fn the_manifests_that_are_found_in_public_are_verified_as_their_texts_deserve() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let certificate = Certificate::valid().unwrap();
    let server = HttpsServer::start(&certificate, |_| Answer::new(404, &[], "")).unwrap();
    let fetcher = fetcher(&server);
    let good = manifest(&house, &server);
    for number in 1..=38 {
        let uri = server.url(HOST, &format!("/.well-known/ai-tool/n{number}.json"));
        let mut as_if_ours: Json = serde_json::from_slice(&read(number)).unwrap();
        for name in ["endpoint", "creatorAddress"] {
            as_if_ours[name] = good[name].clone();
        }
        for (body, is_ours) in [
            (read(number), false),
            (as_if_ours.to_string().into_bytes(), true),
        ] {
            let tool = house.register(registry, &uri, hash(&body), Address::ZERO);
            let answer = Answer::ok(&body);
            server.script(move |_| answer.clone());
            let request = VerifyTool {
                tool,
                block: Block::Latest,
                purpose: Purpose::Interactive,
                window: None,
            };
            let found = verify_tool(&house.chains, &fetcher, &*house.clock, &request)
                .await
                .unwrap();
            let of = |name| {
                found
                    .checks
                    .iter()
                    .find(|check| check.check == name)
                    .unwrap()
                    .outcome
            };
            assert_eq!(of(CheckName::Fetch), CheckOutcome::Passed, "{number}");
            if is_ours {
                assert_eq!(
                    found.verified,
                    !BROKEN.contains(&number),
                    "{number}: {:?}",
                    found.checks
                );
            } else {
                // Somebody else's, at our place.
                assert!(!found.verified, "{number}");
                assert_eq!(of(CheckName::Origin), CheckOutcome::Failed, "{number}");
            }
            assert_eq!(found.read_again_after, None, "{number}: its hash is right");
        }
    }
}
