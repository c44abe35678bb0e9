//! The house has floors: a room may use rooms on lower floors only. `ARCHITECTURE.md` says which room is on which.

use std::{collections::BTreeMap, env, fs, process::Command};

use anyhow::{Result, ensure};
use deedbox_neighbours::tools;
use serde::Deserialize;

const ASYNC: &[&str] = &["async-", "futures", "smol", "tokio"];
const HTTP: &[&str] = &["axum", "http", "hyper", "reqwest", "rmcp", "tower", "ureq"];
/// What a room that speaks HTTP as a client must not know of serving.
const MCP: &[&str] = &["axum", "rmcp"];
const SQL: &[&str] = &[
    "diesel",
    "libsqlite3-sys",
    "postgres",
    "rusqlite",
    "sea-orm",
    "sqlx",
    "tokio-postgres",
];
/// The terminal, the home directory, randomness: only the top floor reaches for them, and passes them down.
const SURROUNDINGS: &[&str] = &[
    "clap",
    "directories",
    "dirs",
    "etcetera",
    "fastrand",
    "getrandom",
    "home",
    "rand",
];

/// What a room must not know, as the beginnings of crates' names.
fn must_not_know(room: &str) -> Vec<&'static str> {
    let lists: &[&[&str]] = match room {
        "deedbox-core" | "deedbox-id" | "deedbox-manifest" => &[ASYNC, HTTP, SQL, SURROUNDINGS],
        "deedbox-store" => &[HTTP, SQL, SURROUNDINGS],
        "deedbox-sqlite" | "deedbox-postgres" => &[HTTP, SURROUNDINGS],
        "deedbox-chain" | "deedbox-fetch" | "deedbox-registry" | "deedbox-publish"
        | "deedbox-gate" => &[MCP, SQL, SURROUNDINGS],
        "deedbox-server" => &[SQL, SURROUNDINGS],
        _ => &[SQL],
    };
    lists.concat()
}

/// The driver of sqlx that a database's room must leave to the other one.
fn not_its_driver(room: &str) -> Option<&'static str> {
    match room {
        "deedbox-sqlite" => Some("postgres"),
        "deedbox-postgres" => Some("sqlite"),
        _ => None,
    }
}

/// Packages beside the house, which no room may need in order to be built.
const OUTBUILDINGS: &[&str] = &[
    "deedbox-bench",
    "deedbox-neighbours",
    "deedbox-tests",
    "xtask",
];
/// The one of them that a room's tests may use, and that uses no room.
const NEIGHBOURS: &str = "deedbox-neighbours";

/// What `cargo metadata` says, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `null` is normal.
    kind: Option<Kind>,
    features: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Normal,
    Build,
    Dev,
}

#[derive(Debug)]
struct Edge {
    from: String,
    to: String,
    kind: Kind,
    features: Vec<String>,
}

#[derive(Debug)]
struct House {
    floors: BTreeMap<String, u32>,
    packages: Vec<String>,
    edges: Vec<Edge>,
}

impl House {
    /// Everything that is wrong, as sentences.
    fn faults(&self) -> Vec<String> {
        let homeless = self
            .packages
            .iter()
            .filter(|name| !self.floors.contains_key(*name))
            .filter(|name| !OUTBUILDINGS.contains(&name.as_str()))
            .map(|name| format!("{name} has no floor in ARCHITECTURE.md"));
        let unbuilt = self
            .floors
            .keys()
            .filter(|name| !self.packages.contains(name))
            .map(|name| format!("ARCHITECTURE.md has a floor for {name}, which is not there"));
        let edges = self.edges.iter().filter_map(|edge| {
            let fault = self.fault(edge)?;
            Some(format!("{} → {}: {fault}", edge.from, edge.to))
        });
        homeless.chain(unbuilt).chain(edges).collect()
    }

    fn fault(&self, edge: &Edge) -> Option<String> {
        let is_test = edge.kind == Kind::Dev;
        let Some(floor) = self.floors.get(&edge.from) else {
            let reaches_in = edge.from == NEIGHBOURS && self.floors.contains_key(&edge.to);
            return reaches_in.then(|| "neighbours know the house from outside only".to_owned());
        };
        if let Some(below) = self.floors.get(&edge.to) {
            return match (below < floor, below == floor) {
                (true, _) => None,
                (_, true) if is_test => None,
                (_, true) => Some(format!("both are on floor {floor}")),
                _ => Some(format!("up from floor {floor} to {below}")),
            };
        }
        if OUTBUILDINGS.contains(&edge.to.as_str()) {
            let allowed = is_test && edge.to == NEIGHBOURS;
            return (!allowed).then(|| "it stands beside the house".to_owned());
        }
        if is_test {
            return None;
        }
        if must_not_know(&edge.from)
            .iter()
            .any(|start| edge.to.starts_with(start))
        {
            return Some("this room must not know it".to_owned());
        }
        let foreign = not_its_driver(&edge.from)?;
        let both = edge.to == "sqlx" && edge.features.iter().any(|feature| feature == foreign);
        both.then(|| format!("the {foreign} driver belongs to the other room"))
    }
}

/// The table "Rooms and floors": `| 2 | `a`, `b` | … |`.
fn floors_of(text: &str) -> BTreeMap<String, u32> {
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix('|')?.split('|');
        let floor: u32 = cells.next()?.trim().parse().ok()?;
        Some((floor, cells.next()?))
    });
    rows.flat_map(|(floor, rooms)| {
        rooms
            .split('`')
            .skip(1)
            .step_by(2)
            .map(move |room| (room.to_owned(), floor))
    })
    .collect()
}

fn this_house() -> Result<House> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(tools::root())
        .output()?;
    ensure!(output.status.success(), "{output:?}");
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let mut house = House {
        floors: floors_of(&fs::read_to_string(tools::root().join("ARCHITECTURE.md"))?),
        packages: Vec::new(),
        edges: Vec::new(),
    };
    for package in metadata.packages {
        for dependency in package.dependencies {
            house.edges.push(Edge {
                from: package.name.clone(),
                to: dependency.name,
                kind: dependency.kind.unwrap_or(Kind::Normal),
                features: dependency.features,
            });
        }
        house.packages.push(package.name);
    }
    Ok(house)
}

#[test]
fn no_room_reaches_up_or_sideways() {
    let house = this_house().unwrap();
    assert!(house.floors.len() >= 6, "the table was not read: {house:?}");
    assert!(
        house.edges.iter().any(|edge| edge.to == "deedbox-core"),
        "the dependencies were not read: {house:?}"
    );
    let faults = house.faults();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A house like ours with one more dependency, and what is said of that.
fn with(from: &str, to: &str, kind: Kind, features: &[&str]) -> Vec<String> {
    let floors = [
        ("deedbox-core", 0),
        ("deedbox-id", 0),
        ("deedbox-manifest", 0),
        ("deedbox-store", 1),
        ("deedbox-sqlite", 2),
        ("deedbox-postgres", 2),
        ("deedbox-server", 3),
        ("deedbox", 4),
    ];
    let floors = floors.map(|(name, floor)| (name.to_owned(), floor));
    let house = House {
        packages: floors.iter().map(|(name, _)| name.clone()).collect(),
        floors: floors.into(),
        edges: vec![Edge {
            from: from.to_owned(),
            to: to.to_owned(),
            kind,
            features: features.iter().map(|&feature| feature.to_owned()).collect(),
        }],
    };
    house.faults()
}

#[test]
fn the_check_sees_every_kind_of_forbidden_edge() {
    use Kind::{Build, Dev, Normal};

    for (from, to, kind, features) in [
        ("deedbox-core", "deedbox-store", Normal, &[][..]),
        ("deedbox-store", "deedbox-server", Build, &[]),
        ("deedbox-store", "deedbox-sqlite", Dev, &[]),
        ("deedbox-sqlite", "deedbox-postgres", Normal, &[]),
        ("deedbox-server", "deedbox-neighbours", Normal, &[]),
        ("deedbox-server", "deedbox-tests", Dev, &[]),
        ("deedbox-neighbours", "deedbox-core", Dev, &[]),
        ("deedbox-core", "tokio", Normal, &[]),
        ("deedbox-core", "sqlx", Normal, &[]),
        ("deedbox-core", "axum", Build, &[]),
        ("deedbox-core", "getrandom", Normal, &[]),
        ("deedbox-id", "tokio", Normal, &[]),
        ("deedbox-id", "deedbox-core", Normal, &[]),
        ("deedbox-manifest", "deedbox-id", Normal, &[]),
        ("deedbox-store", "sqlx", Normal, &[]),
        ("deedbox-store", "http-body-util", Normal, &[]),
        ("deedbox-sqlite", "rmcp", Normal, &[]),
        ("deedbox-sqlite", "sqlx", Normal, &["sqlite", "postgres"]),
        ("deedbox-postgres", "sqlx", Normal, &["sqlite"]),
        ("deedbox-server", "sqlx", Normal, &[]),
        ("deedbox-server", "clap", Normal, &[]),
        ("deedbox", "sqlx", Normal, &[]),
    ] {
        let faults = with(from, to, kind, features);
        assert_eq!(faults.len(), 1, "{from} → {to} ({kind:?}): {faults:?}");
    }
}

#[test]
fn the_check_lets_the_others_pass() {
    use Kind::{Dev, Normal};

    for (from, to, kind, features) in [
        ("deedbox-store", "deedbox-core", Normal, &[][..]),
        ("deedbox", "deedbox-core", Normal, &[]),
        ("deedbox-sqlite", "deedbox-postgres", Dev, &[]),
        ("deedbox-postgres", "deedbox-neighbours", Dev, &[]),
        ("deedbox-tests", "deedbox-core", Normal, &[]),
        ("deedbox-core", "serde", Normal, &[]),
        ("deedbox-core", "tokio", Dev, &[]),
        ("deedbox-sqlite", "sqlx", Normal, &["sqlite"]),
        ("deedbox-server", "axum", Normal, &[]),
        ("deedbox", "clap", Normal, &[]),
    ] {
        let faults = with(from, to, kind, features);
        assert!(faults.is_empty(), "{from} → {to} ({kind:?}): {faults:?}");
    }
}

#[test]
fn a_room_without_a_floor_and_a_floor_without_its_room_are_seen() {
    let house = House {
        floors: floors_of("| 0 | `deedbox-core` | deeds |"),
        packages: vec!["deedbox-cellar".to_owned()],
        edges: Vec::new(),
    };
    assert_eq!(house.faults().len(), 2, "{:?}", house.faults());
}
