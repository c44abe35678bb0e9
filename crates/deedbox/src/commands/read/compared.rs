//! Tools side by side, for people: in the order that is offered, each with why it stands there.

use serde_json::{Map, Value};

use super::{
    found::{WIDTH, plain, word},
    shown::untrusted_in,
};
use crate::render::{Output, line};

/// Whether none of the tools is one to choose: verified, and open to the account if one was named.
pub(super) fn none_to_choose(data: &Map<String, Value>) -> bool {
    let may = |access: &Value| access.is_null() || access == "open" || access == "granted";
    let good = |tool: &Value| tool["verified"] == true && may(&tool["access"]["access"]);
    !data["tools"].as_array().into_iter().flatten().any(good)
}

/// The whole comparison, without where it is recorded.
pub(super) fn text(data: &Map<String, Value>, output: &Output) -> String {
    let tools = data["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let order = data["order"].as_array().into_iter().flatten();
    let mut text = String::new();
    for (index, place) in order.enumerate() {
        if let Some(tool) = tools.iter().find(|tool| tool["tool"] == place["tool"]) {
            let side = Side { tool, output };
            text.push_str(&format!("{}. {}", index + 1, side.text(&place["because"])));
        }
    }
    for gap in data["not_compared"].as_array().into_iter().flatten() {
        let says = match gap["what"].as_str().unwrap_or_default() {
            "prices_in_several_assets" => {
                let assets = gap["assets"].as_array().into_iter().flatten();
                let assets: Vec<_> = assets.map(word).collect();
                format!(
                    "Prices are in several assets, and none was converted: {}. --asset says in which to compare.",
                    assets.join(", ")
                )
            }
            _ => "Where no price is stated, that is not \"free\".".to_owned(),
        };
        text.push_str(&format!("{}\n", output.paint.alert(&format!("! {says}"))));
    }
    let more = data["chains"].as_array().map_or(&[][..], Vec::as_slice);
    for at in more.iter().skip(1) {
        let (chain, block) = (word(&at["chain_id"]), word(&at["block_number"]));
        text.push_str(&format!(
            "also read: chain {chain} at block {block} {}\n",
            word(&at["block_hash"])
        ));
    }
    text.push('\n');
    text
}

struct Side<'a> {
    tool: &'a Value,
    output: &'a Output,
}

impl Side<'_> {
    fn text(&self, because: &Value) -> String {
        let tool = self.tool;
        let paint = &self.output.paint;
        let verdict = if tool["verified"] == true {
            paint.good("verified")
        } else {
            let registration = tool["registration"]["state"].as_str().unwrap_or_default();
            let why = match (tool["failed"].as_str(), registration) {
                (Some(check), _) => format!(", at the check \"{}\"", line(check)),
                (None, "registered") => String::new(),
                (None, other) => format!(": {}", plain(other)),
            };
            paint.bad(&format!("NOT VERIFIED{why}: it must not be used"))
        };
        let mut text = format!("{}  {}\n", word(&tool["tool"]), self.foreign(&tool["name"]));
        let mut row = |name: &str, value: String| {
            let name = format!("{name:<12}");
            text.push_str(&format!("   {}{value}\n", paint.faint(&name)));
        };
        row("", verdict);
        for price in self.prices() {
            row("price", price);
        }
        if let Some(access) = tool["access"]["access"].as_str() {
            let takes = tool["access"]["takes"].as_array().into_iter().flatten();
            let takes: Vec<_> = takes.map(word).collect();
            let takes = match &takes[..] {
                [] => String::new(),
                some => format!(" ({})", some.join("; ")),
            };
            row("access", format!("{}{takes}", plain(access)));
        }
        if !tool["tier"].is_null() {
            row("tier", word(&tool["tier"]["effective"]));
        }
        if tool["registered"]["state"] == "at" {
            row("registered", word(&tool["registered"]["at"]));
        }
        if !tool["freshness"]["fresh_until"].is_null() {
            row(
                "counts",
                format!("until {}", word(&tool["freshness"]["fresh_until"])),
            );
        }
        let reasons = because.as_array().into_iter().flatten();
        let reasons: Vec<_> = reasons.filter_map(Value::as_str).map(plain).collect();
        row("because", reasons.join(", "));
        for filled in tool["pre_filled"].as_array().into_iter().flatten() {
            let consent = word(&filled["consent"]);
            let place = self.foreign(&filled["pointer"]);
            row(
                "fills in",
                format!("{place} = {} ({consent})", self.foreign(&filled["value"])),
            );
        }
        for warning in tool["warnings"].as_array().into_iter().flatten() {
            let warning = plain(warning.as_str().unwrap_or_default());
            row("", paint.alert(&format!("! {warning}")));
        }
        text.push('\n');
        text
    }

    fn prices(&self) -> Vec<String> {
        let cost = &self.tool["cost"];
        let prices = cost["prices"].as_array().into_iter().flatten();
        let prices: Vec<_> = prices.map(|price| self.price(price)).collect();
        match cost["state"].as_str().unwrap_or_default() {
            "unknown" => vec!["unknown".to_owned()],
            "unstated" => vec!["not stated, which is not \"free\"".to_owned()],
            _ => prices,
        }
    }

    fn price(&self, price: &Value) -> String {
        let asset = self.foreign(&price["asset"]);
        let amount = if price["is_free"] == true {
            format!("declared free, in {asset}")
        } else if let Some(units) = price["in_units"].as_str() {
            format!("{} of {asset}", line(units))
        } else {
            format!("{} of the smallest unit of {asset}", word(&price["amount"]))
        };
        let unsupported = match price["protocol_is_supported"].as_bool() {
            Some(false) => self.output.paint.alert(" (not supported)"),
            Some(true) | None => String::new(),
        };
        format!(
            "{amount}, by {}{unsupported}",
            self.foreign(&price["protocol"])
        )
    }

    fn foreign(&self, text: &Value) -> String {
        untrusted_in(text, WIDTH, self.output)
    }
}
