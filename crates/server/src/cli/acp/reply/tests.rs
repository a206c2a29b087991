//! Questions as text: what is an answer, and above all what is not.

use super::*;

fn prompt(golden: &str) -> UserPrompt {
    serde_json::from_str(golden).unwrap()
}

fn recorded(recording: &str) -> UserPrompt {
    let lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut events = lines.filter(|line| line["event"] == "userPrompt");
    serde_json::from_value(events.next().unwrap()["data"].take()).unwrap()
}

const CONFIRM: &str = include_str!("../../../../../protocol/tests/golden/prompt_confirm.json");
const SELECT: &str = include_str!("../../../../../protocol/tests/golden/prompt_select.json");
const INPUT: &str = include_str!("../../../../../protocol/tests/golden/prompt_input.json");
const PLAN: &str = include_str!("../../../../../protocol/tests/golden/prompt_plan.json");
const WIZARD: &str = include_str!("../../../../../../web/tests/recordings/wizard.jsonl");
const QUESTIONS: &str = include_str!("../../../../../../web/tests/recordings/multi_question.jsonl");
const FORM: &str = include_str!("../../../../../../web/tests/recordings/form.jsonl");

fn answered(prompt: &UserPrompt, message: &str) -> Value {
    match read(prompt, message, true) {
        Reply::Answer(answer) => serde_json::to_value(answer).unwrap(),
        other => panic!("{message}: {other:?}"),
    }
}

/// P-1: an option is chosen by its number, its name or its value.
#[test]
fn an_answer_is_recognised() {
    let select = prompt(SELECT);
    for message in ["2", " React \n", "react", "REACT"] {
        assert_eq!(answered(&select, message), json!({"response": "react"}), "{message}");
    }
    assert_eq!(answered(&prompt(CONFIRM), "Yes"), json!({"response": "yes"}));
    assert_eq!(answered(&prompt(INPUT), " a b "), json!({"response": "a b"}));
    let execute = answered(&prompt(PLAN), "Execute");
    assert_eq!(execute, json!({"response": "execute"}));
    let refine = json!({"response": "refine", "reason": "execute it without onions"});
    assert_eq!(answered(&prompt(PLAN), "execute it without onions"), refine);
    let lines = "Bread\n2\nno";
    let expected = json!({"response": {"title": "Bread", "kind": "main", "public": "no"}});
    assert_eq!(answered(&recorded(WIZARD), lines), expected);
    let expected = json!({"response": {"q1": "DuckDB", "q2": ["vegetarian", "vegan"]}});
    assert_eq!(answered(&recorded(QUESTIONS), "DuckDB\nVegetarian, 2"), expected);
    let expected = json!({"response": {"name": "Ana", "floor": 3, "ring": true}});
    assert_eq!(answered(&recorded(FORM), "name: Ana\nfloor: 3\nring: yes"), expected);
    assert_eq!(answered(&recorded(FORM), r#"{"name": "Ana", "floor": 3, "ring": true}"#), expected);
}

/// B-4: a blank or unrecognised text is never consent: the question stays open while a turn
/// waits for it, and otherwise the text is a message.
#[test]
fn anything_else_is_not_an_answer() {
    let wizard = recorded(WIZARD);
    let form = recorded(FORM);
    for (prompt, message) in [
        (prompt(CONFIRM), ""),
        (prompt(CONFIRM), "ok"),
        (prompt(CONFIRM), "yes please"),
        (prompt(CONFIRM), "y"),
        (prompt(SELECT), "  \n"),
        (prompt(SELECT), "0"),
        (prompt(SELECT), "3"),
        (prompt(SELECT), "Vue or React"),
        (prompt(INPUT), " \t"),
        (prompt(PLAN), ""),
        (wizard.clone(), "Bread"),
        (wizard.clone(), "Bread\nsoup\nyes"),
        (wizard, "Bread\nmain\nmaybe"),
        (form.clone(), "Ana"),
        (form.clone(), "size: 3"),
        (form, "floor: high"),
    ] {
        let waiting = read(&prompt, message, true);
        assert!(matches!(waiting, Reply::Unclear(_)), "{message:?}: {waiting:?}");
        assert_eq!(read(&prompt, message, false), Reply::Message, "{message:?}");
    }
    assert_eq!(read(&prompt(PLAN), "looks good", false), Reply::Message);
    for golden in [CONFIRM, SELECT, INPUT, PLAN] {
        let Reply::Answer(refused) = read(&prompt(golden), "/cancel", true) else { panic!() };
        assert!(refused.cancelled);
    }
}

/// Two options of one name cannot be told apart by it.
#[test]
fn an_ambiguous_name_is_not_an_answer() {
    let mut select = prompt(SELECT);
    select.options.as_mut().unwrap()[0].label = "React".into();
    assert!(matches!(read(&select, "React", true), Reply::Unclear(_)));
    assert_eq!(answered(&select, "1"), json!({"response": "vue"}));
    // The first is called by the number of the second.
    select.options.as_mut().unwrap()[0].label = "2".into();
    assert!(matches!(read(&select, "2", true), Reply::Unclear(_)));
}

/// The text says what can be answered, and how.
#[test]
fn a_question_says_how_it_is_answered() {
    let page = Some("http://parlor.test/c/1");
    assert_eq!(
        ask(&prompt(SELECT), page),
        "For the new page.\n\n1. Vue\n2. React\n\nReply with the number or the name of an option. \
         `/cancel` refuses to answer. You can also answer at http://parlor.test/c/1"
    );
    let form = ask(&recorded(FORM), None);
    assert!(form.starts_with("- `name`: Full name (string, required)\n"), "{form}");
    assert!(form.contains("- `time`: When (morning, evening, optional)\n"), "{form}");
}
