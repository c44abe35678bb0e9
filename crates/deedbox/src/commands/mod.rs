//! From the command line to the exit code.

mod account;
mod actor;
mod answer;
mod chain;
mod config;
mod document;
mod evidence;
mod finding;
mod follow;
mod id;
mod key;
mod label;
mod ledger;
mod lint;
mod mcp;
mod memory;
mod policy;
mod publication;
mod publishing;
mod read;
mod task;
mod tool;

use std::{env, ffi::OsString, future::Future, io::Write as _, process::ExitCode, sync::Arc};

use clap::Parser;
use deedbox_core::{Command as Request, Deed, World};
use deedbox_server::{Fault, policy::Used};
use deedbox_store::{Execute, Store};
use tokio::runtime::{Builder, Runtime};

pub(crate) use id::{Wrong, read_address};
pub(crate) use publishing::address;

use crate::{
    accounts,
    cli::{
        AgentCommand, ChainCommand, Cli, Command, ConfigCommand, LedgerCommand, PolicyCommand,
        RegistryCommand, ToolCommand,
    },
    database::{self, WhenMissing},
    failure::Failure,
    observe,
    render::{Output, json, line},
    serve,
    settings::{self, Environment, Settings},
    world::SystemWorld,
};

/// Log lines of a command that runs and ends: none, because what went wrong is the error that it ends with. Only that traces are
/// lost, and that an index was damaged and is begun anew, is said nowhere else.
const SILENT: &str = "off,deedbox::observe=warn,deedbox_sqlite::index::renewing=warn";
/// Log lines of a server that a client started: only what is wrong.
///
/// Two libraries are silenced: their warnings repeat what a caller or a URL says, control characters and secrets
/// included. What there is to know of these cases is said by us.
const QUIET: &str = "warn,rmcp=off,sqlx_postgres=error";
/// The code of an error in how the program was called; all others are [`Failure::code`]'s.
pub(crate) const BAD_USAGE: &str = "bad_usage";
/// Log lines of a server: what it does, and of others only what is wrong.
const SERVER: &str = "warn,rmcp=off,sqlx_postgres=error,deedbox=info,deedbox_server=info,deedbox_sqlite=info,deedbox_postgres=info";

/// Runs the program.
pub(crate) fn run() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    if let Some(failure) = secret(&arguments) {
        let as_json = arguments.iter().any(|one| one == "--json");
        report(&failure, as_json, &arguments);
        return ExitCode::from(failure.exit_code());
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return not_understood(&arguments, error),
    };
    let environment = Environment::of_process();
    let output = Output::of_process(cli.global.json, &environment);
    let in_envelope = output.json && read::answers_in_envelope(&cli.command);
    match dispatch(cli, &environment, &output) {
        Ok(code) => code,
        Err(failure) => {
            if in_envelope {
                // Programs find it where they look for it, whatever came of the reading. That it cannot be written is not what
                // went wrong first.
                drop(output.print(&read::without(&failure), |_| String::new()));
            }
            report(&failure, output.json, &arguments);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// What is, or may be, a secret, before the arguments are read and anything in them can be repeated.
fn secret(arguments: &[OsString]) -> Option<Failure> {
    let texts: Vec<_> = arguments.iter().map(|one| one.to_string_lossy()).collect();
    let texts: Vec<&str> = texts.iter().skip(1).map(AsRef::as_ref).collect();
    let flags = texts.iter().take_while(|one| **one != "--");
    if let Some(flag) = accounts::refused_flag(flags.copied()) {
        return Some(Failure::SecretArgument { flag });
    }
    accounts::holds_misplaced_key(&texts).then_some(Failure::KeyArgument)
}

/// What clap has to say: help and version on standard output, bad usage on standard error.
fn not_understood(arguments: &[OsString], error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A reader that went away, like `head`, is no failure, and nothing else can be done about others.
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    let error = about_shown(arguments, error);
    if arguments.iter().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = first.trim_start_matches("error: ").trim();
        let value = serde_json::json!({"error": message, "code": BAD_USAGE});
        complain(&without(arguments, json(&value.to_string())));
    } else if arguments
        .iter()
        .any(|one| accounts::holds_key(&one.to_string_lossy()))
    {
        // Whatever of them clap repeats, it is not shown.
        complain(&without(arguments, error.render().to_string()));
    } else {
        drop(error.print());
    }
    ExitCode::from(2)
}

/// The same complaint, about the arguments as they are shown: clap repeats what was typed, and an argument may
/// come from a stranger (`deedbox task status "$id"`).
fn about_shown(arguments: &[OsString], error: clap::Error) -> clap::Error {
    let shown = arguments.iter().map(|one| line(&one.to_string_lossy()));
    match Cli::try_parse_from(shown) {
        Err(same) if same.kind() == error.kind() => same,
        // It was about a byte that is not UTF-8, and such a text is not repeated.
        _ => error,
    }
}

fn report(failure: &Failure, as_json: bool, arguments: &[OsString]) {
    let text = if as_json {
        json(&failure.for_programs().to_string())
    } else {
        failure.for_people()
    };
    complain(&without(arguments, text));
}

/// A text without what in it was typed and may be a private key. Where a hash belongs, it is one; who typed it knows it.
fn without(arguments: &[OsString], text: String) -> String {
    let typed: Vec<_> = arguments.iter().map(|one| one.to_string_lossy()).collect();
    accounts::redacted(text, typed.iter().map(AsRef::as_ref))
}

/// Writes to standard error. It is the last place to complain in, so a failure has nowhere to go.
fn complain(text: &str) {
    drop(writeln!(std::io::stderr(), "{text}"));
}

fn dispatch(cli: Cli, environment: &Environment, output: &Output) -> Result<ExitCode, Failure> {
    let (config, mut flags) = cli.global.into_flags();
    // Arguments that are wrong in themselves are refused before a database is touched.
    let prepared = match cli.command {
        Command::Completions { shell } => return document::completions(shell, output),
        Command::Openapi => return document::openapi(output),
        Command::Id(command) => return id::run(command, output),
        Command::Tool(ToolCommand::Registration(command)) => {
            Prepared::Change(publishing::tool(command, &mut flags)?)
        }
        Command::Tool(ToolCommand::Pin(command)) => {
            Prepared::Pin(follow::prepare_pin(command, &mut flags)?)
        }
        Command::Tool(ToolCommand::Manifest(command)) => return tool::run(command, output),
        Command::Tool(ToolCommand::Prove(prove)) => {
            Prepared::Proof(Box::new(read::prove(prove, &mut flags)?))
        }
        Command::Tool(ToolCommand::Look(look)) => {
            Prepared::Read(Box::new(read::tool(look, &mut flags)?))
        }
        Command::Agent(AgentCommand::Resolve(resolve)) => {
            Prepared::Read(Box::new(read::agent(resolve, &mut flags)?))
        }
        Command::Agent(AgentCommand::Look(look)) => Prepared::Find(Box::new(finding::agent(look)?)),
        Command::Tool(ToolCommand::Finding(look)) => Prepared::Find(Box::new(finding::tool(look)?)),
        Command::Agent(AgentCommand::Change(command)) => {
            Prepared::Change(publishing::agent(command, &mut flags)?)
        }
        Command::Predicate(command) => {
            Prepared::Change(publishing::predicate(command, &mut flags)?)
        }
        Command::Registry(RegistryCommand::Follow(command)) => {
            match follow::prepare(command, &mut flags)? {
                follow::Prepared::Presets => return follow::presets(output),
                command => Prepared::Follow(command),
            }
        }
        Command::Registry(RegistryCommand::Contract(command)) => {
            match publishing::registry(command, &mut flags)? {
                publishing::Registry::Change(change) => Prepared::Change(change),
                publishing::Registry::Describe(describe) => {
                    let settings = settings::resolve(config, &flags, environment)?;
                    return observed(&settings, environment, SILENT, || {
                        let world = Arc::new(SystemWorld);
                        let look =
                            publishing::describe(&settings, environment, world, output, describe);
                        one_thread()?.block_on(look)
                    });
                }
            }
        }
        Command::Chain(ChainCommand::Dev(dev)) => {
            let settings = settings::resolve(config, &flags, environment)?;
            return observed(&settings, environment, SILENT, || {
                one_thread()?.block_on(chain::dev(dev, &settings, environment, output))
            });
        }
        Command::Lint(command) => return lint::run(command, environment, output),
        Command::Account(command) => {
            let settings = settings::resolve(config, &flags, environment)?;
            return account::run(command, &settings, environment, output);
        }
        Command::Instance(command) => {
            let settings = settings::resolve(config, &flags, environment)?;
            return label::instance(command, &settings, environment, output);
        }
        Command::Whoami => {
            return label::whoami(&settings::resolve(config, &flags, environment)?, output);
        }
        Command::Config(ConfigCommand::Show(server)) => {
            server.add_to(&mut flags);
            let settings = settings::resolve(config, &flags, environment)?;
            return config::show(&settings, environment, output);
        }
        Command::Serve(server) => {
            server.add_to(&mut flags);
            let settings = settings::resolve(config, &flags, environment)?;
            return observed(&settings, environment, SERVER, || {
                let metrics = observe::count()?;
                many_threads()?.block_on(serve::serve(&settings, environment, output, metrics))
            });
        }
        Command::Mcp { toolsets, chains } => {
            chains.add_to(&mut flags);
            flags.extend(toolsets.map(|names| ("toolsets", names)));
            let settings = settings::resolve(config, &flags, environment)?;
            return observed(&settings, environment, QUIET, || {
                one_thread()?.block_on(mcp::serve(&settings, environment))
            });
        }
        Command::Policy(PolicyCommand::Show) => {
            return policy::show(&settings::resolve(config, &flags, environment)?, output);
        }
        Command::Policy(PolicyCommand::Test(test)) => {
            let call = policy::prepare(test)?;
            if !call.names_a_task() {
                let settings = settings::resolve(config, &flags, environment)?;
                return policy::test(&call, Used::default(), &settings, output);
            }
            Prepared::PolicyTest(call)
        }
        Command::Read(command) => Prepared::Read(Box::new(read::prepare(command, &mut flags)?)),
        Command::Task(command) => Prepared::Task(task::prepare(command)?),
        Command::Memory(command) => Prepared::Memory(Box::new(memory::prepare(command)?)),
        Command::Space(command) => Prepared::Memory(Box::new(memory::spaces::prepare(command)?)),
        Command::Actor(command) => Prepared::Actor(actor::prepare(command)?),
        Command::Key(command) => Prepared::Key(key::prepare(command, SystemWorld.now())?),
        Command::Ledger(LedgerCommand::Check) => Prepared::LedgerCheck,
        Command::Publication(command) => {
            Prepared::Publication(publication::prepare(command, &mut flags)?)
        }
        Command::Evidence(command) => match evidence::prepare(command, &mut flags)? {
            evidence::Prepared::Verify(file) => return evidence::verify(&file, output),
            command => Prepared::Evidence(command),
        },
    };
    let settings = settings::resolve(config, &flags, environment)?;
    observed(&settings, environment, SILENT, || {
        one_thread()?.block_on(on_the_database(prepared, &settings, environment, output))
    })
}

/// Runs `work` with log lines and traces, and sends what is left of them, also after a failure.
fn observed(
    settings: &Settings,
    environment: &Environment,
    filter: &str,
    work: impl FnOnce() -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    let telemetry = observe::start(settings, environment, filter)?;
    let done = work();
    telemetry.flush();
    done
}

async fn on_the_database(
    command: Prepared,
    settings: &Settings,
    environment: &Environment,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let desk = Desk::open(settings, output, command.when_missing()).await?;
    let done = match command {
        Prepared::Read(command) => read::run(&desk, environment, *command).await,
        Prepared::Find(question) => finding::run(&desk, *question).await,
        Prepared::Proof(command) => read::run_proof(&desk, environment, *command).await,
        Prepared::Task(command) => task::run(&desk, command).await,
        Prepared::Memory(command) => memory::run(&desk, *command).await,
        Prepared::Actor(command) => actor::run(&desk, command).await,
        Prepared::Key(command) => key::run(&desk, command).await,
        Prepared::Follow(command) => follow::run(&desk, environment, command).await,
        Prepared::Pin(command) => follow::run_pin(&desk, environment, command)
            .await
            .map(|()| ExitCode::SUCCESS),
        Prepared::Change(change) => publishing::publish(&desk, environment, *change).await,
        Prepared::PolicyTest(call) => policy::test_for_task(&desk, &call).await,
        Prepared::LedgerCheck => ledger::check(&desk).await,
        Prepared::Evidence(command) => evidence::run(&desk, command, environment).await,
        Prepared::Publication(command) => publication::run(&desk, environment, command).await,
    };
    desk.store.close().await;
    done
}

/// A command on the database, with its arguments read.
enum Prepared {
    Read(Box<read::Prepared>),
    Find(Box<finding::Prepared>),
    Proof(Box<read::Proof>),
    Task(task::Prepared),
    Memory(Box<memory::Prepared>),
    Actor(actor::Prepared),
    Key(key::Prepared),
    LedgerCheck,
    Evidence(evidence::Prepared),
    Publication(publication::Prepared),
    PolicyTest(policy::Prepared),
    Change(Box<publishing::Change>),
    Follow(follow::Prepared),
    Pin(follow::PreparedPin),
}

impl Prepared {
    /// Who adds the first actor or key, or reads or changes a chain, may do it before the server ran for the first time.
    const fn when_missing(&self) -> WhenMissing {
        match self {
            Self::Read(_)
            | Self::Find(_)
            | Self::Proof(_)
            | Self::Change(_)
            | Self::Follow(follow::Prepared::Add { .. })
            | Self::Actor(actor::Prepared::Add { .. })
            | Self::Key(key::Prepared::New { .. }) => WhenMissing::Create,
            _ => WhenMissing::Fail,
        }
    }
}

/// What a command works with: the open database, and where its results go.
struct Desk<'a> {
    settings: &'a Settings,
    output: &'a Output,
    world: Arc<dyn World>,
    store: Arc<dyn Store>,
}

impl<'a> Desk<'a> {
    async fn open(
        settings: &'a Settings,
        output: &'a Output,
        missing: WhenMissing,
    ) -> Result<Self, Failure> {
        let world: Arc<dyn World> = Arc::new(SystemWorld);
        let store = database::open(settings, Arc::clone(&world), missing).await?;
        Ok(Self {
            settings,
            output,
            world,
            store,
        })
    }

    /// Asks the store, and says which database failed if it does.
    async fn ask<T>(
        &self,
        question: impl Future<Output = Result<T, deedbox_store::StoreError>>,
    ) -> Result<T, Failure> {
        question.await.map_err(database::failed(self.settings))
    }

    /// The last of a page, if there is anything after it. `after` asks for what is.
    async fn last_before_more<T, F>(
        page: &[T],
        limit: u32,
        after: impl FnOnce(&T) -> F,
    ) -> Result<Option<&T>, Failure>
    where
        F: Future<Output = Result<Vec<T>, Failure>>,
    {
        let is_full = usize::try_from(limit) == Ok(page.len());
        match page.last().filter(|_| is_full) {
            Some(last) if !after(last).await?.is_empty() => Ok(Some(last)),
            _ => Ok(None),
        }
    }

    /// Why an operation gave no answer, as this program says it.
    fn failed(&self, fault: Fault) -> Failure {
        match fault {
            Fault::Refused(refusal) => Failure::Refused(refusal),
            Fault::Policy(refused) => Failure::Policy(refused),
            Fault::Unread(error) => Failure::Unread(error),
            Fault::Unclear { error, candidates } => Failure::Unclear { error, candidates },
            Fault::Failed(cause) => database::failed(self.settings)(cause),
        }
    }

    /// Has a command carried out for somebody who has the database itself.
    async fn execute(&self, command: Request) -> Result<Deed, Failure> {
        let execute = Execute {
            command,
            attribution: self.settings.attribution(),
            idempotency: None,
        };
        Ok(self.ask(self.store.execute(execute)).await??.deed)
    }
}

fn many_threads() -> Result<Runtime, Failure> {
    runtime(&mut Builder::new_multi_thread())
}

fn one_thread() -> Result<Runtime, Failure> {
    runtime(&mut Builder::new_current_thread())
}

fn runtime(builder: &mut Builder) -> Result<Runtime, Failure> {
    builder
        .enable_all()
        .build()
        .map_err(|source| Failure::io("starting threads", source))
}
