//! Which calls need approval. Pure.
//!
//! A call is judged by, in this order: what the configuration says about the tool and its
//! arguments; the annotations of the tool, if its server is trusted with them (M-1); the
//! allowances of the conversation (P-11), unless somebody else has to answer each time. In doubt a person is asked. Where that is a yes, and the
//! call could do harm, what was read before may turn it into a question (F-2).

use parlor_agent::ProposedCall;
use parlor_agent::tools::{Tool, ToolAction};
use parlor_protocol::Verdict;
use parlor_storage::Allowance;

use crate::allowances::covers;
use crate::flow::{FlowContext, FlowPolicy};

/// What is decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// Whether it may be made.
    pub(crate) verdict: Verdict,
    /// Whether it would be stricter if the project did more than watch (F-2).
    pub(crate) is_noted: bool,
}

/// Whether a call may be made, by what its context holds too. What was read only ever makes it
/// stricter.
pub(crate) fn judge(
    call: &ProposedCall,
    allowances: &[Allowance],
    flow: &FlowContext,
) -> Judgement {
    let before = judge_call(call, allowances);
    let stricter = if flow.concerns(call) { in_tainted_context(call, before) } else { before };
    match flow.policy {
        FlowPolicy::Off => Judgement { verdict: before, is_noted: false },
        FlowPolicy::Watch => Judgement { verdict: before, is_noted: stricter != before },
        FlowPolicy::Ask => Judgement { verdict: stricter, is_noted: false },
    }
}

/// A sink, once words of others were read: neither a configured yes nor an allowance is enough.
fn in_tainted_context(call: &ProposedCall, before: Verdict) -> Verdict {
    let tainted = call.tool.as_ref().map_or(ToolAction::Ask, |tool| tool.flow.tainted);
    match (before, tainted) {
        (Verdict::Block, _) | (_, ToolAction::Deny) => Verdict::Block,
        (Verdict::Ask, _) | (_, ToolAction::Ask) => Verdict::Ask,
        (Verdict::Allow, ToolAction::Allow) => Verdict::Allow,
    }
}

/// Whether a call may be made, whatever was read.
fn judge_call(call: &ProposedCall, allowances: &[Allowance]) -> Verdict {
    // Nothing is known about the tool, so a person is asked.
    let Some(tool) = &call.tool else { return Verdict::Ask };
    match tool.configured(&call.input) {
        Some(ToolAction::Allow) => return Verdict::Allow,
        Some(ToolAction::Deny) => return Verdict::Block,
        Some(ToolAction::Ask) => {}
        None if claims_to_be_harmless(tool) => return Verdict::Allow,
        None => {}
    }
    // What one person remembered is no answer of somebody else.
    let needs_other = tool.approvers.as_ref().is_some_and(|approvers| approvers.other);
    if !needs_other && allowances.iter().any(|allowance| covers(allowance, tool)) {
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

    use parlor_agent::flow::{Label, ToolFlow};
    use parlor_agent::tools::{Claims, ToolRule, ToolSpec};
    use parlor_protocol::Timestamp;
    use proptest::prelude::{Just, Strategy, any};
    use proptest::{prop_assert, prop_assert_eq, prop_assert_ne, prop_oneof, proptest};
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
            approvers: None,
            preview: None,
            suspicion: None,
            is_changed: false,
            app: Default::default(),
            flow: Default::default(),
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

    fn allowance(fingerprint: &str) -> Allowance {
        Allowance {
            server: "shop".into(),
            tool: "shop_buy".into(),
            fingerprint: fingerprint.into(),
            granted_by: "Ana".into(),
            granted_at: Timestamp(1),
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
        let judged = |claims, rules| judge_call(&call(claims, rules, json!({})), &[]);
        assert_eq!(judged(none, vec![]), Verdict::Ask);
        assert_eq!(judged(reads, vec![]), Verdict::Allow);
        assert_eq!(judged(harmless, vec![]), Verdict::Allow);
        assert_eq!(judged(reads, vec![rule(ToolAction::Ask, None)]), Verdict::Ask);
        assert_eq!(judged(reads, vec![rule(ToolAction::Deny, None)]), Verdict::Block);
        assert_eq!(judged(none, vec![rule(ToolAction::Allow, None)]), Verdict::Allow);
        let mut suspicious = call(reads, vec![], json!({}));
        suspicious.tool.as_mut().unwrap().suspicion = Some("override.ignore".to_owned());
        assert_eq!(judge_call(&suspicious, &[]), Verdict::Ask, "G-8");
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
        let judged = |what: Value| judge_call(&call(Claims::default(), rules(), what), &[]);
        assert_eq!(judged(json!({"what": "a Gun"})), Verdict::Block);
        assert_eq!(judged(json!({"what": "bread"})), Verdict::Allow);
        assert_eq!(judged(json!({"what": "breads"})), Verdict::Ask);
        assert_eq!(judged(json!({"other": "bread"})), Verdict::Ask);
    }

    /// P-11: "always allow" is for this server's tool as it was.
    #[test]
    fn an_allowance_lapses_when_the_tool_changes() {
        let asks = call(Claims::default(), vec![], json!({}));
        assert_eq!(judge_call(&asks, &[allowance("f1")]), Verdict::Allow);
        assert_eq!(judge_call(&asks, &[allowance("f2")]), Verdict::Ask);
        let denied = call(Claims::default(), vec![rule(ToolAction::Deny, None)], json!({}));
        assert_eq!(judge_call(&denied, &[allowance("f1")]), Verdict::Block);
    }

    fn flow(sink: bool, tainted: ToolAction) -> ToolFlow {
        ToolFlow { sink: Label::unknown(sink), tainted, ..ToolFlow::default() }
    }

    /// F-2: neither annotations nor the configuration nor an allowance is enough for a sink once
    /// words of others were read; a project that watches only notes it.
    #[test]
    fn a_sink_is_asked_about_once_words_of_others_were_read() {
        let allow = || vec![rule(ToolAction::Allow, None)];
        let judged = |sink, action, policy, is_tainted| {
            let mut call = call(Claims::default(), allow(), json!({}));
            call.tool.as_mut().unwrap().flow = flow(sink, action);
            let judged = judge(&call, &[], &FlowContext::told(policy, is_tainted));
            (judged.verdict, judged.is_noted)
        };
        use FlowPolicy::{Ask, Off, Watch};
        use Verdict::{Allow, Block};
        assert_eq!(judged(true, ToolAction::Ask, Ask, true), (Verdict::Ask, false));
        assert_eq!(judged(true, ToolAction::Ask, Ask, false), (Allow, false));
        assert_eq!(judged(false, ToolAction::Ask, Ask, true), (Allow, false));
        assert_eq!(judged(true, ToolAction::Deny, Ask, true), (Block, false));
        assert_eq!(judged(true, ToolAction::Deny, Ask, false), (Allow, false));
        assert_eq!(judged(true, ToolAction::Allow, Ask, true), (Allow, false));
        assert_eq!(judged(true, ToolAction::Ask, Watch, true), (Allow, true));
        assert_eq!(judged(true, ToolAction::Ask, Off, true), (Allow, false));
    }

    fn action() -> impl Strategy<Value = ToolAction> {
        prop_oneof![Just(ToolAction::Allow), Just(ToolAction::Ask), Just(ToolAction::Deny)]
    }

    proptest! {
        /// F-2: what was read never allows what would not be allowed without it.
        #[test]
        fn what_was_read_only_makes_it_stricter(
            (read_only, not_destructive) in (any::<bool>(), any::<bool>()),
            configured in proptest::option::of(action()),
            (sink, when_tainted) in (any::<bool>(), action()),
            (allowed, is_known, is_tainted) in (any::<bool>(), any::<bool>(), any::<bool>()),
        ) {
            let rules = configured.map(|action| rule(action, None)).into_iter().collect();
            let mut call = call(Claims { read_only, not_destructive }, rules, json!({}));
            call.tool.as_mut().unwrap().flow = flow(sink, when_tainted);
            let allowances: Vec<Allowance> = allowed.then(|| allowance("f1")).into_iter().collect();
            if !is_known {
                call.tool = None;
            }
            let strictness = |verdict| match verdict {
                Verdict::Allow => 0,
                Verdict::Ask => 1,
                Verdict::Block => 2,
            };
            let without = judge_call(&call, &allowances);
            let with = |policy| judge(&call, &allowances, &FlowContext::told(policy, is_tainted)).verdict;
            prop_assert!(strictness(with(FlowPolicy::Ask)) >= strictness(without));
            prop_assert_eq!(with(FlowPolicy::Watch), without);
            prop_assert_eq!(with(FlowPolicy::Off), without);
            if is_tainted && sink && is_known && when_tainted != ToolAction::Allow {
                prop_assert_ne!(with(FlowPolicy::Ask), Verdict::Allow);
            }
        }
    }
}
