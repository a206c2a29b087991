//! The modes of an agent, and its other options: which are set, so that a person decides.
//!
//! An agent may have modes in which it asks nobody, or in which a model answers in the person's
//! place. Those are never set, and never kept. The mode is compared after every new, loaded and
//! resumed session, because some agents begin in such a mode each time.

use agent_client_protocol_schema::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOptions, SessionModeState,
};
use parlor_protocol::Mode;
use serde::Deserialize as _;
use serde_json::{Value, json};

/// Modes in which nobody is asked, or in which a model decides.
const UNASKED: &[&str] = &[
    "agent", "agent-full-access", "auto", "auto-approve", "bypass", "bypass-permissions",
    "bypasspermissions", "danger-full-access", "dontask", "dont-ask", "full-access", "full-auto",
    "yolo",
];
/// Modes that ask, by the names that agents use, in the order in which they are chosen.
const ASKING: &[&str] = &["default", "ask", "manual", "read-only", "build"];
const PLAN: &str = "plan";

/// Whether it is the mode in which an agent plans.
pub(super) fn is_plan(mode: &str) -> bool {
    mode == PLAN
}

/// Whether nobody is asked in a mode, or a model decides.
pub(super) fn is_unasked(mode: &str) -> bool {
    UNASKED.contains(&mode.to_ascii_lowercase().replace('_', "-").as_str())
}

/// What is configured for a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Its mode in conversations that may change things; without one, the agent's own if it asks.
    pub act: Option<String>,
    /// Its mode in conversations that plan.
    pub plan: Option<String>,
    /// Other options in conversations that may change things, by id and value, where the agent
    /// has them.
    pub act_options: Vec<(String, String)>,
    /// The same in conversations that plan.
    pub plan_options: Vec<(String, String)>,
    /// Its model.
    pub model: Option<String>,
}

/// The options of a session, as the agent last said them.
#[derive(Debug, Default)]
pub(super) struct Options {
    mode: Option<Choice>,
    model: Option<Choice>,
    config: Vec<ConfigChoice>,
}

/// One of several values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    current: String,
    offered: Vec<String>,
}

#[derive(Debug)]
struct ConfigChoice {
    id: String,
    category: Category,
    choice: Choice,
}

#[derive(Debug, PartialEq, Eq)]
enum Category {
    Mode,
    Model,
    Other,
}

/// A request that changes an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) method: &'static str,
    /// Its parameters beside the session.
    pub(super) params: Value,
}

impl Options {
    /// Reads what the answer to a new, loaded or resumed session says.
    pub(super) fn of_session(response: &Value) -> Self {
        let mut options = Self::default();
        if let Ok(modes) = SessionModeState::deserialize(&response["modes"]) {
            let offered = modes.available_modes.iter().map(|mode| mode.id.to_string()).collect();
            options.mode = Some(Choice { current: modes.current_mode_id.to_string(), offered });
        }
        options.model = models(&response["models"]);
        options.set_config(&response["configOptions"]);
        options
    }

    /// The agent says its configuration again.
    pub(super) fn set_config(&mut self, options: &Value) {
        let Some(options) = options.as_array() else { return };
        let read = |option| SessionConfigOption::deserialize(option).ok();
        self.config = options.iter().filter_map(read).filter_map(config_choice).collect();
        for ConfigChoice { category, choice, .. } in &self.config {
            match (category, &mut self.mode) {
                (Category::Mode, Some(mode)) if mode.offered.contains(&choice.current) => {
                    mode.current.clone_from(&choice.current);
                }
                _ => {}
            }
        }
    }

    /// The agent says that it changed its mode.
    pub(super) fn set_mode(&mut self, current: &str) {
        if let Some(mode) = &mut self.mode {
            current.clone_into(&mut mode.current);
        }
        let of_mode = self.config.iter_mut().find(|option| option.category == Category::Mode);
        if let Some(option) = of_mode {
            current.clone_into(&mut option.choice.current);
        }
    }

    /// A change was made.
    pub(super) fn made(&mut self, change: &Change) {
        let value = |name: &str| change.params[name].as_str().unwrap_or_default();
        match change.method {
            "session/set_mode" => self.set_mode(value("modeId")),
            "session/set_model" => {
                if let Some(model) = &mut self.model {
                    value("modelId").clone_into(&mut model.current);
                }
            }
            _ => {
                let known = self.config.iter_mut().find(|option| option.id == value("configId"));
                if let Some(option) = known {
                    value("value").clone_into(&mut option.choice.current);
                }
            }
        }
    }

    /// The next change that is needed, if any. An error says what to configure.
    pub(super) fn next_change(
        &self,
        wanted: &Wanted,
        mode: Mode,
    ) -> Result<Option<Change>, String> {
        if let Some(change) = self.mode_change(wanted, mode)? {
            return Ok(Some(change));
        }
        if let Some(change) = self.model_change(wanted)? {
            return Ok(Some(change));
        }
        let others = match mode {
            Mode::Plan => &wanted.plan_options,
            Mode::Act => &wanted.act_options,
        };
        let changes = others.iter().find_map(|(id, value)| {
            let option = self.config.iter().find(|option| option.id == *id)?;
            let differs = option.choice.current != *value && option.choice.offers(value);
            differs.then(|| set_config(id, value))
        });
        Ok(changes)
    }

    fn mode_change(&self, wanted: &Wanted, mode: Mode) -> Result<Option<Change>, String> {
        let of_config = self.config.iter().find(|option| option.category == Category::Mode);
        let Some(choice) = self.mode.as_ref().or(of_config.map(|option| &option.choice)) else {
            return Ok(None);
        };
        let chosen = match mode {
            Mode::Act => choice.asking(wanted.act.as_deref())?,
            // Who leaves the plan may come back to the mode before it.
            Mode::Plan if is_unasked(&choice.current) => choice.asking(wanted.act.as_deref())?,
            Mode::Plan => choice.planning(wanted.plan.as_deref())?,
        };
        if choice.current == chosen {
            return Ok(None);
        }
        Ok(Some(match of_config.filter(|_| self.mode.is_none()) {
            Some(option) => set_config(&option.id, &chosen),
            None => Change { method: "session/set_mode", params: json!({"modeId": chosen}) },
        }))
    }

    fn model_change(&self, wanted: &Wanted) -> Result<Option<Change>, String> {
        let Some(model) = &wanted.model else { return Ok(None) };
        let of_config = self.config.iter().find(|option| option.category == Category::Model);
        let choice = match (of_config, &self.model) {
            (Some(option), _) => &option.choice,
            (None, Some(choice)) => choice,
            (None, None) => return Err("agent.model: the agent lets nobody choose".to_owned()),
        };
        if choice.current == *model {
            return Ok(None);
        }
        if !choice.offers(model) {
            return Err(format!("agent.model: the agent has no '{model}'; {}", choice.listed()));
        }
        Ok(Some(match of_config {
            Some(option) => set_config(&option.id, model),
            None => Change { method: "session/set_model", params: json!({"modelId": model}) },
        }))
    }
}

impl Choice {
    fn offers(&self, value: &str) -> bool {
        self.offered.iter().any(|offered| offered == value)
    }

    fn listed(&self) -> String {
        format!("it has: {}", self.offered.join(", "))
    }

    /// The mode for conversations that may change things.
    fn asking(&self, wanted: Option<&str>) -> Result<String, String> {
        match wanted {
            Some(wanted) if self.offers(wanted) => Ok(wanted.to_owned()),
            Some(wanted) => {
                Err(format!("agent.acp.mode: the agent has no '{wanted}'; {}", self.listed()))
            }
            None if !is_unasked(&self.current) && self.current != PLAN => Ok(self.current.clone()),
            None => match ASKING.iter().find(|mode| self.offers(mode)) {
                Some(mode) => Ok((*mode).to_owned()),
                None => Err(format!(
                    "the agent begins in its mode '{}', in which nobody is asked; set \
                     agent.acp.mode to one that asks: {}",
                    self.current,
                    self.listed()
                )),
            },
        }
    }

    /// The mode for conversations that plan.
    fn planning(&self, wanted: Option<&str>) -> Result<String, String> {
        let wanted = wanted.unwrap_or(PLAN);
        if self.offers(wanted) {
            return Ok(wanted.to_owned());
        }
        Err(format!("agent.acp.plan_mode: the agent has no '{wanted}'; {}", self.listed()))
    }
}

fn set_config(id: &str, value: &str) -> Change {
    let params = json!({"configId": id, "value": value});
    Change { method: "session/set_config_option", params }
}

fn config_choice(option: SessionConfigOption) -> Option<ConfigChoice> {
    let SessionConfigKind::Select(select) = option.kind else { return None };
    let offered = match select.options {
        SessionConfigSelectOptions::Ungrouped(options) => {
            options.iter().map(|option| option.value.to_string()).collect()
        }
        SessionConfigSelectOptions::Grouped(groups) => groups
            .iter()
            .flat_map(|group| &group.options)
            .map(|option| option.value.to_string())
            .collect(),
        _ => Vec::new(),
    };
    let category = match option.category {
        Some(SessionConfigOptionCategory::Mode) => Category::Mode,
        Some(SessionConfigOptionCategory::Model) => Category::Model,
        _ => Category::Other,
    };
    let choice = Choice { current: select.current_value.to_string(), offered };
    Some(ConfigChoice { id: option.id.to_string(), category, choice })
}

/// The models that agents name beside their options; not in the schema.
fn models(models: &Value) -> Option<Choice> {
    let id = |model: &Value| model["modelId"].as_str().map(str::to_owned);
    Some(Choice {
        current: models.get("currentModelId")?.as_str()?.to_owned(),
        offered: models.get("availableModels")?.as_array()?.iter().filter_map(id).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(current: &str, offered: &[&str]) -> Options {
        let modes: Vec<Value> = offered.iter().map(|id| json!({"id": id, "name": id})).collect();
        Options::of_session(&json!({"modes": {"currentModeId": current, "availableModes": modes}}))
    }

    fn change(options: &Options, wanted: &Wanted, mode: Mode) -> Result<Option<String>, String> {
        let change = options.next_change(wanted, mode)?;
        Ok(change.map(|change| format!("{} {}", change.method, change.params)))
    }

    /// B-3: no mode stays in which a model answers in the person's place.
    #[test]
    fn a_mode_that_asks_nobody_is_left() {
        let none = Wanted::default();
        let qwen = session("auto", &["plan", "default", "auto-edit", "auto", "yolo"]);
        let to_default = r#"session/set_mode {"modeId":"default"}"#;
        assert_eq!(change(&qwen, &none, Mode::Act), Ok(Some(to_default.to_owned())));
        assert_eq!(change(&qwen, &none, Mode::Plan), Ok(Some(to_default.to_owned())));
        let qwen = session("default", &["plan", "default", "auto-edit", "auto", "yolo"]);
        let to_plan = r#"session/set_mode {"modeId":"plan"}"#;
        assert_eq!(change(&qwen, &none, Mode::Plan), Ok(Some(to_plan.to_owned())));
        let gemini = session("default", &["default", "autoEdit", "yolo", "plan"]);
        assert_eq!(change(&gemini, &none, Mode::Act), Ok(None), "it is as it should be");
        let other = session("yolo", &["yolo", "auto"]);
        assert!(change(&other, &none, Mode::Act).unwrap_err().contains("set agent.acp.mode"));
        let codex = Wanted { act: Some("read-only".into()), ..Wanted::default() };
        assert!(change(&gemini, &codex, Mode::Act).unwrap_err().contains("has no 'read-only'"));
        let asking = session("default", &["default"]);
        assert!(change(&asking, &none, Mode::Plan).unwrap_err().contains("agent.acp.plan_mode"));
        for mode in ["yolo", "YOLO", "bypassPermissions", "agent", "agent-full-access", "auto"] {
            assert!(is_unasked(mode), "{mode}");
        }
        assert!(!is_unasked("acceptEdits") && !is_unasked("workspace-write"));
    }

    /// An agent may have its modes among its options.
    #[test]
    fn a_mode_among_the_options_is_set_as_an_option() {
        let option = |current: &str| {
            json!([{"id": "mode", "name": "Mode", "category": "mode", "type": "select",
                "currentValue": current,
                "options": [{"value": "build", "name": "b"}, {"value": "plan", "name": "p"}]}])
        };
        let mut options = Options::of_session(&json!({"configOptions": option("build")}));
        let none = Wanted::default();
        assert_eq!(change(&options, &none, Mode::Act), Ok(None));
        let to_plan = r#"session/set_config_option {"configId":"mode","value":"plan"}"#;
        assert_eq!(change(&options, &none, Mode::Plan), Ok(Some(to_plan.to_owned())));
        let made = options.next_change(&none, Mode::Plan).unwrap().unwrap();
        options.made(&made);
        assert_eq!(change(&options, &none, Mode::Plan), Ok(None));
        options.set_config(&option("build"));
        assert_eq!(change(&options, &none, Mode::Plan), Ok(Some(to_plan.to_owned())));
    }

    /// An agent without modes or models is left as it is, unless something was asked for.
    #[test]
    fn nothing_is_set_that_is_not_there() {
        let bare = Options::of_session(&json!({}));
        assert_eq!(change(&bare, &Wanted::default(), Mode::Plan), Ok(None));
        let wanted = Wanted { model: Some("m".into()), ..Wanted::default() };
        assert!(change(&bare, &wanted, Mode::Act).unwrap_err().starts_with("agent.model"));
        let models = json!({"models": {"currentModelId": "a", "availableModels":
            [{"modelId": "a"}, {"modelId": "m"}]}});
        let set = r#"session/set_model {"modelId":"m"}"#;
        let options = Options::of_session(&models);
        assert_eq!(change(&options, &wanted, Mode::Act), Ok(Some(set.to_owned())));
    }
}
