//! URLs that are refused by their text, before anybody is asked anything, and texts of errors.

use std::sync::LazyLock;

use deedbox_fetch::{BadRules, Shown};

use crate::support::*;

fn judge(url: &str) -> Result<(), FetchError> {
    static FETCHER: LazyLock<Fetcher> =
        LazyLock::new(|| Fetcher::with_resolver(Rules::default(), Names::of(&[])).unwrap());
    FETCHER.judge(url)
}

#[test]
fn only_https_is_fetched() {
    for url in [
        "http://169.254.169.254/latest/dynamic/instance-identity/document",
        "http://2852039166/latest/meta-data/iam/security-credentials/",
        "http://tools.example/",
        "ftp://tools.example/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_INFO",
        "data:application/json,{}",
        "//tools.example/",
        " https://tools.example/",
        "ipfs://bafy",
        "https:tools.example",
        "",
    ] {
        assert_eq!(judge(url), Err(FetchError::NotHttps), "{url}");
    }
}

#[test]
fn an_address_in_the_url_is_judged_in_every_spelling() {
    for (url, says) in [
        ("https://127.0.0.1/", "Loopback"),
        ("https://169.254.169.254/latest/meta-data/", "Link Local"),
        ("https://169.254.169.254:443/", "Link Local"),
        ("HTTPS://10.0.0.1/", "Private-Use"),
        ("https://0.0.0.0/", "This network"),
        ("https://255.255.255.255/", "Limited Broadcast"),
        ("https://[::1]/", "Loopback"),
        ("https://[::]/", "Unspecified"),
        ("https://[::ffff:10.0.0.1]/", "Private-Use"),
        ("https://[64:ff9b::a00:1]/", "Private-Use"),
        ("https://[64:ff9b:1::a00:1]/", "local use"),
        ("https://[2002:a00:1::]/", "6to4"),
        ("https://[2001:0:7f00:1::]/", "TEREDO"),
        ("https://[fec0::1]/", "Site-Local"),
        ("https://[FD00::1]/", "Unique-Local"),
    ] {
        let error = judge(url).unwrap_err();
        assert!(
            matches!(&error, FetchError::AddressRefused { why, .. } if why.name.contains(says)),
            "{url}: {error:?}"
        );
    }
    for url in [
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]/",
        "https://[::ffff:8.8.8.8]/",
    ] {
        assert_eq!(judge(url), Ok(()), "{url}");
    }
}

#[test]
fn an_allowed_address_is_allowed_within_another_and_its_neighbours_are_not() {
    let rules = Rules {
        allow: vec!["127.0.0.1/32".parse().unwrap(), "::1/128".parse().unwrap()],
        ..Rules::default()
    };
    let fetcher = Fetcher::with_resolver(rules, Names::of(&[])).unwrap();
    for url in [
        "https://127.0.0.1/",
        "https://[::ffff:127.0.0.1]:8443/",
        "https://[::1]:1/",
    ] {
        assert_eq!(fetcher.judge(url), Ok(()), "{url}");
    }
    for url in [
        "https://127.0.0.2/",
        "https://[::ffff:127.0.0.2]/",
        "https://[::2]/",
        "https://[64:ff9b::7f00:1]/",
    ] {
        let judged = fetcher.judge(url);
        assert!(
            matches!(judged, Err(FetchError::AddressRefused { .. })),
            "{url}: {judged:?}"
        );
    }
}

#[test]
fn a_host_that_some_read_as_an_address_is_no_host() {
    for url in [
        "https://2852039166/",
        "https://0xa9fea9fe/",
        "https://0xA9.0xFE.0xA9.0xFE/",
        "https://0251.0376.0251.0376/",
        "https://169.254.43518/",
        "https://127.1/",
        "https://127.0.0.1./",
        "https://010.0.0.1/",
        "https://127.0.0.01/",
        "https://0/",
        "https://1.2.3.4.5/",
        "https://256.256.256.256/",
        "https://\u{2460}\u{2461}\u{2466}.0.0.1/",
        "https://127\u{3002}0\u{3002}0\u{3002}1/",
        "https://%31%32%37.0.0.1/",
        "https://[::1%25lo]/",
        "https://[fe80::1%eth0]/",
        "https://[::127.0.0.1/",
        "https://[127.0.0.1]/",
        "https://[0:0:0:0:0:0:0:1]/",
        "https://[v1.1]/",
    ] {
        assert!(
            matches!(judge(url), Err(FetchError::BadUrl(_))),
            "{url}: {:?}",
            judge(url)
        );
    }
}

#[test]
fn a_url_that_software_reads_in_two_ways_is_refused() {
    for url in [
        "https://",
        "https:///path",
        "https://user:secret@tools.example/",
        "https://tools.example@169.254.169.254/",
        "https://169.254.169.254\\@tools.example/",
        "https://tools.example\\.evil.example/",
        "https://tools.example:443@evil.example/",
        "https://tools.example:/",
        "https://tools.example:0443/",
        "https://tools.example:65536/",
        "https://tools.example:-1/",
        "https://tools.example./",
        "https://tools.\texample/",
        "https://tools.example/a b",
        "https://tools.example/../x",
        "https://tools.example/%2e%2e/x",
        "https://tools.example/a\r\nHost: evil.example",
        "https://tools.example/#x|echo.$p=$HOME",
        "https://tools.example/\u{202e}",
        "https://b\u{fc}cher.example/",
    ] {
        assert!(
            matches!(judge(url), Err(FetchError::BadUrl(_))),
            "{url}: {:?}",
            judge(url)
        );
    }
    let long = format!("https://tools.example/{}", "a".repeat(2048));
    assert_eq!(judge(&long), Err(FetchError::UrlTooLong(2070)));
}

#[test]
fn an_honest_url_may_be_resolved() {
    for url in [
        "https://tools.example",
        "https://TOOLS.example:443/.well-known/ai-tool/a.json",
        "https://xn--bcher-kva.example/a?b=c#d",
        "https://a_b.example/%7Etilde",
    ] {
        assert_eq!(judge(url), Ok(()), "{url}");
    }
}

/// URLs as strangers registered them on chain, among others to reach cloud machines' secrets. Their hosts are never asked.
#[tokio::test]
async fn urls_of_hostile_registrations_lead_nowhere_inside() {
    for url in [
        "http://169.254.169.254/latest/dynamic/instance-identity/document",
        "http://2852039166/latest/meta-data/iam/security-credentials/",
        "http://webhook.site/b6d6feea-aacb-4a6e-9cfd-a5c6a11d90d2",
        "https://clinics-tag-sunday-matters.trycloudflare.com/r?to=http%3A%2F%2F2852039166%2Flatest%2Fmeta-data%2F",
        "https://vector-festivals-surgeons-relatively.trycloudflare.com/follow1",
        "https://webhook.site/b6d6feea-aacb-4a6e-9cfd-a5c6a11d90d2",
        "https://mantledb.sh/v2/status?seed=1&cmd=/ccurl.exe%PROGRAMFILES:~10,1%-fsSLo",
        "https://mantledb.sh/v2/status?seed=1&c^m^d=/v:o^n/cc^u^r^l.e^x^e",
        "https://gist.githubusercontent.com/EthanYangTW/7e260ff3d8f8df401fe0ad01ed25c387/raw/probe-b.json",
    ] {
        let names = Names::of(&[&["169.254.169.254"]]);
        let fetcher = Fetcher::with_resolver(Rules::default(), names.clone()).unwrap();
        let error = fetcher.get(url).await.unwrap_err();
        let by_text = matches!(error, FetchError::NotHttps | FetchError::BadUrl(_));
        let by_address = matches!(error, FetchError::AddressRefused { .. });
        assert!(
            by_text && names.asked() == 0 || by_address && names.asked() == 1,
            "{url}: {error:?}"
        );
    }
}

#[test]
fn a_strangers_text_is_shown_on_one_line_of_ascii() {
    for (bytes, shown) in [
        (
            &b"https://a.example/?b=\"c\""[..],
            "https://a.example/?b=\"c\"",
        ),
        (b"a\r\nb\x1b[31m\0", "a\\x0d\\x0ab\\x1b[31m\\x00"),
        (b"\\x0a", "\\x5cx0a"),
        ("\u{202e}".as_bytes(), "\\xe2\\x80\\xae"),
        (b"", ""),
    ] {
        assert_eq!(Shown::of(bytes).as_str(), shown);
    }
    for length in [255, 256, 257, 100_000] {
        for byte in [b'x', 0] {
            let shown = Shown::of(&vec![byte; length]);
            assert!(shown.as_str().chars().count() <= 256, "{length}");
            assert_eq!(shown.as_str().contains('…'), byte == 0 || length > 255);
        }
    }
}

#[test]
fn an_error_repeats_nothing_of_the_url() {
    for url in [
        "https://user:secret@tools.example/",
        "http://secret.example/",
        "https://secret.example/\\",
        "https://secret.example:99/",
    ] {
        let error = judge(url).unwrap_err();
        assert!(
            !format!("{error} {error:?}").contains("secret"),
            "{error:?}"
        );
    }
}

#[test]
fn roots_that_are_none_are_told() {
    for (roots, at) in [(vec![""], 0), (vec!["not a certificate"], 0)] {
        let rules = Rules {
            roots: roots.into_iter().map(str::to_owned).collect(),
            ..Rules::default()
        };
        assert_eq!(Fetcher::new(rules).unwrap_err(), BadRules::Root(at));
    }
}
