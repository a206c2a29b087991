//! The TypeScript types of the web client are generated from this crate. If they differ, this test
//! fails and says how to generate them again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use std::path::Path;

use parlor_protocol::prompt::{PromptStep, PromptUpdated};
use parlor_protocol::request::Remember;
use parlor_protocol::*;
use ts_rs::{Config, TS};

const HEADER: &str = "\
// Generated from crates/protocol; do not edit.
// Write it anew with: PARLOR_UPDATE_GOLDEN=1 cargo test -p parlor-protocol
";

/// STYLE: drift of generated types is a failing test, not a step to remember.
#[test]
fn the_generated_types_are_up_to_date() {
    let config = Config::default();
    let mut file = HEADER.to_owned();
    let mut declare = |declaration: String| {
        file.push_str("\nexport ");
        file.push_str(&declaration);
        file.push('\n');
    };
    macro_rules! declare_all {
        ($($type:ty),* $(,)?) => { $(declare(<$type>::decl(&config));)* };
    }
    declare_all![
        TenantId, ProjectId, ConversationId, TurnId, MessageId, PromptId, CallId, EventId,
        ClientMessageId, Timestamp, MessageType, Role, Mode, QuestionOption, Severity, Question,
        SubQuestion, PlanStep, Plan, ToolCall, ToolProgress, ToolResult, ToolStatus, MessageData,
        Message, PromptType, PromptStep, Preview, CallCaveat, Source, Found, ValueOrigin,
        Influence, PersonId, RoleName, Approvers, UserPrompt, PromptUpdated, PromptOutcome,
        PromptClosed, Remember, PromptAnswer, ImageAttachment, FileAttachment, FileReference,
        ClientTool, ChatRequest, BranchChoice, ErrorCode, Problem, FieldProblem, BudgetScope,
        Measure, Period, SpentBudget, BudgetUse, ErrorBody, ErrorEnvelope, Verdict, DoneReason,
        Branch, EventBody,
    ];
    // The tag on the wire is `userPrompt`, and the generator names the type after it.
    let file = file
        .replace("type userPrompt =", "type UserPrompt =")
        .replace("\"data\": userPrompt }", "\"data\": UserPrompt }");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/protocol/generated.ts");
    support::assert_file(&path, &file);
}
