//! How much of a processor processes used, as Linux tells it: to the hundredth of a second.

use std::{fs, time::Duration};

use anyhow::{Context, Result};

/// The user and system time of this process until now.
pub(crate) fn of_this() -> Result<Duration> {
    let stat = Stat::read("self")?;
    Ok(stat.own)
}

/// Of a process and all that it started, those that have ended included.
pub(crate) fn of_family(parent: u32) -> Result<Duration> {
    let stat = Stat::read(&parent.to_string())?;
    let mut sum = stat.own + stat.of_ended_children;
    for process in fs::read_dir("/proc")? {
        let name = process?.file_name();
        let Some(name) = name.to_str().filter(|name| name.parse::<u32>().is_ok()) else {
            continue;
        };
        // One that ended meanwhile counts among the parent's.
        let Ok(stat) = Stat::read(name) else { continue };
        if stat.parent == parent {
            sum += stat.own;
        }
    }
    Ok(sum)
}

struct Stat {
    parent: u32,
    own: Duration,
    of_ended_children: Duration,
}

impl Stat {
    fn read(process: &str) -> Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The second field, a name in parentheses, may hold spaces. The parent is the fourth, times are the 14th to the 17th.
        let (_, rest) = stat.rsplit_once(')').context("no name")?;
        let fields: Vec<_> = rest.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).context("a field is missing");
        let ticks = |first: usize| -> Result<Duration> {
            let sum = field(first)?.parse::<u64>()? + field(first + 1)?.parse::<u64>()?;
            Ok(Duration::from_millis(10 * sum))
        };
        Ok(Self {
            parent: field(4)?.parse()?,
            own: ticks(14)?,
            of_ended_children: ticks(16)?,
        })
    }
}
