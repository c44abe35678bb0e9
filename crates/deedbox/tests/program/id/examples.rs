//! What the help and the guide show of `deedbox id`.

use crate::common::Home;

/// The commands in a text that begin with `deedbox id`, on lines of their own or between backticks. Those with a pipe or
/// with a name for what is to be filled in are for reading.
fn examples(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let pieces = text.lines().flat_map(|line| line.split('`'));
    let commands = pieces.filter_map(|piece| {
        let piece = piece.trim().trim_start_matches("$ ");
        let piece = piece.split(" #").next()?.trim_end();
        piece.strip_prefix("deedbox id ")
    });
    let is_literal = |one: &&str| {
        let is_name = |word: &str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
        !one.contains(['|', '…']) && !one.split([' ', '[', ']']).any(is_name)
    };
    commands.filter(is_literal).map(str::to_owned).collect()
}

#[test]
fn every_example_works_as_it_is_written() {
    let home = Home::new();
    let mut count = 0;
    let mut texts = vec![
        include_str!("../../../../../docs/identifiers.md").to_owned(),
        include_str!("../../../../../docs/cli.md").to_owned(),
    ];
    for command in [
        &["id"][..],
        &["id", "parse"],
        &["id", "format"],
        &["id", "convert"],
    ] {
        texts.push(home.run(&[command, &["--help"]].concat()).expect(0).out);
    }
    for example in texts.iter().flat_map(|text| examples(text)) {
        let arguments: Vec<&str> = example.split_whitespace().collect();
        let done = home.run(&[&["id"], &arguments[..]].concat());
        assert_eq!(done.code, 0, "deedbox id {example}\n{}", done.err);
        count += 1;
    }
    assert!(count >= 25, "{count}");
}
