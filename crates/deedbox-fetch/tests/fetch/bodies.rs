//! How much of a body is taken, and which bodies are none.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use crate::support::*;

const LIMIT: usize = 1000;

/// Fetches what a server answers so, where 1,000 bytes are allowed.
async fn bounded(answer: Answer) -> Result<Vec<u8>, FetchError> {
    let server = server(answer);
    let rules = Rules {
        max_bytes: LIMIT,
        ..rules(&server)
    };
    Ok(fetch_under(rules, &server).await?.body)
}

fn too_large(unpacked: bool) -> Result<Vec<u8>, FetchError> {
    Err(FetchError::TooLarge {
        limit: LIMIT,
        unpacked,
    })
}

fn chunked() -> Answer {
    Answer::head(200, &[("transfer-encoding", "chunked")])
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn packed(as_what: &str, bytes: &[u8]) -> Answer {
    Answer::new(200, &[("content-encoding", as_what)], bytes)
}

#[tokio::test]
async fn a_manifest_may_have_1_048_576_bytes() {
    let whole = vec![b' '; 1_048_576];
    let fetched = fetch_answer(Answer::ok(&whole)).await.unwrap();
    assert!(fetched.body == whole);
    let more = fetch_answer(Answer::ok(vec![b' '; 1_048_577])).await;
    let error = FetchError::TooLarge {
        limit: 1_048_576,
        unpacked: false,
    };
    assert_eq!(more, Err(error));
}

#[tokio::test]
async fn the_limit_holds_however_the_body_is_framed() {
    let (fits, more) = (vec![b'x'; LIMIT], vec![b'x'; LIMIT + 1]);
    let unframed = |body: &[u8]| Answer::head(200, &[]).then(body).close();
    let in_chunks = |body: &[u8]| chunked().chunk(&body[..600]).chunk(&body[600..]).chunk("");
    for frame in [&unframed as &dyn Fn(&[u8]) -> Answer, &in_chunks, &|body| {
        Answer::ok(body)
    }] {
        assert_eq!(bounded(frame(&fits)).await, Ok(fits.clone()));
        assert_eq!(bounded(frame(&more)).await, too_large(false));
    }
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_large_is_not_waited_for() {
    for length in ["1001", "2000000", "9007199254740993"] {
        let answer = Answer::head(200, &[("content-length", length)]).hang();
        assert_eq!(bounded(answer).await, too_large(false), "{length}");
    }
}

#[tokio::test]
async fn a_body_without_end_is_cut_off() {
    let chunk = deedbox_neighbours::https::chunk(&[b'x'; 10_000]);
    assert_eq!(
        bounded(chunked().forever(chunk, Duration::ZERO)).await,
        too_large(false)
    );
    let unframed = Answer::head(200, &[]).forever([b'x'; 10_000], Duration::ZERO);
    assert_eq!(bounded(unframed).await, too_large(false));
}

#[tokio::test]
async fn a_part_of_a_body_is_no_body() {
    let announced = || Answer::head(200, &[("content-length", "100")]).then("{\"a\":1}");
    for answer in [
        announced().close(),
        announced().cut(),
        chunked().chunk("{}").close(),
        chunked().chunk("{}").cut(),
        chunked().then("10\r\n{}").close(),
    ] {
        let shown = format!("{answer:?}");
        assert_eq!(bounded(answer).await, Err(FetchError::Truncated), "{shown}");
    }
}

#[tokio::test]
async fn chunks_that_are_none_are_refused() {
    for garbage in [
        "zz\r\n{}\r\n",
        "ffffffffffffffffff\r\n{}",
        "-1\r\n{}",
        "2\r\n{}xx0\r\n\r\n",
    ] {
        let answer = chunked().then(garbage).close();
        assert_eq!(
            bounded(answer).await,
            Err(FetchError::BadAnswer),
            "{garbage:?}"
        );
    }
    // Notes on a chunk, and trailers, without end.
    for endless in [
        chunked().then("2;").forever("n", Duration::ZERO),
        chunked().then("0\r\n").forever("a: b\r\n", Duration::ZERO),
    ] {
        assert_eq!(bounded(endless).await, Err(FetchError::BadAnswer));
    }
}

#[tokio::test]
async fn the_content_type_is_not_looked_at() {
    for headers in [
        &[][..],
        &[("content-type", "text/html")],
        &[("content-type", "\"nonsense")],
    ] {
        assert_eq!(
            bounded(Answer::new(200, headers, "{}")).await,
            Ok(b"{}".to_vec())
        );
    }
}

#[tokio::test]
async fn a_body_that_is_packed_unasked_is_unpacked() {
    for name in ["gzip", "GZIP", "x-gzip"] {
        assert_eq!(
            bounded(packed(name, &gzip(b"{\"a\":1}"))).await,
            Ok(b"{\"a\":1}".to_vec())
        );
    }
    assert_eq!(bounded(packed("identity", b"{}")).await, Ok(b"{}".to_vec()));
    // What is not said to be packed is left as it is.
    assert_eq!(bounded(Answer::ok(gzip(b"{}"))).await, Ok(gzip(b"{}")));
}

#[tokio::test]
async fn the_limit_holds_for_what_is_unpacked() {
    let fits = vec![b'x'; LIMIT];
    assert_eq!(bounded(packed("gzip", &gzip(&fits))).await, Ok(fits));
    assert_eq!(
        bounded(packed("gzip", &gzip(&[b'x'; LIMIT + 1]))).await,
        too_large(true)
    );

    let bomb = gzip(&vec![0; 20_000_000]);
    assert!(bomb.len() < 30_000);
    let error = FetchError::TooLarge {
        limit: 1_048_576,
        unpacked: true,
    };
    assert_eq!(fetch_answer(packed("gzip", &bomb)).await, Err(error));
}

#[tokio::test]
async fn packing_nothing_at_length_costs_little() {
    // RFC 1951 §3.2.4: a block that holds no bytes, as often as it fits, and then the last one.
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let blocks = [0, 0, 0, 0xff, 0xff].repeat(200_000);
    let bytes = [&head[..], &blocks, &[1, 0, 0, 0xff, 0xff], &[0; 8]].concat();
    assert_eq!(
        fetch_answer(packed("gzip", &bytes)).await.unwrap().body,
        b""
    );
    // One after the other, each with a beginning of its own: slow to unpack, so the second one is one too many.
    let many = gzip(b"").repeat(50_000);
    assert_eq!(
        fetch_answer(packed("gzip", &many)).await,
        Err(FetchError::BadGzip)
    );
}

#[tokio::test]
async fn what_does_not_unpack_whole_is_no_body() {
    let good = gzip(b"{\"a\": [1, 2, 3]}");
    let mut wrong_sum = good.clone();
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    for bytes in [
        b"{}".to_vec(),
        good[..good.len() - 1].to_vec(),
        good[..12].to_vec(),
        [&good[..], b"{}"].concat(),
        [&good[..], &good[..]].concat(),
        [&good[..], b"\n"].concat(),
        wrong_sum,
    ] {
        assert_eq!(
            bounded(packed("gzip", &bytes)).await,
            Err(FetchError::BadGzip),
            "{bytes:x?}"
        );
    }
}

#[tokio::test]
async fn another_packing_is_named_and_not_unpacked() {
    for name in [
        "br",
        "deflate",
        "zstd",
        "compress",
        "gzip, gzip",
        "gzip, br",
        "what\u{e9}ver",
    ] {
        let error = bounded(packed(name, b"{}")).await.unwrap_err();
        assert!(matches!(error, FetchError::Encoding(_)), "{error:?}");
    }
    let twice = Answer::new(
        200,
        &[("content-encoding", "gzip"), ("content-encoding", "gzip")],
        "",
    );
    let error = bounded(twice).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The body is packed as gzip, gzip. Serve it as it is, or with gzip."
    );
}
