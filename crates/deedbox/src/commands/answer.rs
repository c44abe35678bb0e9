//! What an operation answered, for people and programs. One place for every kind of answer, so that the compiler asks for a
//! new one.

use std::process::ExitCode;

use deedbox_server::{Answer, Operation, ReadingRequest, Reply};

use super::{Desk, finding, label, memory, read, task};
use crate::{
    failure::Failure,
    render::{Output, timeline},
    settings::Settings,
};

/// Prints what `operation` came to.
///
/// # Errors
/// Standard output does not take it.
pub(super) fn tell(
    desk: &Desk<'_>,
    operation: &Operation,
    answer: &Answer,
) -> Result<ExitCode, Failure> {
    let reply = &answer.reply;
    desk.output.print(reply, |output| {
        text(operation, reply, desk.settings, output)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn text(operation: &Operation, reply: &Reply, settings: &Settings, output: &Output) -> String {
    match reply {
        Reply::Record(record) => task::told(record, settings),
        Reply::Status(status) => timeline(status, output),
        Reply::Tasks(page) => task::listed(page, operation, settings, output),
        Reply::Identity(identity) => label::about(identity),
        Reply::Reading(envelope) => match operation {
            Operation::Reading(ReadingRequest::Chain(request)) => {
                read::shown::reading(request, envelope, settings, output)
            }
            _ => read::found(operation.tool(), envelope, settings, output),
        },
        Reply::Chains(list) => read::shown::chains(list, output),
        // Agents compare their conclusions; no command does it for them.
        Reply::Conclusion(_) => String::new(),
        Reply::Agents(page) => finding::agents(page, operation, settings, output),
        Reply::Tools(page) => finding::tools(page, operation, settings, output),
        Reply::Registries(list) => finding::registries(list, output),
        Reply::Memory(receipt) => memory::shown::receipt(receipt),
        Reply::Memories(page) => memory::shown::listed(page, operation, settings, output),
        Reply::Recalled(found) => memory::shown::recalled(found, output),
        Reply::MemoryHistory(history) => memory::shown::history(history, output),
        Reply::Spaces(list) => memory::spaces::listed(list, settings, output),
        Reply::Space(status) => memory::spaces::status(status, output),
        Reply::SpaceReceipt(receipt) => memory::spaces::changed(receipt, settings),
        Reply::Export(page) => memory::stewards::page(page),
        Reply::Import(report) => memory::stewards::imported(report),
        Reply::Deletion(report) => memory::stewards::deleted(report, output),
        Reply::Audit(page) => memory::stewards::audit(page, operation, settings, output),
        Reply::Review(review) => memory::stewards::review(review, output),
        Reply::History(page) => finding::history(page, operation, settings, output),
    }
}
