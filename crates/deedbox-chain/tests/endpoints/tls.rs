//! Certificates.

use deedbox_neighbours::rpc::Certificate;

use crate::support::*;

async fn through(certificate: Certificate, trusted: bool) -> (Result<Reading, ReadError>, usize) {
    let server = FaultyEndpoint::https(certificate, |request| CHAIN.reply(request)).unwrap();
    let mut configs = configs(&[&server]);
    configs[0].ca_pem = server.ca_pem().filter(|_| trusted);
    (read(&chains(configs)).await, server.requests())
}

#[tokio::test]
async fn an_authority_that_is_configured_is_trusted() {
    assert_right(through(Certificate::valid().unwrap(), true).await.0, "main");
}

#[tokio::test]
async fn nothing_is_sent_to_whoever_has_no_certificate_to_trust() {
    for (certificate, trusted) in [
        (Certificate::valid(), false),
        (Certificate::expired(), true),
        (Certificate::of_another(), true),
    ] {
        let (reading, requests) = through(certificate.unwrap(), trusted).await;
        let message = assert_fails(reading, Code::EndpointUnavailable);
        assert_eq!(message, "endpoint main has no certificate that is trusted");
        assert_eq!(requests, 0);
    }
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_not_reached() {
    let server = honest();
    let url = server.url().replace("http:", "https:");
    let mut config = config("main", &url);
    config.timeout = Duration::from_secs(2);
    let reading = read(&chains(vec![config])).await;
    assert!(matches!(
        reading.unwrap_err().code,
        Code::EndpointUnavailable | Code::Timeout
    ));
    assert_eq!(server.calls("eth_chainId"), 0);
}
