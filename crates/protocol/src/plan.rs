//! Plans (T-2): a goal and the steps to it, to be carried out or refined.
//!
//! A plan comes in one of two forms. JSON with `goal` and `steps` is validated
//! by [`Plan::from_json`]; markdown that an agent presents as its plan is
//! always a plan, and [`Plan::from_markdown`] takes out of it what it can.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::structure::{
    StructureError, optional_text, optional_texts, required_list, required_text,
};

/// What an agent intends to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Plan {
    /// What is reached in the end.
    pub goal: String,
    /// The steps, in order; none if the plan's markdown has no list.
    pub steps: Vec<PlanStep>,
    /// Tools that the plan as a whole needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_needed: Option<Vec<String>>,
    /// How long it takes, in the agent's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_time: Option<String>,
    /// What can go wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risks: Option<Vec<String>>,
    /// The plan as the agent wrote it, if it wrote markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct PlanStep {
    /// Its number, as the agent counts.
    pub step_number: u32,
    /// What is done.
    pub action: String,
    /// Why it is done; empty in a plan made from markdown.
    pub reason: String,
    /// Tools that this step needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_needed: Option<Vec<String>>,
    /// How long this step takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_time: Option<String>,
    /// What can go wrong in this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risks: Option<Vec<String>>,
}

/// What a person decides about a plan (T-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanDecision {
    /// Carry it out.
    Execute,
    /// Present it again, with these changes.
    Refine(String),
}

impl PlanDecision {
    /// Reads a decision as an agent is given it: `"execute"` or `{"refine": "…"}`.
    pub fn from_json(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }

    /// The decision as an agent is given it.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Execute => "execute".into(),
            Self::Refine(changes) => serde_json::json!({ "refine": changes }),
        }
    }
}

impl Plan {
    /// True for JSON that means to be a plan, valid or not (C-2: if it fails
    /// validation it is `text`, and no later rule looks at it).
    pub fn is_claimed_by(value: &Value) -> bool {
        value.get("goal").is_some() && value.get("steps").is_some()
    }

    /// Reads a plan: a goal, and at least one step with number, action and reason.
    pub fn from_json(value: &Value) -> Result<Self, StructureError> {
        if !value.is_object() {
            return Err(StructureError::NotAnObject);
        }
        Ok(Self {
            goal: required_text(value, "goal")?,
            steps: required_list(value, "steps")?
                .iter()
                .map(PlanStep::from_json)
                .collect::<Result<_, _>>()?,
            tools_needed: optional_texts(value, "tools_needed"),
            estimated_time: optional_text(value, "estimated_time"),
            risks: optional_texts(value, "risks"),
            markdown: None,
        })
    }

    /// Takes the first heading (or else the first line) as the goal, and the
    /// items of the first numbered list as the steps.
    pub fn from_markdown(markdown: &str) -> Self {
        let lines = || unfenced_lines(markdown);
        let goal = lines()
            .find_map(heading)
            .or_else(|| lines().map(str::trim).find(|line| !line.is_empty()))
            .unwrap_or_default()
            .to_owned();
        Self {
            goal,
            steps: numbered_steps(lines()),
            tools_needed: None,
            estimated_time: None,
            risks: None,
            markdown: Some(markdown.to_owned()),
        }
    }

    /// The plan as markdown, for clients that only show text.
    pub fn to_markdown(&self) -> String {
        if let Some(markdown) = &self.markdown {
            return markdown.clone();
        }
        let mut text = format!("## {}\n", self.goal);
        for step in &self.steps {
            text.push_str(&format!("\n{}. {}", step.step_number, step.action));
            if !step.reason.is_empty() {
                text.push_str(&format!(" ({})", step.reason));
            }
        }
        text
    }
}

impl PlanStep {
    /// A step of which only the action is known.
    pub fn bare(step_number: u32, action: &str) -> Self {
        Self {
            step_number,
            action: action.to_owned(),
            reason: String::new(),
            tools_needed: None,
            estimated_time: None,
            risks: None,
        }
    }

    fn from_json(value: &Value) -> Result<Self, StructureError> {
        Ok(Self {
            step_number: step_number(value)?,
            action: required_text(value, "action")?,
            reason: required_text(value, "reason")?,
            tools_needed: optional_texts(value, "tools_needed"),
            estimated_time: optional_text(value, "estimated_time"),
            risks: optional_texts(value, "risks"),
        })
    }
}

/// Models write `1`, and now and then `"1"`.
fn step_number(value: &Value) -> Result<u32, StructureError> {
    let field = value.get("step_number").ok_or(StructureError::Missing("step_number"))?;
    field
        .as_u64()
        .or_else(|| field.as_str()?.trim().parse().ok())
        .and_then(|number| u32::try_from(number).ok())
        .ok_or(StructureError::WrongType { field: "step_number", expected: "a whole number" })
}

/// The lines outside code fences: a comment in a shell script is no heading.
fn unfenced_lines(markdown: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    markdown.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix('#')?.trim_start_matches('#');
    let text = text.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    (!text.is_empty()).then_some(text)
}

/// The items of the first numbered list. Deeper items belong to their step
/// and stay in the markdown; a heading after the list ends it.
fn numbered_steps<'m>(lines: impl Iterator<Item = &'m str>) -> Vec<PlanStep> {
    let mut steps: Vec<PlanStep> = Vec::new();
    for line in lines {
        if !steps.is_empty() && heading(line).is_some() {
            break;
        }
        if let Some((step_number, action)) = numbered_item(line) {
            steps.push(PlanStep::bare(step_number, action));
        }
    }
    steps
}

fn numbered_item(line: &str) -> Option<(u32, &str)> {
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let number = line[..digits].parse().ok()?;
    let action = line[digits..].strip_prefix(['.', ')'])?.strip_prefix(' ')?.trim();
    (!action.is_empty()).then_some((number, action))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn dinner() -> Value {
        json!({
            "goal": "Dinner for four",
            "steps": [{"step_number": 1, "action": "Pick recipes", "reason": "To know what to buy"}],
        })
    }

    /// T-3: a decision is read as it is written.
    #[test]
    fn a_decision_has_one_shape() {
        for (decision, wire) in [
            (PlanDecision::Execute, json!("execute")),
            (PlanDecision::Refine("Less salt".into()), json!({"refine": "Less salt"})),
        ] {
            assert_eq!(decision.to_json(), wire);
            assert_eq!(serde_json::to_value(&decision).unwrap(), wire);
            assert_eq!(PlanDecision::from_json(&wire), Some(decision));
        }
        assert_eq!(PlanDecision::from_json(&json!("refine")), None);
        assert_eq!(PlanDecision::from_json(&json!({"execute": true})), None);
    }

    /// T-2: goal, steps, and in each step number, action and reason.
    #[test]
    fn a_plan_needs_a_goal_and_complete_steps() {
        assert!(Plan::from_json(&dinner()).is_ok());
        let broken = |edit: fn(&mut Value)| {
            let mut plan = dinner();
            edit(&mut plan);
            Plan::from_json(&plan).unwrap_err().to_string()
        };
        assert_eq!(broken(|p| p["goal"] = json!("  ")), "'goal' is missing or empty");
        assert_eq!(broken(|p| p["goal"] = json!(7)), "'goal' must be a text");
        assert_eq!(broken(|p| p["steps"] = json!([])), "'steps' is missing or empty");
        assert_eq!(broken(|p| p["steps"] = json!("cook")), "'steps' must be a list");
        assert_eq!(
            broken(|p| p["steps"][0]["action"] = json!(null)),
            "'action' is missing or empty"
        );
        assert_eq!(broken(|p| p["steps"][0]["reason"] = json!("")), "'reason' is missing or empty");
        assert_eq!(
            broken(|p| p["steps"][0]["step_number"] = json!(-1)),
            "'step_number' must be a whole number"
        );
        assert_eq!(broken(|p| *p = json!([])), "it is not a JSON object");
    }

    /// T-2: optional fields are taken as far as they can be read.
    #[test]
    fn optional_fields_are_read_leniently() {
        let mut value = dinner();
        value["risks"] = json!("Guests are late");
        value["estimated_time"] = json!(90);
        value["steps"][0]["tools_needed"] = json!(["list_recipes", null, " "]);
        value["steps"][0]["step_number"] = json!("1");
        let plan = Plan::from_json(&value).unwrap();
        assert_eq!(plan.risks, Some(vec!["Guests are late".to_owned()]));
        assert_eq!(plan.estimated_time.as_deref(), Some("90"));
        assert_eq!(plan.steps[0].tools_needed, Some(vec!["list_recipes".to_owned()]));
        assert_eq!(plan.steps[0].step_number, 1);
    }

    /// T-2: markdown is always a plan: the first heading is its goal.
    #[test]
    fn markdown_gives_goal_and_steps() {
        let plan = Plan::from_markdown(
            "```sh\n# not a heading\n```\n# Add a page #\n\nWhy: fun.\n\n1. Create `a.html`\n   1. with a title\n2) Link it\n\n## Later\n3. Rest\n",
        );
        assert_eq!(plan.goal, "Add a page");
        let actions: Vec<_> =
            plan.steps.iter().map(|s| (s.step_number, s.action.as_str())).collect();
        assert_eq!(actions, [(1, "Create `a.html`"), (2, "Link it")]);

        let bare = Plan::from_markdown("\n  Just do it\nnow");
        assert_eq!((bare.goal.as_str(), bare.steps.len()), ("Just do it", 0));
        assert_eq!(Plan::from_markdown("").goal, "");
    }
}
