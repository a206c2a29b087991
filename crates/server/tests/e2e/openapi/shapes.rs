//! The fields and values of the document are those of the types in the sources, also where no
//! test makes a server send them.

use std::collections::{BTreeMap, BTreeSet};

use parlor_protocol::MessageType;
use serde_json::{Value, json};

use super::Document;

const AGENT_TOOLS: &str = include_str!("../../../../agent/src/tools.rs");
const APPROVERS: &str = include_str!("../../../../protocol/src/approvers.rs");
const BUDGET: &str = include_str!("../../../../protocol/src/budget.rs");
const ERROR: &str = include_str!("../../../../protocol/src/error.rs");
const MESSAGE: &str = include_str!("../../../../protocol/src/message.rs");
const PERSON: &str = include_str!("../../../../protocol/src/person.rs");
const PLAN: &str = include_str!("../../../../protocol/src/plan.rs");
const PROMPT: &str = include_str!("../../../../protocol/src/prompt.rs");
const QUESTION: &str = include_str!("../../../../protocol/src/question.rs");
const REQUEST: &str = include_str!("../../../../protocol/src/request.rs");
const TOOL: &str = include_str!("../../../../protocol/src/tool.rs");
const RECIPE: &str = include_str!("../../../../recipes/src/recipe.rs");
const RECIPE_IMPORT: &str = include_str!("../../../../recipes/src/import/mod.rs");
const AGENT_FLOW: &str = include_str!("../../../../agent/src/flow.rs");
const CHAT_ALLOWANCES: &str = include_str!("../../../../chat/src/allowances.rs");
const FLOW_NOTES: &str = include_str!("../../../../chat/src/flow/notes.rs");
const INFLUENCE: &str = include_str!("../../../../protocol/src/influence.rs");
const ALLOWANCES: &str = include_str!("../../../../storage/src/tables/allowances.rs");
const BLOCKED_INPUTS: &str = include_str!("../../../../storage/src/tables/blocked_inputs.rs");
const BRANCHES: &str = include_str!("../../../../storage/src/queries/branches.rs");
const SHARE_LINKS: &str = include_str!("../../../../storage/src/tables/share_links.rs");
const SHARED_VIEW: &str = include_str!("../../../../storage/src/queries/shared_view.rs");
const HTTP_SHARE_LINKS: &str = include_str!("../../../src/http/share_links.rs");
const HTTP_SHARED: &str = include_str!("../../../src/http/link_page.rs");
const CONVERSATIONS: &str = include_str!("../../../../storage/src/tables/conversations.rs");
const PEOPLE: &str = include_str!("../../../../storage/src/tables/people.rs");
const PROMPTS: &str = include_str!("../../../../storage/src/tables/prompts/mod.rs");
const PROMPT_LIST: &str = include_str!("../../../../storage/src/tables/prompts/list.rs");
const SEARCH: &str = include_str!("../../../../storage/src/queries/search.rs");
const EXCERPT: &str = include_str!("../../../../storage/src/search_text/excerpt.rs");
const VIEW: &str = include_str!("../../../../storage/src/queries/conversation_view.rs");
const ADMIN_ACTS: &str = include_str!("../../../../storage/src/tables/admin_acts.rs");
const DECISION_LIST: &str = include_str!("../../../../storage/src/queries/decision_list.rs");
const PEOPLE_LIST: &str = include_str!("../../../../storage/src/tables/people_list.rs");
const WAITING: &str = include_str!("../../../../storage/src/queries/waiting_prompts.rs");
const HTTP_ADMIN_ACTS: &str = include_str!("../../../src/http/admin/acts.rs");
const HTTP_CONFIGURATION: &str = include_str!("../../../src/http/admin/configuration.rs");
const HTTP_DECISIONS: &str = include_str!("../../../src/http/admin/decisions.rs");
const HTTP_DECISION_EXPORT: &str = include_str!("../../../src/http/admin/export.rs");
const HTTP_KEYS: &str = include_str!("../../../src/http/admin/keys.rs");
const HTTP_SERVERS: &str = include_str!("../../../src/http/admin/servers.rs");
const HTTP_USAGE: &str = include_str!("../../../src/http/admin/usage.rs");
const HTTP_WAITING: &str = include_str!("../../../src/http/admin/prompts.rs");
const CONFIG_EFFECTIVE: &str = include_str!("../../../src/config/effective.rs");
const HTTP_AI_SDK: &str = include_str!("../../../src/http/external/ai_sdk/mod.rs");
const HTTP_APPS: &str = include_str!("../../../src/http/apps.rs");
const HTTP_BLOCKED_INPUTS: &str = include_str!("../../../src/http/blocked_inputs.rs");
const HTTP_CONVERSATIONS: &str = include_str!("../../../src/http/conversations.rs");
const HTTP_EMBED: &str = include_str!("../../../src/http/embed/tokens.rs");
const HTTP_EVENTS: &str = include_str!("../../../src/http/events.rs");
const HTTP_EXPORT: &str = include_str!("../../../src/http/export.rs");
const HTTP_IMPORTS: &str = include_str!("../../../src/http/imports.rs");
const HTTP_MCP_LOGINS: &str = include_str!("../../../src/http/mcp_logins.rs");
const HTTP_PERSON_LOGINS: &str = include_str!("../../../src/http/person_logins.rs");
const CONFIG_COLOUR: &str = include_str!("../../../src/config/colour.rs");
const CONFIG_LOOK: &str = include_str!("../../../src/config/look.rs");
const HTTP_ME: &str = include_str!("../../../src/http/me.rs");
const HTTP_PEOPLE: &str = include_str!("../../../src/http/people.rs");
const HTTP_PROMPTS: &str = include_str!("../../../src/http/prompts.rs");
const HTTP_PUSH: &str = include_str!("../../../src/http/push.rs");
const HTTP_RECIPE_IMPORT: &str = include_str!("../../../src/http/recipe_import/mod.rs");
const HTTP_SEARCH: &str = include_str!("../../../src/http/search.rs");
const HTTP_SESSIONS: &str = include_str!("../../../src/http/sessions.rs");
const HTTP_STATUS: &str = include_str!("../../../src/http/status.rs");
const HTTP_STORED_RESPONSES: &str =
    include_str!("../../../src/http/external/openai/stored_responses.rs");
const HTTP_BUDGETS: &str = include_str!("../../../src/http/budgets.rs");
const HTTP_WS: &str = include_str!("../../../src/http/ws/mod.rs");

/// A struct in a source.
type Struct = (&'static str, &'static str);

/// What the server sends: a schema, and the structs whose fields it has.
const SENT: &[(&str, &[Struct])] = &[
    ("ErrorEnvelope", &[(ERROR, "ErrorEnvelope")]),
    ("ErrorBody", &[(ERROR, "ErrorBody")]),
    ("SpentBudget", &[(BUDGET, "SpentBudget")]),
    ("BudgetUse", &[(BUDGET, "BudgetUse")]),
    ("MyUsage", &[(HTTP_BUDGETS, "MyUsage")]),
    ("UsagePage", &[(HTTP_BUDGETS, "UsagePage")]),
    ("UsageRow", &[(HTTP_BUDGETS, "UsageRow")]),
    ("UsageAmounts", &[(HTTP_BUDGETS, "Amounts")]),
    ("FieldProblem", &[(ERROR, "FieldProblem")]),
    ("Message", &[(MESSAGE, "Message")]),
    ("Plan", &[(PLAN, "Plan")]),
    ("PlanStep", &[(PLAN, "PlanStep")]),
    ("UserPrompt", &[(PROMPT, "UserPrompt")]),
    ("Approvers", &[(APPROVERS, "Approvers")]),
    ("PromptStep", &[(PROMPT, "PromptStep")]),
    ("PromptUpdated", &[(PROMPT, "PromptUpdated")]),
    ("PromptClosed", &[(PROMPT, "PromptClosed")]),
    ("Question", &[(QUESTION, "Question")]),
    ("QuestionOption", &[(QUESTION, "QuestionOption")]),
    ("SubQuestion", &[(QUESTION, "SubQuestion")]),
    ("ToolCall", &[(TOOL, "ToolCall")]),
    ("ToolResult", &[(TOOL, "ToolResult")]),
    ("ToolProgress", &[(TOOL, "ToolProgress")]),
    ("Allowance", &[(CHAT_ALLOWANCES, "ListedAllowance"), (ALLOWANCES, "Allowance")]),
    ("Influence", &[(INFLUENCE, "Influence")]),
    ("Source", &[(INFLUENCE, "Source")]),
    ("BlockedInput", &[(BLOCKED_INPUTS, "BlockedInput")]),
    ("BlockedInputPage", &[(BLOCKED_INPUTS, "BlockedInputPage")]),
    ("Conversation", &[(CONVERSATIONS, "Conversation")]),
    ("SearchPage", &[(SEARCH, "SearchPage")]),
    ("TitleHit", &[(SEARCH, "TitleHit")]),
    ("Hit", &[(SEARCH, "Hit")]),
    ("Excerpt", &[(EXCERPT, "Excerpt")]),
    ("ConversationPage", &[(CONVERSATIONS, "ConversationPage")]),
    ("ConversationView", &[(VIEW, "ConversationView"), (CONVERSATIONS, "Conversation")]),
    ("TurnPlace", &[(BRANCHES, "TurnPlace")]),
    ("PromptView", &[(PROMPTS, "PromptView")]),
    ("PromptPage", &[(PROMPT_LIST, "PromptPage")]),
    ("Recipe", &[(RECIPE, "Recipe"), (RECIPE, "Content")]),
    ("RecipeDraft", &[(RECIPE_IMPORT, "Draft")]),
    ("RecipeSummary", &[(RECIPE, "Summary")]),
    ("Ingredient", &[(RECIPE, "Ingredient")]),
    ("RecipeStep", &[(RECIPE, "Step")]),
    ("ListedShareLink", &[(SHARE_LINKS, "ListedShareLink")]),
    ("MadeShareLink", &[(HTTP_SHARE_LINKS, "MadeLink"), (SHARE_LINKS, "ListedShareLink")]),
    ("SharedView", &[(HTTP_SHARED, "Shown"), (SHARED_VIEW, "SharedView")]),
    ("Me", &[(HTTP_ME, "Me")]),
    ("MyProject", &[(HTTP_ME, "Project")]),
    ("MyPerson", &[(HTTP_ME, "MyPerson")]),
    ("Notifications", &[(HTTP_PUSH, "Notifications")]),
    ("SessionList", &[(HTTP_SESSIONS, "SessionList")]),
    ("ListedSession", &[(HTTP_SESSIONS, "ListedSession")]),
    ("SessionPerson", &[(HTTP_SESSIONS, "SessionPerson")]),
    ("PeopleList", &[(HTTP_PEOPLE, "PeopleList")]),
    ("Person", &[(PEOPLE, "Person")]),
    ("ListedPerson", &[(PEOPLE_LIST, "ListedPerson"), (PEOPLE, "Person")]),
    ("KeyList", &[(HTTP_KEYS, "KeyList")]),
    ("ListedKey", &[(HTTP_KEYS, "ListedKey")]),
    ("KeyPerson", &[(HTTP_KEYS, "KeyPerson")]),
    ("MadeKey", &[(HTTP_KEYS, "MadeKey")]),
    ("WaitingPage", &[(WAITING, "WaitingPage")]),
    ("WaitingPrompt", &[(WAITING, "WaitingPrompt")]),
    ("WaitingContent", &[(WAITING, "WaitingContent")]),
    ("DecisionPage", &[(DECISION_LIST, "DecisionPage")]),
    ("ListedDecision", &[(DECISION_LIST, "ListedDecision")]),
    ("DecisionContent", &[(DECISION_LIST, "DecisionContent")]),
    ("AdminActPage", &[(ADMIN_ACTS, "AdminActPage")]),
    ("AdminAct", &[(ADMIN_ACTS, "AdminAct")]),
    ("Usage", &[(HTTP_USAGE, "Usage")]),
    ("UsagePoint", &[(HTTP_USAGE, "UsagePoint"), (HTTP_USAGE, "UsageFigures")]),
    ("ProjectUsage", &[(HTTP_USAGE, "ProjectUsage"), (HTTP_USAGE, "UsageFigures")]),
    ("UsageFigures", &[(HTTP_USAGE, "UsageFigures")]),
    ("ErrorCount", &[(HTTP_USAGE, "ErrorCount")]),
    ("Configuration", &[(HTTP_CONFIGURATION, "Configuration")]),
    ("EffectiveValue", &[(CONFIG_EFFECTIVE, "EffectiveValue")]),
    ("ServerOutput", &[(HTTP_SERVERS, "ServerOutput")]),
    ("OutputLine", &[(HTTP_SERVERS, "OutputLine")]),
    ("EmbedToken", &[(HTTP_EMBED, "MadeToken")]),
    ("Visit", &[(HTTP_EMBED, "Begun")]),
    ("MadeInvitation", &[(HTTP_PEOPLE, "MadeInvitation")]),
    ("Look", &[(HTTP_ME, "Look")]),
    ("Words", &[(CONFIG_LOOK, "Words")]),
    ("Suggestion", &[(CONFIG_LOOK, "Suggestion")]),
    ("Accent", &[(CONFIG_COLOUR, "Accent")]),
    ("Limits", &[(HTTP_ME, "Limits")]),
    ("Status", &[(HTTP_STATUS, "Status")]),
    ("ProjectStatus", &[(HTTP_STATUS, "ProjectStatus")]),
    ("FlowStatus", &[(HTTP_STATUS, "FlowStatus")]),
    ("FlowNote", &[(FLOW_NOTES, "FlowNote")]),
    ("ToolLabels", &[(HTTP_STATUS, "ToolLabels"), (AGENT_FLOW, "ToolFlow")]),
    ("AgentStatus", &[(HTTP_STATUS, "AgentStatus")]),
    ("ActivityStatus", &[(HTTP_STATUS, "ActivityStatus")]),
    ("PushStatus", &[(HTTP_STATUS, "PushStatus")]),
    ("NodesStatus", &[(HTTP_STATUS, "NodesStatus")]),
    ("NodeStatus", &[(HTTP_STATUS, "NodeStatus")]),
    ("ServerHealth", &[(AGENT_TOOLS, "ServerHealth")]),
    ("AppCallAnswer", &[(HTTP_APPS, "AppCallAnswer")]),
    ("LoginAddress", &[(HTTP_MCP_LOGINS, "LoginAddress")]),
    ("LoggedIn", &[(HTTP_MCP_LOGINS, "LoggedIn")]),
    ("OwnLogins", &[(HTTP_PERSON_LOGINS, "OwnLogins")]),
    ("OwnLogin", &[(HTTP_PERSON_LOGINS, "OwnLogin")]),
    ("PersonLogins", &[(HTTP_PERSON_LOGINS, "PersonLogins")]),
    ("PersonLogin", &[(HTTP_PERSON_LOGINS, "PersonLogin")]),
    ("ClientMetadata", &[(HTTP_MCP_LOGINS, "ClientMetadata")]),
];

/// What the server takes as a body.
const TAKEN: &[(&str, Struct)] = &[
    ("ChatRequest", (REQUEST, "ChatRequest")),
    ("BranchChoice", (REQUEST, "BranchChoice")),
    ("ClientTool", (REQUEST, "ClientTool")),
    ("ImageAttachment", (REQUEST, "ImageAttachment")),
    ("PromptAnswer", (REQUEST, "PromptAnswer")),
    ("RecipeImport", (HTTP_RECIPE_IMPORT, "Import")),
    ("NewConversation", (HTTP_CONVERSATIONS, "New")),
    ("NewShareLink", (HTTP_SHARE_LINKS, "NewLink")),
    ("ConversationChanges", (HTTP_CONVERSATIONS, "Changes")),
    ("NewEmbedToken", (HTTP_EMBED, "NewToken")),
    ("SitePerson", (HTTP_EMBED, "NewPerson")),
    ("NewVisit", (HTTP_EMBED, "Given")),
    ("NewInvitation", (HTTP_PEOPLE, "NewInvitation")),
    ("PersonChanges", (HTTP_PEOPLE, "PersonChanges")),
    ("NewKey", (HTTP_KEYS, "NewKey")),
    ("PasswordChange", (HTTP_PEOPLE, "PasswordChange")),
    ("NewSubscription", (HTTP_PUSH, "NewSubscription")),
];

/// What the server takes in the query.
const QUERIES: &[(&str, Struct)] = &[
    ("POST /api/imports", (HTTP_IMPORTS, "Query")),
    ("GET /api/conversations", (HTTP_CONVERSATIONS, "Query")),
    ("DELETE /api/conversations/{id}", (HTTP_CONVERSATIONS, "Deletion")),
    ("GET /api/search", (HTTP_SEARCH, "Query")),
    ("GET /api/conversations/{id}/events", (HTTP_EVENTS, "Query")),
    ("GET /api/conversations/{id}/export", (HTTP_EXPORT, "Query")),
    ("GET /api/shared/{token}", (HTTP_SHARED, "Again")),
    ("GET /api/shared/{token}/events", (HTTP_SHARED, "After")),
    ("GET /api/prompts", (HTTP_PROMPTS, "Query")),
    ("GET /api/admin/blocked-inputs", (HTTP_BLOCKED_INPUTS, "Query")),
    ("GET /api/audit", (HTTP_BLOCKED_INPUTS, "Query")),
    ("GET /api/admin/prompts", (HTTP_WAITING, "Query")),
    ("GET /api/admin/decisions", (HTTP_DECISIONS, "Query")),
    ("GET /api/admin/decisions/export", (HTTP_DECISION_EXPORT, "Query")),
    ("GET /api/admin/acts", (HTTP_ADMIN_ACTS, "Query")),
    ("GET /api/admin/budgets", (HTTP_BUDGETS, "Query")),
    ("GET /api/admin/usage", (HTTP_USAGE, "Query")),
    ("GET /ws/chat/{tenant}/{project}", (HTTP_WS, "From")),
    ("POST /ai-sdk/{tenant}/{project}", (HTTP_AI_SDK, "VersionParameter")),
    ("GET /ai-sdk/{tenant}/{project}/{id}/stream", (HTTP_AI_SDK, "VersionParameter")),
    ("GET /v1/responses/{id}", (HTTP_STORED_RESPONSES, "Reading")),
];

/// Values that are one of a list.
const VALUES: &[(&str, &str)] = &[
    ("ErrorCode", ERROR),
    ("OwnLoginState", HTTP_PERSON_LOGINS),
    ("BudgetScope", BUDGET),
    ("Measure", BUDGET),
    ("Period", BUDGET),
    ("Problem", ERROR),
    ("Role", MESSAGE),
    ("CallCaveat", PROMPT),
    ("PromptOutcome", PROMPT),
    ("PromptStatus", PROMPT),
    ("PromptType", PROMPT),
    ("Severity", QUESTION),
    ("Mode", REQUEST),
    ("Visibility", PERSON),
    ("LinkAudience", PERSON),
    ("ToolStatus", TOOL),
];

/// A field on the wire.
struct Field {
    name: String,
    /// It is left out if it has no value.
    is_optional: bool,
    /// It may be left out of a request.
    has_default: bool,
}

/// The lines of a declaration, and the attributes before it.
fn declaration<'s>(source: &'s str, start: &str) -> (&'s str, Vec<&'s str>) {
    let is_start = |(at, _): &(usize, &str)| {
        let rest = &source[at + start.len()..];
        let line = source[..*at].rsplit('\n').next().unwrap();
        let is_code = !line.trim_start().starts_with("//");
        is_code && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let found = source.match_indices(start).find(is_start);
    let (at, _) = found.unwrap_or_else(|| panic!("no {start} in the sources"));
    let attributes = source[..at].rsplit("\n}\n").next().unwrap();
    let body = source[at..].lines().skip(1).take_while(|line| *line != "}");
    (attributes, body.map(str::trim).collect())
}

/// The fields of a struct. Those that are flattened have to be named with their own struct.
fn fields((source, name): Struct) -> Vec<Field> {
    let (container, lines) = declaration(source, &format!("struct {name}"));
    let mut fields = Vec::new();
    if container.contains("#[serde(tag = \"type\"") {
        let (is_optional, has_default) = (false, false);
        fields.push(Field { name: "type".to_owned(), is_optional, has_default });
    }
    let mut attributes = String::new();
    for line in lines {
        if line.starts_with("#[serde(") {
            attributes.push_str(line);
        }
        let Some((field, kind)) = line.split_once(": ").filter(|_| !line.starts_with(['/', '#']))
        else {
            continue;
        };
        let field = field.rsplit(' ').next().unwrap();
        let renamed = attributes.split_once("rename = \"").map(|(_, rest)| rest);
        let name = renamed.map_or(field, |rest| rest.split('"').next().unwrap()).to_owned();
        let is_absent = attributes.contains("flatten") || attributes.contains("serde(skip)");
        let is_optional = attributes.contains("skip_serializing_if");
        let has_default = attributes.contains("default") || kind.starts_with("Option<");
        if !is_absent {
            fields.push(Field { name, is_optional, has_default });
        }
        attributes.clear();
    }
    assert!(!fields.is_empty(), "{name} has no fields");
    fields
}

/// The values of an enum in `snake_case`.
fn values(source: &str, name: &str) -> Vec<String> {
    let (_, lines) = declaration(source, &format!("enum {name}"));
    let variants = lines.into_iter().filter_map(|line| line.strip_suffix(','));
    let variants = variants.filter(|line| line.chars().all(char::is_alphanumeric));
    variants.map(snake_case).collect()
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The fields of a schema, and whether each is required.
fn documented(schema: &Value) -> BTreeMap<String, bool> {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = schema["properties"].as_object().unwrap().keys();
    names.map(|name| (name.clone(), required.contains(&json!(name)))).collect()
}

/// I-7: what the server sends has these fields, and those that are always there are required.
#[test]
fn the_fields_of_responses_are_those_of_the_sources() {
    let document = Document::load();
    for (schema, structs) in SENT {
        let fields = structs.iter().flat_map(|one| fields(*one));
        let sent: BTreeMap<String, bool> =
            fields.map(|field| (field.name, !field.is_optional)).collect();
        assert_eq!(documented(document.schema(schema)), sent, "{schema}; right: the source");
    }
}

/// I-7: what the server takes has these fields, and those without a default are required.
#[test]
fn the_fields_of_requests_are_those_of_the_sources() {
    let document = Document::load();
    let mut bodies: Vec<(&Value, Struct)> =
        TAKEN.iter().map(|(schema, one)| (document.schema(schema), *one)).collect();
    for (path, one) in [
        ("/api/prompts/{id}/preview", (HTTP_PROMPTS, "Edited")),
        ("/api/prompts/{id}/extend", (HTTP_PROMPTS, "Extension")),
    ] {
        let body = &document.operation("POST", path)["requestBody"];
        bodies.push((&body["content"]["application/json"]["schema"], one));
    }
    for (schema, one) in bodies {
        let taken: BTreeMap<String, bool> =
            fields(one).into_iter().map(|field| (field.name, !field.has_default)).collect();
        assert_eq!(documented(schema), taken, "{}; right: the source", one.1);
    }
}

/// I-7: the parameters of a query are those that the handler reads.
#[test]
fn the_parameters_of_queries_are_those_of_the_sources() {
    let document = Document::load();
    for operation in document.operations() {
        let route = format!("{} {}", operation.method, operation.path);
        let names = document.parameters(&operation, "query");
        let read = QUERIES.iter().find(|(listed, _)| *listed == route);
        let read = read.map(|(_, one)| fields(*one)).unwrap_or_default();
        let read: BTreeSet<&str> = read.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, read, "{route}");
    }
}

/// I-7: values that are one of a list are these.
#[test]
fn the_values_are_those_of_the_sources() {
    let document = Document::load();
    for (name, source) in VALUES {
        assert_eq!(document.schema(name)["enum"], json!(values(source, name)), "{name}");
    }
    let known = MessageType::KNOWN.map(|known| known.as_str().to_owned());
    assert_eq!(document.schema("MessageType")["anyOf"][0]["enum"], json!(known));
}
