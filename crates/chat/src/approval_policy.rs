//! Which calls need approval. Pure.
//!
//! A call is judged by, in this order: what the configuration says about the tool and its
//! arguments; the annotations of the tool, if its server is trusted with them (M-1); the
//! allowances of the conversation (P-11). In doubt a person is asked.

use parlor_agent::ProposedCall;
use parlor_agent::tools::{Tool, ToolAction};
use parlor_protocol::Verdict;
use parlor_storage::Allowance;

use crate::allowances::covers;

/// Whether a call may be made.
pub(crate) fn judge(call: &ProposedCall, allowances: &[Allowance]) -> Verdict {
    // Nothing is known about the tool, so a person is asked.
    let Some(tool) = &call.tool else { return Verdict::Ask };
    match tool.configured(&call.input) {
        Some(ToolAction::Allow) => return Verdict::Allow,
        Some(ToolAction::Deny) => return Verdict::Block,
        Some(ToolAction::Ask) => {}
        None if claims_to_be_harmless(tool) => return Verdict::Allow,
        None => {}
    }
    if allowances.iter().any(|allowance| covers(allowance, tool)) {
        Verdict::Allow
    } else {
        Verdict::Ask
    }
}

/// If a tool's description looks like an injection, its annotations are ignored (G-8).
fn claims_to_be_harmless(tool: &Tool) -> bool {
    let claims = tool.claims;
    tool.suspicion.is_none() && (claims.read_only || claims.not_destructive)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use parlor_agent::tools::ToolSpec;
    use parlor_agent::tools::{Claims, ToolRule};
    use parlor_protocol::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn call(claims: Claims, rules: Vec<ToolRule>, input: Value) -> ProposedCall {
        let spec = ToolSpec {
            name: "shop_buy".into(),
            description: String::new(),
            input_schema: json!({"type": "object"}),
        };
        let tool = Tool {
            spec,
            server: "shop".into(),
            name: "buy".into(),
            title: None,
            claims,
            rules,
            fingerprint: "f1".into(),
            timeout: Duration::from_secs(1),
            prompt_timeout: None,
            preview: None,
            suspicion: None,
        };
        ProposedCall {
            id: "t1".into(),
            name: "shop_buy".into(),
            input: input.as_object().cloned().unwrap_or_default(),
            tool: Some(tool),
            description: None,
            preview: None,
            ends_with_agent: false,
            caveats: Vec::new(),
        }
    }

    fn rule(action: ToolAction, pattern: Option<&str>) -> ToolRule {
        let arguments = pattern.map(|p| ("what".to_owned(), regex::Regex::new(p).unwrap()));
        ToolRule { arguments: arguments.into_iter().collect(), action }
    }

    /// M-1: annotations of a trusted server let a call run; anything else needs approval.
    #[test]
    fn annotations_decide_only_where_nothing_else_does() {
        let none = Claims::default();
        let reads = Claims { read_only: true, ..none };
        let harmless = Claims { not_destructive: true, ..none };
        let judged = |claims, rules| judge(&call(claims, rules, json!({})), &[]);
        assert_eq!(judged(none, vec![]), Verdict::Ask);
        assert_eq!(judged(reads, vec![]), Verdict::Allow);
        assert_eq!(judged(harmless, vec![]), Verdict::Allow);
        assert_eq!(judged(reads, vec![rule(ToolAction::Ask, None)]), Verdict::Ask);
        assert_eq!(judged(reads, vec![rule(ToolAction::Deny, None)]), Verdict::Block);
        assert_eq!(judged(none, vec![rule(ToolAction::Allow, None)]), Verdict::Allow);
        let mut suspicious = call(reads, vec![], json!({}));
        suspicious.tool.as_mut().unwrap().suspicion = Some("override.ignore".to_owned());
        assert_eq!(judge(&suspicious, &[]), Verdict::Ask, "G-8");
    }

    /// The first rule whose patterns fit the arguments counts.
    #[test]
    fn rules_match_arguments() {
        let rules = || {
            vec![
                rule(ToolAction::Deny, Some("(?i)gun")),
                rule(ToolAction::Allow, Some("^bread$")),
                rule(ToolAction::Ask, None),
            ]
        };
        let judged = |what: Value| judge(&call(Claims::default(), rules(), what), &[]);
        assert_eq!(judged(json!({"what": "a Gun"})), Verdict::Block);
        assert_eq!(judged(json!({"what": "bread"})), Verdict::Allow);
        assert_eq!(judged(json!({"what": "breads"})), Verdict::Ask);
        assert_eq!(judged(json!({"other": "bread"})), Verdict::Ask);
    }

    /// P-11: "always allow" is for this server's tool as it was.
    #[test]
    fn an_allowance_lapses_when_the_tool_changes() {
        let allowance = |fingerprint: &str| Allowance {
            server: "shop".into(),
            tool: "shop_buy".into(),
            fingerprint: fingerprint.into(),
            granted_by: "Ana".into(),
            granted_at: Timestamp(1),
        };
        let asks = call(Claims::default(), vec![], json!({}));
        assert_eq!(judge(&asks, &[allowance("f1")]), Verdict::Allow);
        assert_eq!(judge(&asks, &[allowance("f2")]), Verdict::Ask);
        let denied = call(Claims::default(), vec![rule(ToolAction::Deny, None)], json!({}));
        assert_eq!(judge(&denied, &[allowance("f1")]), Verdict::Block);
    }
}
