//! The binary, run by an administrator.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use parlor_testkit::{Script, ScriptedModel};
use rustix::process::{Pid, Signal, kill_process};

fn parlor(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(arguments).current_dir(dir).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in [
        "RUST_LOG", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "PARLOR_PASSWORD",
        "PARLOR_API_KEY",
    ] {
        command.env_remove(name);
    }
    command
}

fn failure(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

/// Reads standard output up to the URL.
fn announcement(child: &mut Child) -> Vec<String> {
    let mut lines = Vec::new();
    for line in BufReader::new(child.stdout.as_mut().unwrap()).lines() {
        lines.push(line.unwrap());
        if lines.last().unwrap().starts_with("listening on ") {
            return lines;
        }
    }
    let mut log = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut log).unwrap();
    panic!("it did not start: {lines:?} {log}");
}

fn terminate(child: &mut Child) -> (Option<i32>, String) {
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    let mut log = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut log).unwrap();
    (status.code(), log)
}

/// Bad input: the error for a port that is taken says what to do.
#[test]
fn a_taken_port_is_named_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = failure(&mut parlor(dir.path(), &["serve", "--bind", &address]));
    assert!(error.contains(&format!("another program listens on {address}")), "{error}");
    assert!(error.contains("--bind 127.0.0.1:"), "{error}");
}

/// Bad input: an unknown key is named, with the nearest known one.
#[test]
fn an_unknown_key_is_named_with_the_nearest_one() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("parlor.toml"), "[server]\nbnid = \"127.0.0.1:1\"\n").unwrap();
    let error = failure(&mut parlor(dir.path(), &["serve"]));
    assert!(
        error.contains("unknown field `bnid`") && error.contains("did you mean `bind`?"),
        "{error}"
    );
    let agent = "[tenants.home.projects.recipes.agent]\nkynd = \"demo\"\n";
    std::fs::write(dir.path().join("parlor.toml"), agent).unwrap();
    let error = failure(&mut parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"]));
    assert!(error.contains("line 2") && error.contains("did you mean `kind`?"), "{error}");
}

/// N-2, FAULTS 3 and 25: credentials are generated once and printed once, not logged; a second
/// server on the same data refuses to start; SIGTERM ends with exit code 0.
#[test]
fn the_first_start_prints_credentials_once() {
    let dir = tempfile::tempdir().unwrap();
    let serve = &["serve", "--bind", "127.0.0.1:0"];
    let mut first = parlor(dir.path(), serve).spawn().unwrap();
    let lines = announcement(&mut first);
    let secret = |what: &str| {
        let line = lines.iter().find_map(|line| line.strip_prefix(&format!("{what}: ")));
        line.unwrap_or_else(|| panic!("no {what} in {lines:?}")).to_owned()
    };
    let secrets = [secret("password"), secret("admin password"), secret("admin API key")];
    assert!(lines.iter().any(|line| line.contains("set ANTHROPIC_API_KEY")), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("listening on http://127.0.0.1:"));
    let error = failure(&mut parlor(dir.path(), serve));
    assert!(error.contains("another server uses the data directory"), "{error}");
    let (code, log) = terminate(&mut first);
    assert_eq!(code, Some(0), "{log}");
    assert!(secrets.iter().all(|secret| !log.contains(secret)), "a secret is in the log");
    let mut second = parlor(dir.path(), serve).spawn().unwrap();
    let lines = announcement(&mut second);
    assert!(lines.iter().all(|line| !line.contains("password")), "{lines:?}");
    assert_eq!(terminate(&mut second).0, Some(0));
}

/// A local model needs two variables: its address and its name.
#[tokio::test(flavor = "multi_thread")]
async fn a_local_model_answers_without_a_file_and_without_a_key() {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer().text("Hel").text("lo"));
    let key = "local-0123456789abcdef0123456789";
    let mut server = parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"])
        .env("OPENAI_BASE_URL", model.base_url())
        .env("OPENAI_MODEL", "qwen3")
        .env("PARLOR_API_KEY", key)
        .spawn()
        .unwrap();
    let lines = announcement(&mut server);
    assert!(lines.contains(&"openai: qwen3".to_owned()), "{lines:?}");
    let url = lines.last().unwrap().trim_start_matches("listening on ").trim_end_matches('/');
    let request = reqwest::Client::new().post(format!("{url}/api/chat")).header("x-api-key", key);
    let request = request.header("content-type", "application/json").body(r#"{"message": "Hi"}"#);
    let answer = request.send().await.unwrap().text().await.unwrap();
    assert!(answer.contains(r#""content":"Hello""#), "{answer}");
    let seen = model.recorded().pop().unwrap();
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.transcript().last().unwrap(), "user: Hi");
    assert_eq!(terminate(&mut server).0, Some(0));
}

/// Bad input on the command line of `keys` and `password`.
#[test]
fn credentials_are_changed_for_known_tenants_only() {
    let dir = tempfile::tempdir().unwrap();
    let error = failure(&mut parlor(dir.path(), &["keys", "create", "--tenant", "nobody"]));
    assert!(error.contains("there is no tenant 'nobody'; known tenants: home"), "{error}");
    let error = failure(&mut parlor(dir.path(), &["keys", "revoke", "nothing"]));
    assert!(error.contains("there is no valid key 'nothing'"), "{error}");
    let error = failure(&mut parlor(dir.path(), &["password", "set"]));
    assert!(error.contains("blank"), "{error}");
}

/// X-1: a weak password is accepted with a warning, wherever it is set.
#[test]
fn a_short_password_is_warned_about() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"])
        .env("PARLOR_PASSWORD", "1")
        .env("PARLOR_ADMIN_PASSWORD", "long enough")
        .spawn()
        .unwrap();
    announcement(&mut server);
    let (_, log) = terminate(&mut server);
    assert!(log.contains("PARLOR_PASSWORD: it has fewer than 8 characters"), "{log}");
    assert!(!log.contains("PARLOR_ADMIN_PASSWORD:"), "{log}");
    for (password, is_warned) in [("2", true), ("long enough, too", false)] {
        std::fs::write(dir.path().join("new"), password).unwrap();
        let new = std::fs::File::open(dir.path().join("new")).unwrap();
        let set = parlor(dir.path(), &["password", "set"]).stdin(new).output().unwrap();
        let said = String::from_utf8(set.stderr).unwrap();
        assert!(set.status.success() && said.contains("the password is set"), "{said}");
        assert_eq!(said.contains("warning: it has fewer than 8 characters"), is_warned, "{said}");
    }
}

/// O-1: the address that the server binds and the public URL are shown separately.
#[test]
fn it_says_where_it_listens_and_where_people_find_it() {
    let dir = tempfile::tempdir().unwrap();
    let config = "[server]\npublic_url = \"https://chat.example.org\"\n";
    std::fs::write(dir.path().join("parlor.toml"), config).unwrap();
    let mut server = parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"]).spawn().unwrap();
    let lines = announcement(&mut server);
    let last = lines.last().unwrap();
    assert!(last.starts_with("listening on http://127.0.0.1:"), "{last}");
    assert!(last.ends_with(" (people find it at https://chat.example.org)"), "{last}");
    assert_eq!(terminate(&mut server).0, Some(0));
}

/// Bad input: an error in any project is reported before any child process is started.
#[test]
fn a_start_that_fails_starts_no_children() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("started");
    let config = format!(
        "[tenants.home.projects.a.mcp.s]\ncommand = \"touch\"\nargs = [{trace:?}]\n\
         [tenants.home.projects.b.agent]\nkind = \"anthropic\"\n"
    );
    std::fs::write(dir.path().join("parlor.toml"), config).unwrap();
    let error = failure(&mut parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"]));
    assert!(error.contains("tenants.home.projects.b"), "{error}");
    assert!(!trace.exists(), "a child was started");
}

/// Bad input: the error for an agent without a key names the setting to fix.
#[test]
fn a_missing_key_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let agent = "[tenants.home.projects.recipes.agent]\nkind = \"anthropic\"\n";
    std::fs::write(dir.path().join("parlor.toml"), agent).unwrap();
    let error = failure(&mut parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"]));
    assert!(error.contains("tenants.home.projects.recipes"), "{error}");
    assert!(error.contains("there is no key: set ANTHROPIC_API_KEY"), "{error}");
}

/// Bad input, X-3: if the model refuses the key, the log names the setting to fix, and never the
/// key.
#[tokio::test]
async fn a_refused_key_is_named_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::failure(401));
    let mut server = parlor(dir.path(), &["serve", "--bind", "127.0.0.1:0"]);
    server.env("ANTHROPIC_API_KEY", "sk-ant-not-this-one").env("PARLOR_API_KEY", "a-key-for-tests");
    let mut server = server.env("ANTHROPIC_BASE_URL", model.base_url()).spawn().unwrap();
    let lines = announcement(&mut server);
    let url = lines.last().unwrap().strip_prefix("listening on ").unwrap().trim_end_matches('/');
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{url}/api/chat")).header("x-api-key", "a-key-for-tests");
    let request =
        request.header("content-type", "application/json").body(r#"{"message": "hello"}"#);
    let answer = request.send().await.unwrap().text().await.unwrap();
    assert!(answer.contains("Whoever runs the server must set a valid one"), "{answer}");
    assert!(!answer.contains("ANTHROPIC") && !answer.contains("[provider]"), "{answer}");
    let (code, log) = terminate(&mut server);
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("set ANTHROPIC_API_KEY to a valid one"), "{log}");
    assert!(!log.contains("sk-ant-not-this-one"), "{log}");
}
