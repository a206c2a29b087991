//! An editor: starts `parlor acp` and speaks the Agent Client Protocol with it. Whatever it is
//! sent must be what the types of the protocol say.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use agent_client_protocol_schema::v1::{
    CancelRequestNotification, CreateElicitationRequest, InitializeResponse, ListSessionsResponse,
    LoadSessionResponse, NewSessionResponse, PromptResponse, RequestPermissionRequest,
    ResumeSessionResponse, SessionNotification,
};
use parlor_testkit::ScriptedModel;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::mcp::faulty_program;
use crate::server_process::{Server, configure, storage};
use crate::test_app::PATIENCE;

/// A configuration with a tool that needs approval (`s_mark`) and one that asks (`s_ask`), and
/// prompts that do not expire.
pub(super) fn tools() -> String {
    format!(
        "[server.limits]\nmessages_per_minute = 1000\n\
         [tenants.home.projects.recipes]\nrecipe_vault = false\nprompt_timeout = \"0\"\n\
         [tenants.home.projects.recipes.mcp.s]\ncommand = {:?}\n\
         [tenants.home.projects.recipes.mcp.s.tools.ask]\naction = \"allow\"\n",
        faulty_program()
    )
}

/// `parlor acp` as a process, and everything that it wrote.
pub(super) struct EditorProcess {
    child: Child,
    input: Option<ChildStdin>,
    seen: Arc<Seen>,
    last: i64,
    /// How many messages were looked at by [`Self::asked`].
    looked: usize,
}

#[derive(Default)]
struct Seen {
    messages: Mutex<Vec<Value>>,
    changed: Notify,
    log: Mutex<String>,
}

/// The command for a server in the process of the editor's agent.
pub(super) fn in_process(data: &Path, model: &ScriptedModel, more: &str) -> Command {
    let config = configure(data, model, more);
    let mut command = parlor();
    command.args(["acp", "--project", "recipes", "--config"]).arg(config);
    command.arg("--data-dir").arg(data).env("ANTHROPIC_API_KEY", "sk-ant-survival");
    command.envs(storage(data)).current_dir(data);
    command
}

/// The command for a server that runs.
pub(super) fn to(server: &Server, key: &str) -> Command {
    let mut command = parlor();
    command.args(["acp", "--project", "recipes", "--url"]);
    command.arg(format!("http://{}", server.address())).env("PARLOR_API_KEY", key);
    command
}

fn parlor() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    for name in ["RUST_LOG", "PARLOR_API_KEY", "PARLOR_PASSWORD", "PARLOR_ADMIN_PASSWORD"] {
        command.env_remove(name);
    }
    command
}

impl EditorProcess {
    /// Starts the command.
    pub(super) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (seen, mut log) = (Arc::new(Seen::default()), child.stderr.take().unwrap());
        let reader = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                // Nothing but JSON goes to standard output.
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|error| json!({"not_json": line, "why": error.to_string()}));
                reader.messages.lock().unwrap().push(message);
                reader.changed.notify_waiters();
            }
        });
        let writer = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut text = String::new();
            let _closed = log.read_to_string(&mut text).await;
            *writer.log.lock().unwrap() = text;
            writer.changed.notify_waiters();
        });
        Self { child, input, seen, last: 0, looked: 0 }
    }

    /// Starts the command and initializes it with these capabilities.
    pub(super) async fn initialized(command: Command, capabilities: Value) -> Self {
        let mut editor = Self::start(command);
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities,
            "clientInfo": {"name": "test", "version": "0"}});
        let response = editor.request("initialize", params).await;
        assert_eq!(response["result"]["protocolVersion"], 1, "{response}");
        editor
    }

    /// Begins a session in a folder; returns its id.
    pub(super) async fn new_session(&mut self, cwd: &str) -> String {
        let response = self.request("session/new", json!({"cwd": cwd, "mcpServers": []})).await;
        let id = response["result"]["sessionId"].as_str();
        id.unwrap_or_else(|| panic!("{response} {}", self.seen.log.lock().unwrap())).to_owned()
    }

    /// Sends a line as it is.
    pub(super) async fn line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        input.flush().await.unwrap();
    }

    /// Sends a notification.
    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()).await;
    }

    /// Sends a request; returns its id.
    pub(super) async fn begin(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = json!(self.last);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&request.to_string()).await;
        id
    }

    /// Sends a request, and waits for the response.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.response(&id).await
    }

    /// Waits for the response to a request.
    pub(super) async fn response(&self, id: &Value) -> Value {
        let is_it = |message: &Value| message.get("method").is_none() && message["id"] == *id;
        let at = self.find(0, &format!("the response {id}"), is_it).await;
        self.messages()[at].clone()
    }

    /// Begins a prompt with a text; returns the id of the request.
    pub(super) async fn say(&mut self, session: &str, text: &str) -> Value {
        let prompt = json!([{"type": "text", "text": text}]);
        self.begin("session/prompt", json!({"sessionId": session, "prompt": prompt})).await
    }

    /// Sends a text; returns the result.
    pub(super) async fn prompt(&mut self, session: &str, text: &str) -> Value {
        let id = self.say(session, text).await;
        let response = self.response(&id).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    /// The next request of the agent with this method.
    pub(super) async fn asked(&mut self, method: &str) -> Value {
        let is_it = |message: &Value| message["method"] == method && message.get("id").is_some();
        let at = self.find(self.looked, method, is_it).await;
        self.looked = at + 1;
        self.messages()[at].clone()
    }

    /// Answers a request of the agent.
    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        let response = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        self.line(&response.to_string()).await;
    }

    /// Chooses an option of a permission by its kind.
    pub(super) async fn choose(&mut self, request: &Value, kind: &str) {
        let options = request["params"]["options"].as_array().unwrap();
        let option = options.iter().find(|option| option["kind"] == kind).unwrap();
        let outcome = json!({"outcome": "selected", "optionId": option["optionId"]});
        self.answer(request, json!({"outcome": outcome})).await;
    }

    /// Waits for an update that a condition holds for.
    pub(super) async fn updated(&self, what: &str, is_it: impl Fn(&Value) -> bool) {
        self.find(0, what, |message| is_it(&message["params"]["update"])).await;
    }

    /// Waits for a message of the agent; returns its place.
    pub(super) async fn find(
        &self,
        from: usize,
        what: &str,
        is_it: impl Fn(&Value) -> bool,
    ) -> usize {
        let found = async {
            loop {
                let changed = self.seen.changed.notified();
                let at = self.messages().iter().skip(from).position(&is_it);
                if let Some(at) = at {
                    return from + at;
                }
                changed.await;
            }
        };
        let found = timeout(PATIENCE, found).await;
        found.unwrap_or_else(|_| panic!("no {what} in {:#?}", self.messages()))
    }

    /// Everything that came so far.
    pub(super) fn messages(&self) -> Vec<Value> {
        let messages = self.seen.messages.lock().unwrap().clone();
        messages.iter().for_each(check);
        messages
    }

    /// The updates so far, from the n-th message on.
    pub(super) fn updates(&self, from: usize) -> Vec<Value> {
        let messages = self.messages();
        let updates = messages.iter().skip(from).filter(|it| it["method"] == "session/update");
        updates.map(|message| message["params"]["update"].clone()).collect()
    }

    /// The text of updates of one kind so far, from the n-th message on.
    pub(super) fn text(&self, from: usize, kind: &str) -> String {
        let updates = self.updates(from);
        let texts = updates.iter().filter(|update| update["sessionUpdate"] == kind);
        texts.map(|update| update["content"]["text"].as_str().unwrap()).collect()
    }

    /// Closes the input, as an editor that ends; returns the exit code and the log.
    pub(super) async fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let status = timeout(PATIENCE, self.child.wait()).await.expect("it does not end").unwrap();
        let log = async {
            loop {
                let changed = self.seen.changed.notified();
                let log = self.seen.log.lock().unwrap().clone();
                if !log.is_empty() {
                    return log;
                }
                changed.await;
            }
        };
        // An empty log is none to wait for.
        let log = timeout(std::time::Duration::from_secs(1), log).await.unwrap_or_default();
        self.messages();
        (status.code(), log)
    }

    /// Kills the process, as a crash of the editor would.
    pub(super) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// Every message is what the protocol says: the types read it, and write the same.
fn check(message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let (params, result) = (&message["params"], &message["result"]);
    match message["method"].as_str() {
        Some("session/update") => same::<SessionNotification>(params),
        Some("session/request_permission") => same::<RequestPermissionRequest>(params),
        Some("elicitation/create") => same::<CreateElicitationRequest>(params),
        Some("$/cancel_request") => same::<CancelRequestNotification>(params),
        Some(other) => panic!("{other} was not offered: {message}"),
        None => {
            let has = |key: &str| message.get(key).is_some();
            assert!(has("id") && has("result") != has("error"), "{message}");
            if has("error") {
                assert!(message["error"]["code"].is_i64(), "{message}");
                assert!(message["error"]["message"].is_string(), "{message}");
                return;
            }
            let named = |key: &str| result.get(key).is_some();
            match () {
                () if named("protocolVersion") => same::<InitializeResponse>(result),
                () if named("stopReason") => same::<PromptResponse>(result),
                () if named("sessions") => same::<ListSessionsResponse>(result),
                () if named("sessionId") => same::<NewSessionResponse>(result),
                () if named("modes") => {
                    same::<LoadSessionResponse>(result);
                    same::<ResumeSessionResponse>(result);
                }
                () => assert_eq!(*result, json!({}), "{message}"),
            }
        }
    }
}

fn same<T: DeserializeOwned + Serialize>(value: &Value) {
    let read: T =
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
    assert_eq!(serde_json::to_value(read).unwrap(), *value);
}
