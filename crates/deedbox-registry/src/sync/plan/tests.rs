use deedbox_core::ChainAddress;
use deedbox_store::index::Standard;
use proptest::prelude::*;

use super::*;

fn registry(number: u8) -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([number; 20]),
    }
}

fn hash(block: u64, branch: u8) -> BlockHash {
    let mut bytes = [branch; 32];
    bytes[..8].copy_from_slice(&block.to_be_bytes());
    BlockHash(bytes)
}

fn standing(number: u8, next: u64) -> Standing {
    Standing {
        registry: registry(number),
        next,
        after: next.checked_sub(1).map(|block| hash(block, 0)),
        is_alone: false,
    }
}

/// The steps as (registries, from, to).
fn steps(standings: &[Standing], latest: u64, finalized: Option<u64>) -> Vec<(Vec<u8>, u64, u64)> {
    let bounds = Bounds { latest, finalized };
    let steps = plan(standings, bounds, 10_000).into_iter();
    let steps = steps.map(|step| {
        let numbers = step.registries.iter().map(|one| one.address.0[0]);
        (numbers.collect(), step.from, step.to)
    });
    steps.collect()
}

#[test]
fn registries_at_one_block_go_together_and_what_is_read_is_not_asked_for() {
    let all = [standing(2, 50), standing(1, 50), standing(3, 101)];
    assert_eq!(steps(&all, 100, None), [(vec![2, 1], 50, 100)]);
    assert_eq!(steps(&all, 49, None), []);
    assert_eq!(steps(&[], 100, None), []);
}

#[test]
fn one_that_lags_catches_up_alone_and_stops_where_the_others_wait() {
    let all = [standing(1, 100), standing(2, 5_000), standing(3, 5_000)];
    assert_eq!(steps(&all, 900_000, None), [(vec![1], 100, 4_999)]);
    let far = [standing(1, 100), standing(2, 500_000)];
    assert_eq!(steps(&far, 900_000, None), [(vec![1], 100, 10_099)]);
    let met = [standing(1, 5_000), standing(2, 5_000)];
    assert_eq!(steps(&met, 900_000, None), [(vec![1, 2], 5_000, 14_999)]);
}

#[test]
fn those_at_the_head_go_on_while_one_is_far_behind_and_wait_for_one_that_is_near() {
    let far = [standing(1, 100), standing(2, 899_990)];
    let expected = [(vec![1], 100, 10_099), (vec![2], 899_990, 900_000)];
    assert_eq!(steps(&far, 900_000, None), expected);
    let near = [standing(1, 899_900), standing(2, 899_990)];
    assert_eq!(steps(&near, 900_000, None), [(vec![1], 899_900, 899_989)]);
}

#[test]
fn no_step_goes_over_the_finalized_block() {
    let all = [standing(1, 50)];
    assert_eq!(steps(&all, 100, Some(70)), [(vec![1], 50, 70)]);
    assert_eq!(steps(&all, 100, Some(50)), [(vec![1], 50, 50)]);
    assert_eq!(steps(&all, 100, Some(49)), [(vec![1], 50, 100)]);
}

#[test]
fn branches_and_those_that_are_too_much_for_the_others_are_asked_for_by_themselves() {
    let mut other_branch = standing(2, 50);
    other_branch.after = Some(hash(49, 1));
    let mut alone = standing(3, 50);
    alone.is_alone = true;
    let all = [standing(1, 50), other_branch, alone, standing(4, 50)];
    let mut steps = steps(&all, 100, None);
    steps.sort();
    let expected = [
        (vec![1, 4], 50, 100),
        (vec![2], 50, 100),
        (vec![3], 50, 100),
    ];
    assert_eq!(steps, expected);
    let bounds = Bounds {
        latest: 100,
        finalized: None,
    };
    let many: Vec<_> = (0..=250).map(|number| standing(number, 50)).collect();
    let together: Vec<_> = plan(&many, bounds, 10)
        .iter()
        .map(|step| step.registries.len())
        .collect();
    assert_eq!(together, [100, 100, 51]);
}

proptest! {
    /// Whatever the registries begin with, all of them are read through to the head, each block once, in a bounded number of steps.
    #[test]
    fn every_registry_reads_every_block_once(
        begins in prop::collection::vec(0..3_000_u64, 1..8),
        width in 1..700_u64,
        finalized in prop::option::of(0..3_000_u64),
    ) {
        let mut all: Vec<_> = (0_u8..).zip(&begins).map(|(number, next)| standing(number, *next)).collect();
        let bounds = Bounds { latest: 3_000, finalized };
        let mut rounds = 0;
        loop {
            let steps = plan(&all, bounds, width);
            if steps.is_empty() {
                break;
            }
            rounds += 1;
            prop_assert!(rounds < 20_000);
            for step in steps {
                prop_assert!(step.from <= step.to && step.to <= bounds.latest && step.to - step.from < width);
                for one in &mut all {
                    if step.registries.contains(&one.registry) {
                        prop_assert_eq!((one.next, one.after), (step.from, step.after));
                        one.next = step.to + 1;
                        one.after = Some(hash(step.to, 0));
                    }
                }
            }
        }
        prop_assert!(all.iter().all(|one| one.next == 3_001));
    }
}

/// A registry with these checkpoints, the last of which is how far it is read.
fn cursor(checkpoints: &[u64], final_upto: Option<u64>) -> Cursor {
    let mut cursor = Cursor::new(registry(1), Standard::Erc8122, 1);
    cursor.checkpoints = checkpoints
        .iter()
        .map(|block| Checkpoint {
            block: *block,
            hash: hash(*block, 0),
        })
        .collect();
    cursor.upto = cursor.checkpoints.last().copied();
    cursor.final_upto = final_upto;
    cursor
}

/// What a chain has at these heights: branch 1 from `fork` on.
fn chain(heights: &[u64], fork: u64) -> BTreeMap<u64, BlockHash> {
    let heights = heights.iter().copied();
    heights
        .map(|block| (block, hash(block, u8::from(block >= fork))))
        .collect()
}

fn at(block: u64) -> Checkpoint {
    Checkpoint {
        block,
        hash: hash(block, 0),
    }
}

#[test]
fn a_registry_goes_back_to_the_newest_block_that_the_chain_still_has() {
    let read = cursor(&[10, 20, 30, 40], Some(10));
    let all = [10, 20, 30, 40];
    assert_eq!(judge(&read, None, &chain(&all, 41)), Verdict::Stands);
    assert_eq!(
        judge(&read, None, &chain(&all, 40)),
        Verdict::GoBack(Some(at(30)))
    );
    assert_eq!(
        judge(&read, None, &chain(&all, 25)),
        Verdict::GoBack(Some(at(20)))
    );
    assert_eq!(
        judge(&read, None, &chain(&all, 11)),
        Verdict::GoBack(Some(at(10)))
    );
    // A shorter chain with another branch: what it has is enough to know.
    assert_eq!(
        judge(&read, None, &chain(&[10, 20, 30], 25)),
        Verdict::GoBack(Some(at(20)))
    );
}

#[test]
fn who_does_not_have_the_block_yet_proves_nothing() {
    let read = cursor(&[10, 20, 30], Some(10));
    let behind = |heights: &[u64]| judge(&read, None, &chain(heights, 99));
    assert_eq!(behind(&[10, 20]), Verdict::Behind(Some(at(20))));
    assert_eq!(behind(&[]), Verdict::Behind(None));
}

#[test]
fn a_chain_that_ends_below_what_is_final_is_judged_by_the_last_block_in_which_something_was_said() {
    let read = cursor(&[50, 60], Some(50));
    let said = Some(at(12));
    let verdict = |fork| judge(&read, said, &chain(&[12], fork));
    assert_eq!(verdict(13), Verdict::Behind(said), "it lags");
    let broke = Verdict::BrokeFinality {
        kept: at(12),
        now: hash(12, 1),
    };
    assert_eq!(verdict(12), broke, "it is another chain");
    // It said nothing there, or the chain does not reach there.
    assert_eq!(judge(&read, None, &chain(&[], 1)), Verdict::Behind(None));
    assert_eq!(judge(&read, said, &chain(&[], 1)), Verdict::Behind(None));
    let heights: Vec<_> = heights(&read, said).collect();
    assert_eq!(heights, [60, 50, 12, 50]);
}

#[test]
fn what_is_not_final_and_was_said_on_another_branch_is_undone_also_when_the_chain_is_shorter() {
    let read = cursor(&[10, 60], Some(10));
    let verdict = |fork| judge(&read, Some(at(30)), &chain(&[10, 30], fork));
    assert_eq!(verdict(31), Verdict::Behind(Some(at(30))));
    assert_eq!(verdict(30), Verdict::GoBack(Some(at(10))));
    let never_final = cursor(&[60], None);
    let verdict = judge(&never_final, Some(at(30)), &chain(&[30], 30));
    assert_eq!(verdict, Verdict::GoBack(None));
    // Never below what is final, although an older block is the same.
    let between = cursor(&[20, 30], Some(15));
    let now = chain(&[5, 15, 20], 20);
    let verdict = judge(&between, Some(at(5)), &now);
    assert_eq!(verdict, Verdict::GoBack(Some(at(15))));
}

#[test]
fn without_anything_final_a_registry_goes_back_to_its_beginning() {
    let read = cursor(&[10, 20], None);
    assert_eq!(
        judge(&read, None, &chain(&[10, 20], 5)),
        Verdict::GoBack(None)
    );
    let unread = Cursor::new(registry(1), Standard::Erc8122, 1);
    assert_eq!(judge(&unread, None, &chain(&[], 0)), Verdict::Stands);
}

#[test]
fn what_was_final_is_never_gone_back_on() {
    let read = cursor(&[10, 20], Some(10));
    let broke = Verdict::BrokeFinality {
        kept: at(10),
        now: hash(10, 1),
    };
    assert_eq!(judge(&read, None, &chain(&[10, 20], 5)), broke);
    let only = cursor(&[10], Some(10));
    assert_eq!(judge(&only, None, &chain(&[10], 5)), broke);
    // Finality that ends between two blocks is gone back to.
    let between = cursor(&[20, 30], Some(15));
    let now = chain(&[15, 20, 30], 16);
    assert_eq!(judge(&between, None, &now), Verdict::GoBack(Some(at(15))));
    let unknown = judge(&between, None, &chain(&[20, 30], 16));
    assert_eq!(unknown, Verdict::Behind(None));
}

#[test]
fn finality_ends_at_a_block_whose_hash_is_known() {
    let read = cursor(&[10, 20, 30], Some(10));
    for (finalized, expected) in [
        (None, Some(10)),
        (Some(5), Some(10)),
        (Some(19), Some(10)),
        (Some(20), Some(20)),
        (Some(29), Some(20)),
        (Some(99), Some(30)),
    ] {
        assert_eq!(settled(&read, finalized), expected, "{finalized:?}");
    }
    assert_eq!(settled(&cursor(&[10], None), Some(9)), None);
    let heights: Vec<_> = heights(&read, None).collect();
    assert_eq!(heights, [30, 20, 10, 10]);
}
