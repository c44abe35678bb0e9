//! A cluster leaves nothing behind, and keeps what was committed.

use std::{
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt as _,
};

use super::*;

#[test]
fn two_fresh_databases_of_one_name_are_two_and_nothing_is_left() {
    let cluster = Cluster::start_without_fsync().unwrap();
    let (a, b) = (
        cluster.fresh_database("x").unwrap(),
        cluster.fresh_database("x").unwrap(),
    );
    cluster.psql(&a, "CREATE TABLE t ()").unwrap();
    let count = "SELECT count(*) FROM pg_tables WHERE tablename = 't'";
    assert_eq!(cluster.psql(&a, count).unwrap(), "1");
    assert_eq!(cluster.psql(&b, count).unwrap(), "0");
    let path = cluster.server.as_ref().unwrap().folder.path.clone();
    assert!(path.exists());
    drop(cluster);
    assert!(!path.exists());
}

#[test]
fn what_was_committed_is_there_after_a_crash() {
    let mut cluster = Cluster::start_without_fsync().unwrap();
    let url = cluster.url();
    cluster
        .psql(&url, "CREATE TABLE t AS SELECT 7 AS n")
        .unwrap();
    cluster.crash_and_restart().unwrap();
    assert_eq!(cluster.psql(&url, "SELECT n FROM t").unwrap(), "7");
}

/// Not a rule of its own: the run that the next test kills.
#[test]
#[ignore = "run by killing_the_parent_ends_the_server"]
fn holds_a_server_until_it_is_killed() {
    let cluster = Cluster::start_without_fsync().unwrap();
    let folder = &cluster.server.as_ref().unwrap().folder.path;
    println!("\nFOLDER {}", folder.display());
    thread::sleep(START);
}

#[test]
fn killing_the_parent_ends_the_server_and_the_next_start_removes_its_folder() {
    let mut run = Command::new(env::current_exe().unwrap())
        .args([
            "holds_a_server_until_it_is_killed",
            "--ignored",
            "--nocapture",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = BufReader::new(run.stdout.take().unwrap())
        .lines()
        .find_map(|line| Some(PathBuf::from(line.ok()?.strip_prefix("FOLDER ")?)))
        .unwrap();
    let pid = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap();
    let process = Path::new("/proc").join(pid.lines().next().unwrap());
    assert!(process.exists());
    run.kill().unwrap();
    run.wait().unwrap();
    let end = Instant::now() + STOP;
    while process.exists() {
        assert!(Instant::now() < end, "the server outlived its parent");
        thread::sleep(Duration::from_millis(5));
    }
    drop(Folder::create().unwrap());
    assert!(!folder.exists());
}

#[test]
fn a_server_whose_data_stays_finds_it_again() {
    let parent = tempfile::tempdir().unwrap();
    // The user that PostgreSQL runs as has to get through.
    fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let folder = parent.path().join("kept");
    fs::create_dir(&folder).unwrap();
    let cluster = Cluster::start_keeping(&folder).unwrap();
    let sql = "CREATE TABLE t AS SELECT 7 AS n";
    cluster.psql(&cluster.url(), sql).unwrap();
    drop(cluster);
    let again = Cluster::start_keeping(&folder).unwrap();
    assert_eq!(again.psql(&again.url(), "SELECT n FROM t").unwrap(), "7");
}
