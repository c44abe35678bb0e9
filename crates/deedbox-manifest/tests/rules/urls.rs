use super::*;

fn endpoint(url: &str) -> Report {
    with("endpoint", url)
}

#[test]
fn endpoint_is_https_and_nothing_else() {
    for bad in [
        "http://x.example/",
        "data:text/plain,x",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://x.example/",
        "ws://x.example/",
        "x.example",
        "//x.example/",
        "https:x.example",
        "https:/x.example",
        "",
        " https://x.example/",
    ] {
        refused(&endpoint(bad), "8257-2-09", "/endpoint");
    }
    refused(&without("endpoint"), "8257-2-09", "/endpoint");
    refused(&with("endpoint", 1), "8257-2-09", "/endpoint");
}

#[test]
fn endpoint_is_stored_with_scheme_and_host_in_lower_case() {
    refused(
        &endpoint("HTTPS://tools.example.com/x"),
        "8257-2-08",
        "/endpoint",
    );
    refused(
        &endpoint("https://Tools.example.com/x"),
        "8257-2-08",
        "/endpoint",
    );
    accepted(&endpoint("https://tools.example.com/X?Y#Z"));
}

#[test]
fn endpoint_is_stored_without_port_443() {
    refused(
        &endpoint("https://tools.example.com:443/x"),
        "8257-2-08",
        "/endpoint",
    );
    accepted(&endpoint("https://tools.example.com:8443/x"));
}

#[test]
fn a_u_label_host_is_refused_before_any_parser_converts_it() {
    refused(
        &endpoint("https://bücher.example/x"),
        "8257-6-11",
        "/endpoint",
    );
    accepted(&endpoint("https://xn--bcher-kva.example/x"));
    refused(
        &with("image", "https://bücher.example/i.png"),
        "8257-6-11",
        "/image",
    );
    // Full-width letters and the like are what parsers map to ASCII silently.
    refused(&endpoint("https://ｅxample.com/"), "8257-6-11", "/endpoint");
    refused(&endpoint("https://example。com/"), "8257-6-11", "/endpoint");
}

#[test]
fn endpoint_may_have_path_query_and_fragment() {
    for good in [
        "https://tools.example.com",
        "https://tools.example.com/",
        "https://tools.example.com?a=1",
        "https://tools.example.com/x?a=1&b=%20#f",
        "https://tools.example.com/a/b;c=d/@e:f",
        "https://192.0.2.1/x",
        "https://[2001:db8::1]/x",
        "https://a_b.example/x",
    ] {
        accepted(&endpoint(good));
    }
}

#[test]
fn what_is_no_url_is_refused() {
    for bad in [
        "https://",
        "https:///x",
        "https://?x",
        "https://a b.example/",
        "https://x.example/a b",
        "https://x.example/\n",
        "https://x%2eexample/",
        "https://x.example:0/",
        "https://x.example:65536/",
        "https://x.example:8a/",
        "https://[::1/",
        "https://[::g]/",
        "https://[::1]x/",
        "https://good.example\\@evil.example/",
        "https://a,b.example/",
    ] {
        let report = endpoint(bad);
        assert!(
            find(&report, Severity::Refusal, "8257-2-09", "/endpoint").is_some(),
            "{bad}: {:#?}",
            report.findings
        );
    }
}

/// Allowed by the standard's silence, and changed or misread silently by much software (reading M-13).
#[test]
fn an_odd_url_is_warned_about() {
    for odd in [
        "https://u:p@tools.example.com/x",
        "https://tools.example.com./x",
        "https://tools.example.com:/x",
        "https://tools.example.com:08443/x",
        "https://tools.example.com/a/../b",
        "https://tools.example.com/%2e%2e/b",
        "https://tools.example.com/a\\b",
        "https://tools.example.com/é",
        "https://tools.example.com/%zz",
        "https://tools.example.com/\"<>",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://127.1/",
        "https://010.0.0.1/",
        "https://xn--a/",
    ] {
        warned(&endpoint(odd), "8257-M-13", "/endpoint");
    }
}

#[test]
fn the_origin_is_scheme_host_and_port_in_canonical_form() {
    for (url, origin) in [
        (
            "https://tools.example.com/x?y#z",
            "https://tools.example.com",
        ),
        (
            "HTTPS://Tools.Example.COM:443/x",
            "https://tools.example.com",
        ),
        (
            "https://u:p@tools.example.com:8443",
            "https://tools.example.com:8443",
        ),
        ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]"),
    ] {
        assert_eq!(endpoint(url).origin.unwrap().to_string(), origin);
    }
    assert_eq!(endpoint("http://x.example/").origin, None);
}
