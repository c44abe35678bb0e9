//! How a change of a chain fails, for programs: a code and an exit code for each way.

use deedbox_publish::PublishError;

/// The process's exit code: 4 when something is signed and is to be resumed.
pub(super) const fn exit_code(error: &PublishError) -> u8 {
    if error.publication().is_some() {
        return 4;
    }
    match error {
        PublishError::NotAsked(_) => 2,
        PublishError::Store(_) | PublishError::Read(_) | PublishError::Unreadable { .. } => 3,
        _ => 1,
    }
}

/// A name for programs that never changes.
pub(super) const fn code(error: &PublishError) -> &'static str {
    match error {
        PublishError::Invalid(_) => "invalid_change",
        PublishError::WrongContract(_) => "wrong_contract",
        PublishError::NotAllowed(_) => "not_allowed",
        PublishError::Manifest(_) => "manifest_refused",
        PublishError::Fetch(_) => "manifest_not_fetched",
        PublishError::PredicateWithoutCode(_) => "predicate_without_code",
        PublishError::WouldRevert(_) => "would_revert",
        PublishError::TooMuchGas { .. } => "too_much_gas",
        PublishError::CannotPay { .. } => "cannot_pay",
        PublishError::FeeAboveLimit { .. } => "fee_above_limit",
        PublishError::OthersPending { .. } => "others_pending",
        PublishError::NoncesDisagree { .. } => "nonces_disagree",
        PublishError::AccountIsContract(_) => "account_is_contract",
        PublishError::Declined => "declined",
        PublishError::NotAsked(_) => "unattended",
        PublishError::CannotSign(_) => "cannot_sign",
        PublishError::WrongSignature { .. } => "wrong_signature",
        PublishError::Unrecordable(_) => "cannot_record",
        PublishError::NotTaken { .. } => "not_taken",
        PublishError::NotYet { .. } => "not_yet",
        PublishError::NotDeep { .. } => "not_deep",
        PublishError::EarlierFirst { .. } => "earlier_first",
        PublishError::Interrupted { .. } => "interrupted",
        PublishError::FeeUnusual { .. } | PublishError::FeeBeyond { .. } => "fee_unusual",
        PublishError::Outdated(_) => "outdated",
        PublishError::LostSight { .. } => "lost_sight",
        PublishError::Unreadable { .. } => "row_unreadable",
        // The program says these in other ways before they come here.
        PublishError::Refused(refusal) => refusal.code(),
        PublishError::Read(error) => error.code.as_str(),
        PublishError::Store(_) => "database_error",
    }
}
