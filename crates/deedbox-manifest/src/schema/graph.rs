//! The schemas of a document and what leads from one to another.
//!
//! A schema of a thousand nodes can ask for 2^300 steps: thirty definitions, each of which refers to the next one
//! twice, and so on; or for endlessly many, when it refers to itself. No validator of JSON Schema defends itself
//! against that. Here an edge either stays at the same argument (`allOf`, `$ref` …) or goes one level down into
//! the arguments (`properties`, `items` …), which is what has to be known to find both out beforehand.

/// From one schema to another, by their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether the second looks one level deeper into the arguments.
    pub(super) deeper: bool,
}

/// The schemas of a document as a graph. The first one is where checking begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// For each schema, what it costs by itself.
    pub(super) weights: Vec<usize>,
    pub(super) edges: Vec<Edge>,
}

impl Graph {
    /// The schemas in the order of their edges; `None` when a way leads back to where it began without looking deeper.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        let staying = || self.edges.iter().filter(|edge| !edge.deeper);
        let mut incoming = vec![0_usize; self.weights.len()];
        let mut outgoing = vec![Vec::new(); self.weights.len()];
        for edge in staying() {
            incoming[edge.to] += 1;
            outgoing[edge.from].push(edge.to);
        }
        let mut order: Vec<usize> = (0..incoming.len())
            .filter(|&node| incoming[node] == 0)
            .collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &to in &outgoing[node] {
                incoming[to] -= 1;
                if incoming[to] == 0 {
                    order.push(to);
                }
            }
        }
        (order.len() == self.weights.len()).then_some(order)
    }
}
