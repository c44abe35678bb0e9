//! What an identifier is made of, and how else it is written.

use std::borrow::Cow;

use deedbox_id::{
    AccountId, Address, Asset, ChainId, Checksum, Form, InteropAddress, PartialIdentifier, Reach,
    StorageKey, TokenIdentifier,
};
use serde_json::{Map, Value, json};

use super::{
    convert::{self, Converted, Said, contract, convert, of_chain},
    reading::{self, Identifier},
};
use crate::{
    cli::{IdForm, IdKind},
    render::{Output, line},
};

/// Everything there is to say.
pub(super) struct Description {
    identifier: Identifier,
    /// The text that was read, if one was.
    text: Option<String>,
    form: Cow<'static, str>,
    parts: Parts,
    also: Vec<(IdForm, Converted)>,
    notes: Vec<String>,
    others: Vec<IdKind>,
}

/// The standard, as it is named to people.
pub(super) const fn standard(kind: IdKind) -> &'static str {
    match kind {
        IdKind::Interop => "ERC-7930 interoperable address",
        IdKind::Token => "ERC-8127 token identifier",
        IdKind::Tool => "ERC-8257 tool reference",
        IdKind::Key => "ERC-8119 key",
        IdKind::Chain => "CAIP-2 chain",
        IdKind::Account => "CAIP-10 account",
        IdKind::Asset => "CAIP-19 asset",
        IdKind::Address => "EVM address",
        IdKind::Solana => "Solana key",
    }
}

/// The same with its article: all begin with a vowel or with a consonant as they are spoken.
pub(super) fn a_standard(kind: IdKind) -> String {
    let article = if standard(kind).starts_with('E') {
        "an"
    } else {
        "a"
    };
    format!("{article} {}", standard(kind))
}

/// A kind or a form as it is written on the command line.
pub(super) fn name(value: impl clap::ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

impl Description {
    pub(super) fn of(identifier: Identifier, text: Option<&str>, chain: Option<&ChainId>) -> Self {
        let canonical = identifier.canonical();
        let (form, parts, notes) = described(&identifier, text, chain);
        let said = Said {
            chain: chain.cloned(),
            standard: None,
        };
        let mut also: Vec<(IdForm, Converted)> = Vec::new();
        for form in convert::FORMS {
            if let Ok(converted) = convert(&identifier, form, &said)
                && converted.text != canonical
                && is_worth_showing(&identifier, form, chain)
                && also.iter().all(|(_, other)| other.text != converted.text)
            {
                also.push((form, converted));
            }
        }
        let others = text.map_or_else(Vec::new, |text| {
            reading::other_readings(identifier.kind(), text)
        });
        Self {
            identifier,
            text: text.map(str::to_owned),
            form,
            parts,
            also,
            notes,
            others,
        }
    }

    pub(super) fn canonical(&self) -> String {
        self.identifier.canonical()
    }

    pub(super) fn to_json(&self) -> Value {
        let canonical = self.canonical();
        let parts: Map<String, Value> = self
            .parts
            .iter()
            .map(|(name, value)| (camel(name), value.clone()))
            .collect();
        let also: Vec<Value> = self
            .also
            .iter()
            .map(|(form, one)| json!({"form": name(*form), "text": one.text, "loses": one.loses}))
            .collect();
        let others: Vec<String> = self.others.iter().map(|kind| name(*kind)).collect();
        json!({
            "text": self.text,
            "valid": true,
            "kind": name(self.identifier.kind()),
            "standard": standard(self.identifier.kind()),
            "form": self.form,
            "canonical": canonical,
            "isCanonical": self.text.as_ref().is_none_or(|text| *text == canonical),
            "parts": parts,
            "also": also,
            "notes": self.notes,
            "otherReadings": others,
        })
    }

    /// What a form is called beside its text. The other spelling of the same form is no other form.
    fn label(&self, form: IdForm) -> String {
        match (&self.identifier, form) {
            (Identifier::Account(_), IdForm::Caip10) | (Identifier::Asset(_), IdForm::Caip19) => {
                "checksummed".to_owned()
            }
            _ => format!("as {}", name(form)),
        }
    }

    /// For people.
    pub(super) fn shown(&self, output: &Output) -> String {
        let canonical = self.canonical();
        let is_canonical = self.text.as_ref().is_none_or(|text| *text == canonical);
        let mut rows: Vec<(String, String)> = Vec::new();
        for (name, value) in &self.parts {
            rows.push(((*name).to_owned(), line(&plain(value))));
        }
        let spelled = if is_canonical {
            ""
        } else {
            "  (not how it was written)"
        };
        rows.push(("canonical".to_owned(), line(&canonical) + spelled));
        for (form, one) in &self.also {
            let lost = one.loses.map(|lost| format!("  (loses {lost})"));
            rows.push((
                self.label(*form),
                line(&one.text) + &lost.unwrap_or_default(),
            ));
        }
        let wide = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let heading = format!("{}, {}", standard(self.identifier.kind()), self.form);
        let mut text = output.paint.strong(&heading);
        for (name, value) in rows {
            text.push_str(&format!(
                "\n  {}  {value}",
                output.paint.faint(&format!("{name:wide$}"))
            ));
        }
        for note in &self.notes {
            text.push_str(&format!(
                "\n  {} {}",
                output.paint.alert("note:"),
                line(note)
            ));
        }
        for other in &self.others {
            let hint = format!("Valid with --as {} too: {}", name(*other), standard(*other));
            text.push_str(&format!("\n  {}", output.paint.faint(&hint)));
        }
        text
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Array(several) => several.iter().map(plain).collect::<Vec<_>>().join("  "),
        Value::String(one) => one.clone(),
        other => other.to_string(),
    }
}

/// `token id` as a field of JSON: `tokenId`.
fn camel(name: &str) -> String {
    let mut words = name.split(' ');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let (initial, rest) = word.split_at(1);
        text + &initial.to_uppercase() + rest
    })
}

/// Whether a form says something that the parts do not show already.
fn is_worth_showing(identifier: &Identifier, form: IdForm, chain: Option<&ChainId>) -> bool {
    match form {
        IdForm::Caip2 => {
            matches!(identifier, Identifier::Interop(one) if one.reach() == Reach::Chain)
        }
        IdForm::Eip55 => matches!(identifier, Identifier::Address(_)),
        IdForm::Eip1191 => {
            matches!(identifier, Identifier::Address(_)) && chain.is_some_and(reading::has_eip1191)
        }
        IdForm::Lower => false,
        _ => true,
    }
}

/// Names and values: a text, or a list of texts.
type Parts = Vec<(&'static str, Value)>;

fn part(name: &'static str, value: impl ToString) -> (&'static str, Value) {
    (name, Value::String(value.to_string()))
}

fn described(
    identifier: &Identifier,
    text: Option<&str>,
    chain: Option<&ChainId>,
) -> (Cow<'static, str>, Parts, Vec<String>) {
    match identifier {
        Identifier::Interop(one) => interop(one, text),
        Identifier::Token(PartialIdentifier::Full(one)) => {
            ("full form".into(), token(one), Vec::new())
        }
        Identifier::Token(PartialIdentifier::Alias(alias)) => {
            let note = "an alias is a label for people, and may fit several tokens; only the full form identifies one";
            (
                "alias alone".into(),
                vec![part("alias", alias)],
                vec![note.to_owned()],
            )
        }
        Identifier::Token(PartialIdentifier::AliasAndId { alias, token_id }) => {
            let parts = vec![part("alias", alias), part("token id", token_id)];
            let note = "the registry is not named; only the full form identifies a token";
            ("partial form".into(), parts, vec![note.to_owned()])
        }
        Identifier::Tool(one) => {
            let parts = vec![
                part("chain", format_args!("eip155:{}", one.chain())),
                part("registry", checksummed(one.registry())),
                part("tool id", one.tool_id()),
            ];
            ("in CAIP-19 syntax".into(), parts, Vec::new())
        }
        Identifier::Key(one) => key(one),
        Identifier::Chain(one) => {
            let parts = vec![
                part("namespace", one.namespace()),
                part("reference", one.reference()),
            ];
            ("chain id".into(), parts, Vec::new())
        }
        Identifier::Account(one) => account(one),
        Identifier::Asset(one) => asset(one),
        Identifier::Address(_) => address(text, chain),
        Identifier::Solana(_) => ("32 bytes in base58".into(), Vec::new(), Vec::new()),
    }
}

fn checksummed(address: Address) -> String {
    address.to_checksummed(Checksum::Eip55)
}

fn account(one: &AccountId) -> (Cow<'static, str>, Parts, Vec<String>) {
    let address = one
        .evm_address()
        .map(|address| of_chain(&one.chain_id(), address));
    let address = address.unwrap_or_else(|_| one.address().to_owned());
    let parts = vec![part("chain", one.chain()), part("address", address)];
    let anywhere = one.chain() == "eip155:0";
    let note = anywhere.then(|| "eip155:0 means no chain in particular".to_owned());
    ("account id".into(), parts, note.into_iter().collect())
}

fn asset(one: &Asset) -> (Cow<'static, str>, Parts, Vec<String>) {
    let mut parts = vec![
        part("chain", one.chain()),
        part("namespace", one.namespace()),
        part("reference", one.reference()),
    ];
    let contract = contract(one).map(|address| of_chain(&one.chain_id(), address));
    parts.extend(contract.map(|address| part("contract", address)));
    parts.extend(one.token_id().map(|id| part("token id", id)));
    let form = if one.token_id().is_some() {
        "asset id"
    } else {
        "asset type"
    };
    (form.into(), parts, Vec::new())
}

fn token(one: &TokenIdentifier) -> Parts {
    let mut parts: Parts = Vec::new();
    parts.extend(one.alias().map(|alias| part("alias", alias)));
    parts.push(part("token id", one.token_id()));
    parts.push(part("registry", one.registry()));
    parts.extend(of_interop(one.registry().as_interop()));
    parts
}

fn of_interop(one: &InteropAddress) -> Parts {
    let mut parts: Parts = Vec::new();
    match one.to_chain_id() {
        Ok(chain) => parts.push(part("chain", chain)),
        Err(_) if one.chain_reference().is_empty() => {}
        Err(_) => parts.push(part("chain reference", hex(one.chain_reference()))),
    }
    if let Some(address) = one.evm_address() {
        parts.push(part("address", checksummed(address)));
    } else if let Some(address) = one.solana_address() {
        parts.push(part("address", address));
    } else if !one.address().is_empty() {
        parts.push(part("address", hex(one.address())));
    }
    parts
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn interop(one: &InteropAddress, text: Option<&str>) -> (Cow<'static, str>, Parts, Vec<String>) {
    let form = match one.reach() {
        Reach::AddressOnChain => "an address on a chain",
        Reach::Chain => "a chain alone",
        Reach::Address => "an address on any chain of its kind",
    };
    let mut parts: Parts = vec![part("chain type", one.chain_type())];
    parts.extend(of_interop(one));
    let mut notes = Vec::new();
    if text.is_some_and(|text| text.bytes().skip(2).any(|byte| byte.is_ascii_uppercase())) {
        notes.push("identifiers (ERC-8127) take lower-case hex only".to_owned());
    }
    if one.chain_type().namespace().is_none() {
        notes.push(
            "this chain type is not known here: its frame was checked, and what is in it was not"
                .to_owned(),
        );
    }
    (form.into(), parts, notes)
}

fn key(one: &StorageKey) -> (Cow<'static, str>, Parts, Vec<String>) {
    let form = match one.form() {
        Form::Plain => "plain form",
        Form::Slash => "slash form",
        Form::Colon => "colon form",
        Form::Bracket => "bracket form",
    };
    let mut parts: Parts = vec![part("label", one.label())];
    let parameters: Vec<&str> = one.parameters().collect();
    match parameters.as_slice() {
        [] => {}
        [only] => parts.push(part("parameter", only)),
        several => parts.push(("parameters", json!(several))),
    }
    let note = "each form is a key of its own in a contract's storage";
    let notes = if parameters.is_empty() {
        Vec::new()
    } else {
        vec![note.to_owned()]
    };
    (form.into(), parts, notes)
}

fn address(text: Option<&str>, chain: Option<&ChainId>) -> (Cow<'static, str>, Parts, Vec<String>) {
    let chain = chain.and_then(|chain| chain.evm_chain().ok());
    let form = match text.map(|text| reading::address_on(text, chain)) {
        Some(Ok((_, Some(Checksum::Eip55)))) => "with its EIP-55 checksum".into(),
        Some(Ok((_, Some(Checksum::Eip1191(chain))))) => {
            format!("with the EIP-1191 checksum of chain {chain}").into()
        }
        _ => "without a checksum".into(),
    };
    let zero = text.is_some_and(|text| text.bytes().skip(2).all(|byte| byte == b'0'));
    let note = zero.then(|| "this is the zero address, which stands for nobody".to_owned());
    (form, Vec::new(), note.into_iter().collect())
}
