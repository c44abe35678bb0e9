use super::*;

fn at(block: u64) -> Checkpoint {
    Checkpoint {
        block,
        hash: BlockHash([u8::try_from(block % 251).unwrap(); 32]),
    }
}

fn batch(after: Option<u64>, upto: u64, final_upto: Option<u64>, blocks: &[u64]) -> Batch {
    Batch {
        registry: registry(1),
        after: after.map(at),
        facts: blocks
            .iter()
            .map(|block| said(*block, moved(1, 0, 1, 1)))
            .collect(),
        upto: at(upto),
        upto_at: Some(origin(upto, 0).block_timestamp),
        final_upto,
    }
}

#[test]
fn a_batch_has_facts_of_its_own_blocks_in_order() {
    assert_eq!(batch(None, 9, None, &[1, 5, 9]).check(), Ok(()));
    assert_eq!(batch(Some(4), 9, None, &[5]).check(), Ok(()));
    assert_eq!(
        batch(Some(9), 9, None, &[]).check(),
        Ok(()),
        "finality only"
    );
    for (bad, why) in [
        (batch(Some(4), 9, None, &[4]), BadBatch::Outside(4)),
        (batch(Some(4), 9, None, &[10]), BadBatch::Outside(10)),
        (batch(None, 9, None, &[5, 3]), BadBatch::Unordered(3)),
        (batch(None, 9, None, &[5, 5]), BadBatch::Unordered(5)),
        (batch(Some(9), 8, None, &[]), BadBatch::Backwards),
        (batch(Some(9), 9, None, &[9]), BadBatch::Backwards),
    ] {
        assert_eq!(bad.check(), Err(why));
    }
}

#[test]
fn a_cursor_goes_on_where_it_is_and_back_to_what_is_not_final() {
    let mut cursor = Cursor::new(registry(1), Standard::Erc8122, 5);
    assert_eq!(cursor.next(), 5);
    for (after, upto, is_final) in [
        (None, 10, None),
        (Some(10), 20, Some(12)),
        (Some(20), 30, Some(8)),
    ] {
        cursor.advance(&batch(after, upto, is_final, &[])).unwrap();
    }
    assert_eq!((cursor.next(), cursor.final_upto), (31, Some(12)));
    assert_eq!(cursor.upto_at, Some(origin(30, 0).block_timestamp));
    assert_eq!(cursor.checkpoints, [at(20), at(30)]);
    assert!(cursor.is_final(12) && !cursor.is_final(13));
    let superseded = Err(Superseded::Cursor(registry(1)));
    assert_eq!(cursor.advance(&batch(Some(20), 40, None, &[])), superseded);
    assert_eq!(cursor.go_back(Some(at(31))), superseded);
    let below = Err(Superseded::BelowFinal(registry(1)));
    assert_eq!(cursor.go_back(Some(at(11))), below);
    assert_eq!(cursor.go_back(None), below);
    cursor.go_back(Some(at(30))).unwrap();
    assert!(cursor.upto_at.is_some(), "it is where it was");
    cursor.go_back(Some(at(25))).unwrap();
    assert_eq!(cursor.upto_at, None, "of that block only the hash is known");
    assert_eq!(cursor.checkpoints, [at(20), at(25)]);
    cursor.go_back(Some(at(12))).unwrap();
    assert_eq!(
        (cursor.upto, cursor.checkpoints.as_slice()),
        (Some(at(12)), &[at(12)][..])
    );
    cursor.advance(&batch(Some(12), 13, Some(99), &[])).unwrap();
    assert_eq!(cursor.final_upto, Some(13), "no further than it is read");
    let before = cursor.upto_at;
    let settled = Batch {
        upto_at: None,
        ..batch(Some(13), 13, Some(13), &[])
    };
    cursor.advance(&settled).unwrap();
    assert_eq!((before.is_some(), cursor.upto_at), (true, before));
    let mut fresh = Cursor::new(registry(1), Standard::Erc8122, 5);
    fresh.advance(&batch(None, 10, None, &[])).unwrap();
    fresh.go_back(Some(at(3))).unwrap();
    assert_eq!((fresh.upto, fresh.next()), (None, 5));
}

#[test]
fn a_lease_is_taken_over_when_its_time_is_over_and_then_has_another_epoch() {
    let time = |n: i64| Timestamp::from_millis(n).unwrap();
    let known = Lease {
        registry: registry(1),
        holder: "a".to_owned(),
        epoch: 3,
        until: time(100),
    };
    let prolonged = known.claimed("a", time(50), time(150)).unwrap();
    assert_eq!((prolonged.epoch, prolonged.until), (3, time(150)));
    assert_eq!(known.claimed("b", time(99), time(150)), None);
    let taken = known.claimed("b", time(100), time(150)).unwrap();
    assert_eq!((taken.epoch, taken.holder.as_str()), (4, "b"));
    assert!(known.is_current(&known, time(99)));
    assert!(
        known.is_current(&prolonged, time(120)),
        "its time was prolonged"
    );
    assert!(!known.is_current(&known, time(100)));
    assert!(!known.is_current(&taken, time(99)));
}

fn followed(blocks: impl IntoIterator<Item = u64>) -> Cursor {
    let mut cursor = Cursor::new(registry(1), Standard::Erc8122, 0);
    let mut after = None;
    for block in blocks {
        cursor.advance(&batch(after, block, None, &[])).unwrap();
        after = Some(block);
    }
    cursor
}

#[test]
fn of_a_chain_that_does_not_become_final_few_checkpoints_are_kept() {
    let cursor = followed(1..=100_000);
    let blocks: Vec<_> = cursor.checkpoints.iter().map(|at| at.block).collect();
    assert!(blocks.len() <= 64 + 8 * 14, "{} are kept", blocks.len());
    assert_eq!(blocks[0], 1, "there is one below everything");
    let newest: Vec<_> = (100_000 - 63..=100_000).collect();
    assert_eq!(
        &blocks[blocks.len() - 64..],
        newest,
        "the newest are all there"
    );
    // Whatever block the branches part at, going back goes hardly further than to it.
    for parted in 1..=100_000 {
        let to = blocks[blocks.partition_point(|block| *block <= parted) - 1];
        let (depth, too_far) = (100_000 - parted, parted - to);
        assert!(too_far <= depth / 5 + 8, "{parted}: to {to}");
    }
}

#[test]
fn checkpoints_that_are_far_apart_all_stay() {
    let blocks = (0..60).map(|n| n * 1_000_000);
    assert_eq!(followed(blocks).checkpoints.len(), 60);
    let few = followed([1, 2, 3]);
    assert_eq!(few.checkpoints, [at(1), at(2), at(3)]);
}

#[test]
fn the_block_where_finality_ends_stays_a_checkpoint() {
    let mut cursor = followed(1..=1_000);
    let settled = cursor.checkpoints[cursor.checkpoints.len() / 2];
    for block in 1_001..=3_000 {
        let next = batch(Some(block - 1), block, Some(settled.block), &[]);
        cursor.advance(&next).unwrap();
        assert_eq!(cursor.checkpoints[0], settled);
    }
    assert_eq!(cursor.go_back(Some(settled)), Ok(()));
}
