//! Each kind of prompt as a form, and back.

use super::*;

fn prompt(golden: &str) -> UserPrompt {
    serde_json::from_str(golden).unwrap()
}

fn recorded(recording: &str) -> UserPrompt {
    let lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut events = lines.filter(|line| line["event"] == "userPrompt");
    serde_json::from_value(events.next().unwrap()["data"].take()).unwrap()
}

fn form_of(prompt: &UserPrompt) -> Value {
    let request = request(&SessionId::new("s"), prompt).unwrap();
    // It is read back by the types of the protocol.
    let json = serde_json::to_value(request).unwrap();
    CreateElicitationRequest::deserialize(&json).unwrap();
    assert_eq!((&json["mode"], &json["sessionId"]), (&json!("form"), &json!("s")));
    json
}

fn answered(prompt: &UserPrompt, content: Value) -> Value {
    match outcome(prompt, &json!({"action": "accept", "content": content})) {
        Outcome::Answer(answer) => serde_json::to_value(answer).unwrap(),
        other => panic!("{other:?}"),
    }
}

const SELECT: &str = include_str!("../../../../../protocol/tests/golden/prompt_select.json");
const INPUT: &str = include_str!("../../../../../protocol/tests/golden/prompt_input.json");
const PLAN: &str = include_str!("../../../../../protocol/tests/golden/prompt_plan.json");
const WIZARD: &str = include_str!("../../../../../../web/tests/recordings/wizard.jsonl");
const QUESTIONS: &str = include_str!("../../../../../../web/tests/recordings/multi_question.jsonl");
const FORM: &str = include_str!("../../../../../../web/tests/recordings/form.jsonl");

/// P-1: a choice is shown by its labels and answered by its value.
#[test]
fn a_choice_and_a_text() {
    let select = prompt(SELECT);
    let form = form_of(&select);
    assert_eq!(form["message"], "Which framework?\n\nFor the new page.");
    let field = &form["requestedSchema"]["properties"]["answer"];
    assert_eq!(field["oneOf"][1], json!({"const": "react", "title": "React"}));
    assert_eq!(answered(&select, json!({"answer": "vue"})), json!({"response": "vue"}));
    let input = prompt(INPUT);
    assert_eq!(form_of(&input)["requestedSchema"]["required"], json!(["answer"]));
    assert_eq!(answered(&input, json!({"answer": "Card"})), json!({"response": "Card"}));
}

/// T-3: a plan is carried out only if that was chosen.
#[test]
fn a_plan() {
    let plan = prompt(PLAN);
    let form = form_of(&plan);
    assert_eq!(form["requestedSchema"]["required"], json!(["decision"]));
    let execute = json!({"decision": "execute", "changes": " "});
    assert_eq!(answered(&plan, execute), json!({"response": "execute"}));
    let refine = json!({"decision": "refine", "changes": "no onions"});
    let expected = json!({"response": "refine", "reason": "no onions"});
    assert_eq!(answered(&plan, refine), expected);
}

/// P-8, C-4: several questions are one form; a text beside the options counts.
#[test]
fn several_questions() {
    let questions = recorded(QUESTIONS);
    let fields = form_of(&questions)["requestedSchema"]["properties"].clone();
    assert_eq!(fields["q1"]["type"], "string");
    assert_eq!(fields["q2"]["items"]["anyOf"][0]["const"], "vegetarian");
    let content = json!({"q1": "SQLite", "q1_other": "", "q2": ["vegan"], "q2_other": "no fish"});
    let expected = json!({"response": {"q1": "SQLite", "q2": ["vegan", "no fish"]}});
    assert_eq!(answered(&questions, content), expected);
    let other = json!({"q1": "SQLite", "q1_other": "DuckDB"});
    assert_eq!(answered(&questions, other), json!({"response": {"q1": "DuckDB"}}));
    let wizard = recorded(WIZARD);
    let fields = form_of(&wizard)["requestedSchema"]["properties"].clone();
    assert_eq!(fields["public"]["oneOf"][0], json!({"const": "yes", "title": "Yes"}));
    let content = json!({"title": "Bread", "kind": "main", "public": "no"});
    assert_eq!(answered(&wizard, content.clone()), json!({"response": content}));
}

/// M-3: the schema of a tool server's form is passed on; one that no form can hold is not.
#[test]
fn a_form_of_a_tool_server() {
    let form = recorded(FORM);
    let fields = form_of(&form)["requestedSchema"]["properties"].clone();
    assert_eq!(
        (&fields["floor"]["type"], &fields["floor"]["maximum"]),
        (&json!("integer"), &json!(50))
    );
    let content = json!({"name": "Ana", "city": "Porto", "ring": true, "time": null});
    let expected = json!({"response": {"name": "Ana", "city": "Porto", "ring": true}});
    assert_eq!(answered(&form, content), expected);
    let nested = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    let nested = UserPrompt { schema: Some(nested), ..form };
    assert!(request(&SessionId::new("s"), &nested).is_none());
}

/// B-4: without an answer there is none.
#[test]
fn a_form_without_an_answer_is_no_answer() {
    for golden in [SELECT, INPUT, PLAN] {
        let prompt = prompt(golden);
        for response in [
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"answer": "", "decision": null}}),
            json!({"action": "_maybe"}),
            json!({}),
        ] {
            let outcome = outcome(&prompt, &response);
            assert!(matches!(outcome, Outcome::Unanswered(_)), "{response}: {outcome:?}");
        }
        assert_eq!(outcome(&prompt, &json!({"action": "cancel"})), Outcome::Dismissed);
        let Outcome::Answer(declined) = outcome(&prompt, &json!({"action": "decline"})) else {
            panic!("a refusal is an answer")
        };
        assert!(declined.cancelled);
    }
}
