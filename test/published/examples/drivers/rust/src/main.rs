#[path = "../../../../../../examples/verify/verify.rs"]
mod verify;

use serde_json::Value;
use std::time::Duration;

fn main() {
    for line in std::io::stdin().lines() {
        let call: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
        let (url, secret, action) = (text("url"), text("secret"), text("action"));
        let hostnames: Vec<&str> = (call["hostnames"].as_array().unwrap().iter())
            .map(|each| each.as_str().unwrap())
            .collect();
        let number = |name: &str| text(name).parse::<f64>().unwrap();
        let site = verify::Site {
            url: &url,
            secret: &secret,
            action: &action,
            hostnames: &hostnames,
            threshold: number("threshold"),
            timeout: Duration::try_from_secs_f64(number("timeout")).unwrap_or_default(),
        };
        let verdict = site.verify(&text("response"), &text("remoteip"));
        println!("{}", verdict.err().unwrap_or("accepted"));
    }
}
