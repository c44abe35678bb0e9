//! How long checking arguments could take, found out before it begins.
//!
//! The schemas are taken as a [graph](super::graph), and the ways through it are counted level by level of the
//! arguments. That count times the size of the arguments is an upper bound of the work.

use serde_json::Value as Json;

use super::graph::Graph;

/// The most work, in steps of some ten nanoseconds each.
const MOST_STEPS: f64 = 50_000_000.0;

/// The deepest arguments, in levels of arrays and objects.
const MOST_LEVELS: usize = 64;

/// A graph without endless ways, ready to be counted through.
#[derive(Debug)]
pub(super) struct Effort {
    graph: Graph,
    /// The schemas in an order in which an edge that stays at the same argument leads forwards.
    order: Vec<usize>,
}

impl Effort {
    /// `None` when checking might never end.
    pub(super) fn of(graph: Graph) -> Option<Self> {
        let order = graph.order()?;
        Some(Self { graph, order })
    }

    /// Whether checking `arguments` stays within bounds.
    pub(super) fn allows(&self, arguments: &Json) -> bool {
        let Some((size, levels)) = measure(arguments, 0) else {
            return false;
        };
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let size = size as f64;
        size * self.worst_level(levels) <= MOST_STEPS
    }

    /// The most work at one argument, at the worst of the levels from 0 to `levels`.
    fn worst_level(&self, levels: usize) -> f64 {
        let nodes = self.graph.weights.len();
        let mut outgoing = vec![Vec::new(); nodes];
        for edge in &self.graph.edges {
            outgoing[edge.from].push((edge.to, edge.deeper));
        }
        let mut ways = vec![0.0; nodes];
        if let Some(root) = ways.first_mut() {
            *root = 1.0;
        }
        let mut worst: f64 = 0.0;
        for _ in 0..=levels {
            let mut below = vec![0.0; nodes];
            let mut work = 0.0;
            for &node in &self.order {
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                let weight = self.graph.weights[node] as f64;
                work += ways[node] * weight;
                for &(to, deeper) in &outgoing[node] {
                    if deeper {
                        below[to] += ways[node];
                    } else {
                        ways[to] += ways[node];
                    }
                }
            }
            worst = worst.max(work);
            if worst > MOST_STEPS {
                break;
            }
            ways = below;
        }
        worst
    }
}

/// How much there is in a value (values, and bytes of text), and how deep it goes; `None` when that is too deep.
fn measure(value: &Json, level: usize) -> Option<(usize, usize)> {
    if level > MOST_LEVELS {
        return None;
    }
    let together = |mut sum: (usize, usize), part: &Json, own: usize| {
        let (size, levels) = measure(part, level + 1)?;
        sum.0 += size + own;
        sum.1 = sum.1.max(levels);
        Some(sum)
    };
    match value {
        Json::Array(items) => items
            .iter()
            .try_fold((1, level), |sum, item| together(sum, item, 0)),
        Json::Object(members) => members.iter().try_fold((1, level), |sum, (name, member)| {
            together(sum, member, name.len())
        }),
        Json::String(text) => Some((1 + text.len(), level)),
        _ => Some((1, level)),
    }
}
