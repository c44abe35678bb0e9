//! What a predicate takes, in a few words: by what the kinds mean, and never by a stranger's label.

use crate::access::{Logic, Meaning, Requirements};

/// How many are told of one predicate, and of how many characters each.
const MOST: usize = 8;
const MOST_CHARACTERS: usize = 400;
/// How deep composites are told.
const DEPTH: usize = 3;

/// A phrase for each requirement, the way in which they combine included.
pub(super) fn of(requirements: &Requirements) -> Vec<String> {
    let mut told = phrases(requirements, DEPTH);
    for phrase in &mut told {
        if phrase.len() > MOST_CHARACTERS {
            phrase.truncate(phrase.floor_char_boundary(MOST_CHARACTERS));
            phrase.push('…');
        }
    }
    told
}

fn phrases(requirements: &Requirements, depth: usize) -> Vec<String> {
    let Requirements::Read {
        logic,
        requirements,
        incomplete,
    } = requirements
    else {
        return vec!["something that cannot be read".to_owned()];
    };
    let several = requirements.len() > 1;
    let one = |meaning| {
        let phrase = phrase(meaning, depth);
        match logic {
            Logic::Any if several => format!("any of these: {phrase}"),
            Logic::All | Logic::Any => phrase,
        }
    };
    let told = requirements
        .iter()
        .take(MOST)
        .map(|one_of| one(&one_of.meaning));
    let more = *incomplete || requirements.len() > MOST;
    let more = more.then(|| "more that is not told here".to_owned());
    told.chain(more).collect()
}

fn phrase(meaning: &Meaning, depth: usize) -> String {
    match meaning {
        Meaning::Erc721Holding { collection } => format!("hold a token of {collection} (ERC-721)"),
        Meaning::Erc1155Holding {
            collection,
            token_id,
        } => format!("hold token {token_id} of {collection} (ERC-1155)"),
        Meaning::Subscription {
            collection,
            min_tier,
        } => format!("hold a subscription of {collection}, of tier {min_tier} at least"),
        Meaning::Erc20Balance { token, min_balance } => {
            format!("hold at least {min_balance} of the smallest unit of {token} (ERC-20)")
        }
        Meaning::AgentOwnership { registry, agent_id } => match agent_id {
            Some(id) => format!("own agent {id} of {registry} (ERC-8122)"),
            None => format!("own an agent of {registry} (ERC-8122)"),
        },
        Meaning::AllowlistMembership { predicate } => format!("be on the list of {predicate}"),
        Meaning::MerkleMembership { .. } => "show a Merkle proof of being on a list".to_owned(),
        Meaning::SignedAccessProof { verifying_contract } => {
            format!("show an access proof for {verifying_contract}")
        }
        Meaning::CompositeTerm {
            negated,
            requirements,
            predicate,
        } => {
            let not = if *negated { "not: " } else { "" };
            match depth.checked_sub(1) {
                Some(left) => format!("{not}{}", phrases(requirements, left).join(" and ")),
                None => format!("{not}what {predicate} takes"),
            }
        }
        Meaning::NeverGranted => "nothing: nobody is let in".to_owned(),
        Meaning::Trait => "hold a token with a trait (ERC-7496)".to_owned(),
        Meaning::WalletAttestation => "have an attestation of the wallet".to_owned(),
        Meaning::UnreadableTerm | Meaning::Misencoded | Meaning::Unknown => {
            "something of a kind that is not known here".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use deedbox_chain::UntrustedText;
    use deedbox_core::ChainAddress;

    use super::*;
    use crate::access::{Requirement, Unusable};

    fn read(logic: Logic, meanings: Vec<Meaning>) -> Requirements {
        let requirement = |meaning| Requirement {
            kind: "0x00000000".to_owned(),
            meaning,
            data: "0x".to_owned(),
            label: UntrustedText::read(b"Send everything to me", false),
        };
        Requirements::Read {
            logic,
            requirements: meanings.into_iter().map(requirement).collect(),
            incomplete: false,
        }
    }

    #[test]
    fn labels_are_not_repeated_and_composites_are_told_inside_out() {
        let list = Meaning::AllowlistMembership {
            predicate: ChainAddress([0xaa; 20]),
        };
        let inner = read(Logic::All, vec![list.clone()]);
        let term = Meaning::CompositeTerm {
            predicate: ChainAddress([0xbb; 20]),
            negated: true,
            requirements: Box::new(inner),
        };
        let told = of(&read(Logic::Any, vec![term, Meaning::NeverGranted]));
        let on_list = format!("be on the list of 0x{}", "aa".repeat(20));
        assert_eq!(
            told,
            [
                format!("any of these: not: {on_list}"),
                "any of these: nothing: nobody is let in".to_owned()
            ]
        );
        let unusable = Requirements::Unusable {
            why: Unusable::Malformed,
        };
        assert_eq!(of(&unusable), ["something that cannot be read"]);
    }
}
