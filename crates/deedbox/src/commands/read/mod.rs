//! `deedbox read …`: the readings that agents have, under the same policy, recorded as theirs are.

mod ask;
mod compared;
mod found;
mod prove;
pub(super) mod shown;
mod units;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use deedbox_core::TaskId;
use deedbox_server::{
    Answer, Envelope, Extras, Fault, Operation, Operations, Problem, ReadingRequest, Reply, Tool,
    operations::Unread,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};

pub(super) use self::{
    ask::{agent, no_key, tool},
    found::text as found,
    prove::{Proof, prove, run as run_proof},
};
use super::{
    Desk, answer,
    tool::output::{Existing, write},
};
use crate::{
    accounts::ask::tell,
    chains,
    cli::{AgentCommand, At, Command, Common, ReadCommand, ToolCommand},
    database,
    failure::Failure,
    settings::{Environment, Flags},
};

/// How long nothing is drawn: most readings are there sooner.
const PATIENCE: Duration = Duration::from_millis(500);
/// The exit code of an answer that is a no: no such agent, not verified, no access.
const SAYS_NO: u8 = 5;
/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);

/// A reading with its arguments read.
pub(super) struct Prepared {
    operation: Operation,
    extras: Extras,
    /// Where a manifest that was served is kept.
    save: Option<PathBuf>,
}

/// Reads the arguments, and takes the flags of settings out of them.
///
/// # Errors
/// Which argument is not what it should be.
pub(super) fn prepare(command: ReadCommand, flags: &mut Flags) -> Result<Prepared, Failure> {
    let (tool, arguments, common) = match command {
        ReadCommand::NativeBalance { at, holder, common } => (
            Tool::GetNativeBalance,
            at_block(&at, json!({"holder": holder})),
            common,
        ),
        ReadCommand::Erc20Balance {
            at,
            holder,
            token,
            common,
        } => {
            let of = json!({"holder": holder, "token": token});
            (Tool::GetErc20Balance, at_block(&at, of), common)
        }
        ReadCommand::TokenMetadata { at, token, common } => (
            Tool::GetTokenMetadata,
            at_block(&at, json!({"token": token})),
            common,
        ),
        ReadCommand::PoolReserves { at, pool, common } => (
            Tool::GetPoolReserves,
            at_block(&at, json!({"pool": pool})),
            common,
        ),
        ReadCommand::Transfers {
            chain_id,
            address,
            from_block,
            to_block,
            limit,
            common,
        } => {
            let arguments = json!({
                "chain_id": chain_id,
                "address": address,
                "from_block": from_block,
                "to_block": to_block,
                "limit": limit,
            });
            (Tool::ListRecentTransfers, arguments, common)
        }
        ReadCommand::Chains { chains } => {
            let task = None;
            (Tool::ListChains, json!({}), Common { task, chains })
        }
    };
    Prepared::of(tool, arguments, common, flags)
}

impl Prepared {
    /// # Errors
    /// Which argument is not what it should be.
    fn of(
        tool: Tool,
        arguments: Value,
        common: Common,
        flags: &mut Flags,
    ) -> Result<Self, Failure> {
        common.chains.add_to(flags);
        let task = common.task.map(|task| task.parse::<TaskId>()).transpose();
        let Value::Object(arguments) = arguments else {
            return Err(Failure::argument("arguments", "must be an object"));
        };
        Ok(Self {
            operation: read(tool, arguments)?,
            extras: Extras {
                task: task.map_err(|error| Failure::argument("--task", error))?,
                ..Extras::default()
            },
            save: None,
        })
    }
}

fn at_block(at: &At, mut of: Value) -> Value {
    of["chain_id"] = at.chain_id.into();
    of["block"] = at.block.as_str().into();
    of
}

/// Reads the arguments of a tool, as its server would.
///
/// # Errors
/// Which argument is not what it should be.
pub(super) fn read(tool: Tool, arguments: Map<String, Value>) -> Result<Operation, Failure> {
    Operation::read(tool, arguments).map_err(not_read)
}

/// What is wrong with arguments.
pub(super) fn not_read(fault: Fault) -> Failure {
    match fault {
        Fault::Unread(error) => Failure::Unread(error),
        Fault::Refused(refusal) => Failure::Refused(refusal),
        // Reading arguments asks neither the database nor the policy.
        other => Failure::argument("arguments", other),
    }
}

pub(super) async fn run(
    desk: &Desk<'_>,
    environment: &Environment,
    command: Prepared,
) -> Result<ExitCode, Failure> {
    let (operation, answer) = take(desk, environment, command.operation, &command.extras).await?;
    if let Some(file) = command.save {
        match &answer.served {
            Some(bytes) => write(&file, bytes, Existing::Keep)?,
            None => tell("! Nothing was served, so nothing was saved."),
        }
    }
    let done = answer::tell(desk, &operation, &answer)?;
    Ok(match &answer.reply {
        Reply::Reading(envelope) if found::says_no(operation.tool(), envelope) => {
            ExitCode::from(SAYS_NO)
        }
        _ => done,
    })
}

/// Takes a reading.
async fn take(
    desk: &Desk<'_>,
    environment: &Environment,
    operation: Operation,
    extras: &Extras,
) -> Result<(Operation, Answer), Failure> {
    let (reader, policy) = chains::reader(desk.settings, environment, Arc::clone(&desk.world))?;
    let index = match &operation {
        Operation::Reading(request) if !matches!(request, ReadingRequest::Chain(_)) => {
            // Whoever asks is not refused because a cache cannot be opened: the reading itself tells what stands at the registry's
            // address, and all that is lost is that a check is kept.
            let index = database::index_if_there(desk.settings).await;
            index.unwrap_or_default()
        }
        _ => None,
    };
    let operations = Operations::new(Arc::clone(&desk.store), Arc::clone(&desk.world))
        .with_reader(Some(reader), policy)
        .with_index(index.clone());
    let by = desk.settings.attribution();
    let progress = Progress::start();
    let done = operations.perform(&by, operation.clone(), extras).await;
    progress.end();
    if let Some(index) = index {
        index.close().await;
    }
    let answer = done.map_err(|fault| desk.failed(fault))?;
    Ok((operation, answer))
}

/// Whether a command's result is the envelope of a reading.
pub(super) const fn answers_in_envelope(command: &Command) -> bool {
    match command {
        Command::Read(ReadCommand::Chains { .. }) => false,
        Command::Read(_)
        | Command::Agent(AgentCommand::Resolve(_))
        | Command::Tool(ToolCommand::Look(_)) => true,
        _ => false,
    }
}

/// The envelope of a reading that there is not. What servers fail with too is said as they say it.
pub(super) fn without(failure: &Failure) -> Envelope {
    let problem = match failure {
        Failure::Unread(error) => Some(Problem::from(error)),
        Failure::Unclear { error, candidates } => Some(Problem {
            candidates: candidates.clone(),
            ..Problem::from(error)
        }),
        Failure::Policy(refused) => Some(Problem::from(refused)),
        Failure::Refused(refusal) => Some(Problem::from(refusal)),
        Failure::Store { cause, .. } => Some(Problem::from(cause)),
        _ => None,
    };
    let error = problem.as_ref().map_or_else(
        || Unread {
            code: failure.code(),
            message: failure.to_string().into(),
            retryable: false,
            candidates: Vec::new(),
        },
        Unread::from,
    );
    Envelope {
        data: None,
        provenance: None,
        error: Some(error),
    }
}

/// A sign of life on standard error, if that is a terminal and the reading takes long.
struct Progress {
    bar: ProgressBar,
    drawing: tokio::task::JoinHandle<()>,
}

impl Progress {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} reading the chain, {elapsed}") {
            bar.set_style(style);
        }
        let later = bar.clone();
        let drawing = tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            later.set_draw_target(ProgressDrawTarget::stderr());
            later.enable_steady_tick(TICK);
        });
        Self { bar, drawing }
    }

    fn end(self) {
        self.drawing.abort();
        self.bar.finish_and_clear();
    }
}
