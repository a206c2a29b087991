//! What a script wants done with a tool, where every client has its own name for it.
//!
//! Agent CLIs offer their models a tool for commands and one for files, under names and
//! with arguments of their own. A [`Deed`] says what is to be done; [`Deed::call`] looks
//! through the offered tools and writes the arguments that the tool's schema asks for.

use serde_json::{Map, Value, json};

/// Names of tools that run a command, the preferred ones first.
const SHELLS: &[&str] =
    &["bash", "exec_command", "shell_command", "run_shell_command", "shell", "terminal"];
/// Names of tools that write a file.
const WRITERS: &[&str] = &["write", "write_file", "writefile", "create_file", "apply_patch"];
/// How tools name the file.
const PATHS: &[&str] = &["file_path", "filePath", "absolute_path", "path"];

/// Something that is done with a tool.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    /// Run a command.
    Shell { command: String },
    /// Write a file.
    WriteFile { path: String, content: String },
}

/// A tool that a request offers.
#[derive(Debug, Clone)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    /// Its arguments, by name, as JSON schemas.
    pub(crate) properties: Value,
    /// Whether its input is text and not JSON.
    pub(crate) is_free_form: bool,
}

impl OfferedTool {
    /// Whether it has this argument.
    pub(crate) fn takes(&self, argument: &str) -> bool {
        self.properties.get(argument).is_some()
    }
}

/// A call: the name of the tool, and its arguments as text.
pub(crate) type Call = (String, String);

impl Deed {
    /// The call of the tool that does it; `None` if none is offered.
    pub(crate) fn call(&self, offered: &[OfferedTool]) -> Option<Call> {
        let names = match self {
            Self::Shell { .. } => SHELLS,
            Self::WriteFile { .. } => WRITERS,
        };
        let named = |name: &&str| offered.iter().find(|tool| tool.name.eq_ignore_ascii_case(name));
        let tool = names.iter().find_map(named)?;
        let arguments = match self {
            Self::Shell { command } => shell(tool, command).to_string(),
            Self::WriteFile { path, content } if tool.name == "apply_patch" => {
                patch(tool, path, content)
            }
            Self::WriteFile { path, content } => write(tool, path, content).to_string(),
        };
        Some((tool.name.clone(), arguments))
    }
}

/// The arguments of a command. Some agents sandbox commands and ask only for those that
/// want out, so the script always wants out.
fn shell(tool: &OfferedTool, command: &str) -> Value {
    let key = if tool.takes("cmd") { "cmd" } else { "command" };
    let words = match tool.properties[key]["type"].as_str() {
        Some("array") => json!(["bash", "-lc", command]),
        _ => json!(command),
    };
    let mut arguments = Map::from_iter([(key.to_owned(), words)]);
    let usual = [
        ("description", json!("A command of the script")),
        ("is_background", json!(false)),
        ("sandbox_permissions", json!("require_escalated")),
        ("justification", json!("May I run this?")),
    ];
    let wanted = usual.into_iter().filter(|(name, _)| tool.takes(name));
    arguments.extend(wanted.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(arguments)
}

fn write(tool: &OfferedTool, path: &str, content: &str) -> Value {
    let key = PATHS.iter().find(|key| tool.takes(key)).unwrap_or(&"file_path");
    json!({*key: path, "content": content})
}

/// A patch that adds the file: as it is, or as the argument of a function.
fn patch(tool: &OfferedTool, path: &str, content: &str) -> String {
    let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
    let patch = format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n");
    if tool.is_free_form { patch } else { json!({"input": patch}).to_string() }
}
