//! Verifies a response token by all seven validation rules. Rust 2021; Cargo.toml:
//! `ureq = "3"`, `serde_json = "1"`, `uuid = { version = "1", features = ["v4"] }`.

use serde_json::Value;
use std::time::{Duration, Instant};
use ureq::Agent;

/// What a handler knows of its form.
pub struct Site<'a> {
    pub url: &'a str,
    pub secret: &'a str,
    pub action: &'a str,
    pub hostnames: &'a [&'a str],
    /// 0 to 1, stricter than the site's own.
    pub threshold: f64,
    /// For the whole exchange; 3 seconds are enough.
    pub timeout: Duration,
}

/// The rule that failed, for the log.
pub type Rule = &'static str;

fn ensure(holds: bool, rule: Rule) -> Result<(), Rule> {
    holds.then_some(()).ok_or(rule)
}

impl Site<'_> {
    /// Returns `Ok` when every rule holds. Refuses whatever is uncertain. `remoteip` may be empty.
    pub fn verify(&self, response: &str, remoteip: &str) -> Result<(), Rule> {
        let host = (self.url.strip_prefix("https://")).or(self.url.strip_prefix("http://"));
        ensure(host.is_some_and(|host| !host.is_empty()), "options")?;
        ensure(
            !self.secret.is_empty() && !self.action.is_empty(),
            "options",
        )?;
        ensure(
            !self.hostnames.is_empty() && !self.hostnames.contains(&""),
            "options",
        )?;
        ensure((0.0..=1.0).contains(&self.threshold), "options")?;
        ensure(
            !self.timeout.is_zero() && self.timeout.as_secs() < 60,
            "options",
        )?;
        ensure((1..=2048).contains(&response.len()), "response")?;
        let form = [
            ("secret", self.secret),
            ("response", response),
            ("action", self.action),
            ("remoteip", remoteip),
            ("idempotency_key", &uuid::Uuid::new_v4().to_string()),
        ];
        let ends = Instant::now() + self.timeout;
        // A lost answer is asked for once more: the key says that it is the same question.
        let (status, body) = (self.ask(form, ends))
            .or_else(|_| self.ask(form, ends))
            .map_err(|_| "transport")?;
        ensure(status == 200, "status")?;
        self.judge(&body)
    }

    /// Follows no redirect, and goes through the proxy of HTTPS_PROXY and NO_PROXY.
    fn ask(&self, form: [(&str, &str); 5], ends: Instant) -> Result<(u16, Vec<u8>), ureq::Error> {
        let config = Agent::config_builder()
            .timeout_global(Some(ends.saturating_duration_since(Instant::now())))
            .max_redirects(0)
            .http_status_as_error(false);
        let address = format!("{}/api/v1/siteverify", self.url.trim_end_matches('/'));
        let mut answer = config.build().new_agent().post(address).send_form(form)?;
        let body = answer
            .body_mut()
            .with_config()
            .limit(65_536)
            .read_to_vec()?;
        Ok((answer.status().as_u16(), body))
    }

    /// Applies the rules in order. `answer["name"]` is null where the answer has no such member.
    fn judge(&self, body: &[u8]) -> Result<(), Rule> {
        let answer: Value = serde_json::from_slice(body).map_err(|_| "shape")?;
        ensure(answer.is_object(), "shape")?;
        let codes = answer["error-codes"].as_array();
        if answer["success"] != true {
            let known = codes.into_iter().flatten().find_map(rule_of);
            return Err(known.unwrap_or("success"));
        }
        ensure(codes.is_some_and(Vec::is_empty), "error-codes")?;
        ensure(answer["action"] == self.action, "action")?;
        let hostname = answer["hostname"].as_str().unwrap_or_default();
        let is_ours = |own: &&str| own.eq_ignore_ascii_case(hostname);
        ensure(self.hostnames.iter().any(is_ours), "hostname")?;
        let score = share(&answer["score"]).ok_or("score")?;
        let least = share(&answer["score_threshold"]).ok_or("score")?;
        ensure(score >= least && score >= self.threshold, "score")?;
        ensure(is_time(answer["challenge_ts"].as_str()), "shape")
    }
}

fn rule_of(code: &Value) -> Option<Rule> {
    match code.as_str()? {
        "timeout-or-duplicate" => Some("fresh"),
        "action-mismatch" => Some("action"),
        "low-score" => Some("score"),
        _ => None,
    }
}

fn share(value: &Value) -> Option<f64> {
    (value.as_f64()).filter(|share| (0.0..=1.0).contains(share))
}

/// Reports whether it looks like `2027-01-02 03:04:05`.
fn is_time(text: Option<&str>) -> bool {
    let zero = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text.is_some_and(|text| text.chars().map(zero).eq("0000-00-00 00:00:00".chars()))
}
