// Generated from crates/protocol; do not edit.
// Write it anew with: PARLOR_UPDATE_GOLDEN=1 cargo test -p parlor-protocol

export type TenantId = string;

export type ProjectId = string;

export type ConversationId = string;

export type TurnId = string;

export type MessageId = string;

export type PromptId = string;

export type CallId = string;

export type EventId = string;

export type ClientMessageId = string;

export type Timestamp = number;

export type MessageType = "text" | "question" | "multi_question" | "info" | "tool_result" | "error" | "thinking" | "plan" | "tool_call" | (string & {});

export type Role = "user" | "assistant" | "tool";

export type Mode = "plan" | "act";

export type QuestionOption = { 
/**
 * What the person reads.
 */
label: string, 
/**
 * What is sent back.
 */
value: string, 
/**
 * A second line.
 */
description?: string, };

export type Severity = "critical" | "major" | "minor";

export type Question = { 
/**
 * What is asked.
 */
question: string, 
/**
 * What can be answered.
 */
options: Array<QuestionOption>, 
/**
 * What one should know to answer.
 */
context?: string, 
/**
 * How serious it is.
 */
severity?: Severity, 
/**
 * The value that is highlighted. It is never chosen automatically.
 */
default?: string, };

export type SubQuestion = { 
/**
 * The key of its answer.
 */
id: string, 
/**
 * What is asked.
 */
question: string, 
/**
 * A word or two that name the question.
 */
header?: string, 
/**
 * What can be answered.
 */
options: Array<QuestionOption>, 
/**
 * Whether several options may be chosen.
 */
multi_select: boolean, 
/**
 * Whether a free text may be given instead.
 */
allow_other: boolean, };

export type PlanStep = { 
/**
 * Its number, as the agent counts.
 */
step_number: number, 
/**
 * What is done.
 */
action: string, 
/**
 * Why it is done; empty in a plan made from markdown.
 */
reason: string, 
/**
 * Tools that this step needs.
 */
tools_needed?: Array<string>, 
/**
 * How long this step takes.
 */
estimated_time?: string, 
/**
 * What can go wrong in this step.
 */
risks?: Array<string>, };

export type Plan = { 
/**
 * What is reached in the end.
 */
goal: string, 
/**
 * The steps, in order; none if the plan's markdown has no list.
 */
steps: Array<PlanStep>, 
/**
 * Tools that the plan as a whole needs.
 */
tools_needed?: Array<string>, 
/**
 * How long it takes, in the agent's words.
 */
estimated_time?: string, 
/**
 * What can go wrong.
 */
risks?: Array<string>, 
/**
 * The plan as the agent wrote it, if it wrote markdown.
 */
markdown?: string, };

export type ToolCall = { 
/**
 * The tool's name.
 */
name: string, 
/**
 * Its arguments, masked where they must be.
 */
input: unknown, 
/**
 * JSON pointers to the parts of `input` that are masked: shown as such,
 * and not to be edited (S-5).
 */
masked?: Array<string>, };

export type ToolProgress = { 
/**
 * How much is done, in whatever the server counts.
 */
done: number, 
/**
 * How much there is to do, where that is known.
 */
total?: number, 
/**
 * What the server is doing, in its own words.
 */
message?: string, };

export type ToolResult = { 
/**
 * The tool's name.
 */
name: string, 
/**
 * The call.
 */
call_id: CallId, 
/**
 * What the tool gave back.
 */
output: unknown, 
/**
 * Whether the tool failed. A failed tool is a result, not an error of the chat (C-2).
 */
is_error: boolean, 
/**
 * Data for the app that shows the result (I-6).
 */
structured?: unknown, };

export type ToolStatus = "waiting" | "running" | "completed" | "error" | "denied";

export type MessageData = Plan | Question | ToolCall | ToolResult | unknown;

export type Message = { 
/**
 * Its id; text that streamed under the same id is replaced by it.
 */
id: MessageId, 
/**
 * Its conversation.
 */
conversation_id: ConversationId, 
/**
 * The turn that it is part of.
 */
turn_id: TurnId, 
/**
 * Who wrote it.
 */
role: Role, 
/**
 * What it is.
 */
message_type: MessageType, 
/**
 * Its text. A client that does not know the type shows this.
 */
content: string, 
/**
 * The structure behind the text, for types that have one.
 */
data?: MessageData, 
/**
 * The options of a question, or of the first of several.
 */
options?: Array<QuestionOption>, 
/**
 * The questions of a `multi_question`, all of them.
 */
questions?: Array<SubQuestion>, 
/**
 * Facts that are safe to show.
 */
metadata: Record<string, unknown>, 
/**
 * When it was written.
 */
created_at: Timestamp, };

export type PromptType = "confirm" | "input" | "select" | "multi_question" | "plan" | "wizard" | "form" | "client_call";

export type PromptStep = { 
/**
 * The key of its answer.
 */
id: string, 
/**
 * A word or two that name the step.
 */
title: string, 
/**
 * How it is answered.
 */
promptType: PromptType, 
/**
 * What is asked.
 */
question: string, 
/**
 * What can be chosen.
 */
options?: Array<QuestionOption>, 
/**
 * The JSON Schema that the answer must fit.
 */
schema?: unknown, };

export type Preview = { "kind": "diff", 
/**
 * Before; absent if it is new.
 */
old?: string, 
/**
 * After; absent if it goes away.
 */
new?: string, } | { "kind": "record", 
/**
 * Before; absent if it is new.
 */
old?: unknown, 
/**
 * After; absent if it goes away.
 */
new?: unknown, } | { "kind": "list", 
/**
 * As many of them as fit.
 */
items: Array<string>, 
/**
 * How many there are.
 */
count: number, };

export type CallCaveat = "not_proven" | "edits_are_refusals";

export type Source = { 
/**
 * The server of the tool.
 */
server: string, 
/**
 * The tool.
 */
tool: string, 
/**
 * What it read: a path, an address, words that were searched for.
 */
what?: string, 
/**
 * When it was read.
 */
at?: Timestamp, 
/**
 * Whether it reads like orders.
 */
suspicious?: boolean, };

export type Found = { "found": "person" } | { "found": "source", 
/**
 * Which of the sources.
 */
source: number, 
/**
 * The text before it.
 */
before: string, 
/**
 * The value as it stands there, or the part of it that does.
 */
text: string, 
/**
 * The text after it.
 */
after: string, } | { "found": "nowhere" };

export type ValueOrigin = { 
/**
 * The value, as a JSON pointer into the arguments.
 */
pointer: string, } & ({ "found": "person" } | { "found": "source", 
/**
 * Which of the sources.
 */
source: number, 
/**
 * The text before it.
 */
before: string, 
/**
 * The value as it stands there, or the part of it that does.
 */
text: string, 
/**
 * The text after it.
 */
after: string, } | { "found": "nowhere" });

export type Influence = { 
/**
 * What was read, the newest first.
 */
sources: Array<Source>, 
/**
 * How many older ones are left out.
 */
more?: number, 
/**
 * Where the values of the call come from.
 */
values: Array<ValueOrigin>, };

export type PersonId = string;

export type RoleName = string;

export type Approvers = { 
/**
 * Whether administrators may.
 */
admin?: boolean, 
/**
 * People with one of these roles may.
 */
roles?: Array<RoleName>, 
/**
 * These people may, by what they log in with.
 */
people?: Array<string>, 
/**
 * Whether it has to be somebody else than who asked. Alone: any other person.
 */
other?: boolean, 
/**
 * The person who asked. None for the shared account: nobody is known to be somebody else then.
 */
asked_by?: PersonId, };

export type UserPrompt = { "type": "userPrompt", 
/**
 * How it is answered.
 */
promptType: PromptType, 
/**
 * The prompt's id.
 */
messageId: PromptId, 
/**
 * Where it is asked.
 */
conversation_id: ConversationId, 
/**
 * What is asked.
 */
question: string, 
/**
 * What can be chosen.
 */
options?: Array<QuestionOption>, 
/**
 * The tool that runs if the answer is yes; of a `client_call`, what the client is to do.
 */
toolCall?: ToolCall, 
/**
 * The call of that tool, as `tool_use` names it.
 */
call_id?: CallId, 
/**
 * Several questions, answered together.
 */
questions?: Array<SubQuestion>, 
/**
 * The steps of a wizard, answered as one (P-8).
 */
steps?: Array<PromptStep>, 
/**
 * The JSON Schema that the answer must fit; of a tool call, its edited arguments.
 */
schema?: unknown, 
/**
 * The plan that is decided on.
 */
plan?: Plan, 
/**
 * What changes if the answer is yes (P-7).
 */
preview?: Preview, 
/**
 * How serious it is.
 */
severity?: Severity, 
/**
 * What one should know to answer.
 */
context?: string, 
/**
 * The answer that is highlighted. It is never chosen automatically (P-4).
 */
default?: string, 
/**
 * When it expires; absent if it waits without a limit.
 */
expires_at?: Timestamp, 
/**
 * Whether it expires if the agent's process or the server ends, because the answer
 * could not be carried out (P-9).
 */
ends_with_agent?: boolean, 
/**
 * What one has to know about the approval of a call.
 */
caveats?: Array<CallCaveat>, 
/**
 * What others wrote that may be behind the call (F-2).
 */
influence?: Influence, 
/**
 * Whose answers count, if not those of everybody who takes part in the conversation (Y-2).
 */
approvers?: Approvers, };

export type PromptUpdated = { 
/**
 * The prompt.
 */
messageId: PromptId, 
/**
 * When it expires now; `null` if it waits without a limit.
 */
expires_at: Timestamp | null, };

export type PromptOutcome = "answered" | "refused" | "expired" | "cancelled";

export type PromptClosed = { 
/**
 * The prompt.
 */
messageId: PromptId, 
/**
 * How it ended.
 */
outcome: PromptOutcome, 
/**
 * What was answered.
 */
response?: unknown, 
/**
 * Why not, in the person's words.
 */
reason?: string, 
/**
 * The call as the person allowed it, if that is not the call that was proposed.
 */
toolCall?: ToolCall, 
/**
 * What the call changes as it was allowed, if that is not what was proposed.
 */
preview?: Preview, 
/**
 * Who answered.
 */
answered_by?: string, 
/**
 * When.
 */
at: Timestamp, };

export type Remember = "conversation";

export type PromptAnswer = { 
/**
 * `yes`/`no`, a value, a text, `execute`/`refine`, or an object by question.
 */
response: unknown, 
/**
 * A refusal; `response` is ignored.
 */
cancelled?: boolean, 
/**
 * The tool's arguments, edited.
 */
input?: unknown, 
/**
 * Why, for the agent to read.
 */
reason?: string, 
/**
 * How long a yes holds.
 */
remember?: Remember, };

export type ImageAttachment = { 
/**
 * Base64, without the prefix of a data URL.
 */
data: string, 
/**
 * What the client says it is; the bytes decide (H-4).
 */
media_type: string, };

export type FileAttachment = { 
/**
 * What the person calls it.
 */
name: string, 
/**
 * Base64, without the prefix of a data URL.
 */
data: string, 
/**
 * What the client says it is; the bytes decide.
 */
media_type?: string, };

export type FileReference = { 
/**
 * The id under which it can be fetched.
 */
id: string, 
/**
 * What the person calls it.
 */
name: string, 
/**
 * Its media type, by its bytes.
 */
media_type: string, 
/**
 * How many bytes it has.
 */
size: number, 
/**
 * How many pages, for a PDF.
 */
pages?: number, 
/**
 * The guardrail's rule that its text matched: for the model others wrote it.
 */
suspicious?: string, 
/**
 * No text was found in it: it is a scan.
 */
no_text?: boolean, };

export type ClientTool = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it does, for the model.
 */
description: string, 
/**
 * The JSON Schema of its arguments.
 */
input_schema: unknown, };

export type ChatRequest = { 
/**
 * What the person wrote; may be empty beside an image.
 */
message: string, 
/**
 * The conversation that it belongs to; without one a new one begins.
 */
conversation_id?: ConversationId, 
/**
 * A picture to look at. For an edit `null` leaves out the picture that the message had.
 */
image?: ImageAttachment | null, 
/**
 * Files to look at: pictures, PDF and text. For an edit or a retry, a list says that those of
 * the message are left out; without one they are kept.
 */
files?: Array<FileAttachment>, 
/**
 * The tenant; a session's or key's own by default.
 */
tenant?: TenantId, 
/**
 * The project; the tenant's first by default.
 */
project?: ProjectId, 
/**
 * Whether to plan or to act; the conversation's own by default.
 */
mode?: Mode, 
/**
 * The client's own id: the same id twice starts one turn (H-5).
 */
client_message_id?: ClientMessageId, 
/**
 * Tries a message of this conversation again: a person's, or any of the turn
 * that it began. What is left out, text or picture, is that message's own.
 * The new message has `retry_of` in its metadata; the model sees the last try
 * only, and earlier ones in which tools were called.
 */
retry_of?: MessageId, 
/**
 * Puts this message in the place of one that a person wrote: a branch begins there, and the
 * old one stays. Its picture is kept unless `image` says otherwise.
 */
edit_of?: MessageId, 
/**
 * Asks for another answer, as a branch: a message of a person, or any of the turn that it
 * began. The message is the same again, so none comes with it.
 */
regenerate?: MessageId, 
/**
 * Goes on without what was read (F-1): from this message on the model gets of what was
 * before only the person's own messages, and results of the people's own systems.
 */
clear_context?: boolean, 
/**
 * Tools that the client has. A call of one waits as a prompt of type `client_call`, which the
 * client answers with the result.
 */
client_tools?: Array<ClientTool>, };

export type BranchChoice = { 
/**
 * A turn of the branch.
 */
turn_id?: TurnId, 
/**
 * A message of the branch.
 */
message_id?: MessageId, };

export type ErrorCode = "input_blocked" | "input_empty" | "input_too_long" | "input_malformed" | "malformed" | "bad_image" | "bad_file" | "file_type" | "unauthorized" | "forbidden" | "not_approver" | "not_found" | "turn_running" | "prompt_open" | "prompt_closed" | "answer_invalid" | "title_taken" | "changed" | "too_large" | "rate_limited" | "budget_exceeded" | "agent_failed" | "unavailable" | "internal";

export type Problem = "missing" | "too_short" | "too_long" | "too_small" | "too_large" | "too_few" | "too_many" | "pattern" | "wrong_type" | "not_a_choice" | "unknown" | "masked" | "other";

export type FieldProblem = { 
/**
 * A JSON pointer to the field; empty if it is about all of it.
 */
pointer: string, 
/**
 * What is wrong.
 */
problem: Problem, 
/**
 * The limit that is exceeded, where there is one.
 */
limit?: number, };

export type BudgetScope = "person" | "project" | "tenant";

export type Measure = "messages" | "tokens" | "cost_usd" | "agent_minutes";

export type Period = "day" | "month";

export type SpentBudget = { 
/**
 * Whose it is.
 */
scope: BudgetScope, 
/**
 * What is counted.
 */
measure: Measure, 
/**
 * How long it lasts.
 */
period: Period, 
/**
 * When the next one begins.
 */
ends_at: Timestamp, };

export type BudgetUse = { 
/**
 * Whose it is.
 */
scope: BudgetScope, 
/**
 * The project, if it is that of one.
 */
project?: ProjectId, 
/**
 * What is counted.
 */
measure: Measure, 
/**
 * How long it lasts.
 */
period: Period, 
/**
 * How much of it is used, from 0 to 100; 100 only if nothing is left.
 */
percent: number, 
/**
 * How much is used. Of a budget that others use too people see the share alone.
 */
used?: number, 
/**
 * How much there is.
 */
limit?: number, 
/**
 * When the next one begins.
 */
ends_at: Timestamp, };

export type ErrorBody = { 
/**
 * For programs; it does not change.
 */
code: ErrorCode, 
/**
 * For people.
 */
message: string, 
/**
 * In how many seconds to try again.
 */
retry_after?: number, 
/**
 * The prompt that has to be answered first.
 */
prompt_id?: PromptId, 
/**
 * What is wrong with the fields of an answer, where it is about fields.
 */
problems?: Array<FieldProblem>, 
/**
 * The budget that is used up.
 */
budget?: SpentBudget, };

export type ErrorEnvelope = { 
/**
 * What went wrong.
 */
error: ErrorBody, };

export type Verdict = "allow" | "ask" | "block";

export type DoneReason = "complete" | "stopped" | "error" | "interrupted";

export type Branch = { 
/**
 * The turn that it follows; absent if it is the first of its path.
 */
parent?: TurnId, };

export type EventBody = { "event": "start", "data": { 
/**
 * Where.
 */
conversation_id: ConversationId, 
/**
 * The turn that begins.
 */
turn_id: TurnId, 
/**
 * The person's message; absent in an agent-initiated turn.
 */
message_id?: MessageId, 
/**
 * The MCP server whose app makes the only call of this turn.
 */
app?: string, 
/**
 * Set if the turn does not follow the turn before it in the log.
 */
branch?: Branch, } } | { "event": "branch_chosen", "data": { 
/**
 * Where.
 */
conversation_id: ConversationId, 
/**
 * The last turn of the path.
 */
turn_id: TurnId, } } | { "event": "queued", "data": { 
/**
 * The turn.
 */
turn_id: TurnId, } } | { "event": "chunk", "data": { 
/**
 * The next piece.
 */
text: string, 
/**
 * The message that it will be part of.
 */
message_id: MessageId, } } | { "event": "snapshot", "data": { 
/**
 * All of it.
 */
text: string, 
/**
 * The message that it will be part of.
 */
message_id: MessageId, } } | { "event": "thinking", "data": { 
/**
 * The next piece.
 */
text: string, 
/**
 * The message that it will be part of.
 */
message_id: MessageId, } } | { "event": "tool_use", "data": { 
/**
 * The tool's name.
 */
tool: string, 
/**
 * The call.
 */
call_id: CallId, 
/**
 * Its status.
 */
status: ToolStatus, 
/**
 * Its arguments, when it begins to run.
 */
input?: unknown, 
/**
 * What its server says about it while it runs. Such an event is live only:
 * it has no id, and is not repeated.
 */
progress?: ToolProgress, } } | { "event": "artifact", "data": { 
/**
 * What kind of thing; `recipe` is written as `recipe_artifact` for clients.
 */
kind: string, 
/**
 * Which one.
 */
id: string, } } | { "event": "message", "data": Message } | { "event": "userPrompt", "data": UserPrompt } | { "event": "userPromptUpdated", "data": PromptUpdated } | { "event": "userPromptClosed", "data": PromptClosed } | { "event": "error", "data": { 
/**
 * What happened, as a sentence that a person can act on.
 */
message: string, 
/**
 * The same for programs.
 */
code: ErrorCode, 
/**
 * Whether trying again can help.
 */
recoverable: boolean, } } | { "event": "done", "data": { 
/**
 * Where.
 */
conversation_id: ConversationId, 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Tokens in and out, where the agent reports them.
 */
tokens_used: number | null, 
/**
 * Why it ended.
 */
reason: DoneReason, } };
