//! N-2: the demo model answers in two languages, and says that it is a demo.

use parlor_agent::{AgentEvent, ContentBlock, HistoryMessage, TurnRunner};
use parlor_models::ModelSettings;
use parlor_protocol::Role;

use crate::harness::{agent, next, open, rest, start, text, told, turn};

fn demo() -> Box<dyn TurnRunner> {
    open(&*agent(&ModelSettings { demo_delay_ms: 0, ..ModelSettings::default() }, None))
}

async fn says(message: &str) -> String {
    text(&turn(&mut demo(), [HistoryMessage::user(message)]).await)
}

#[tokio::test]
async fn it_understands_a_handful_of_intents_in_two_languages() {
    let cases = [
        ("Hello!", "Hello! I am Parlor's demo model"),
        ("hi there", "Hello! I am Parlor's demo model"),
        ("Olá", "Olá! Sou o modelo de demonstração"),
        ("oi, tudo bem?", "Olá! Sou o modelo de demonstração"),
        ("Who are you?", "I am the demo model"),
        ("Quem é você?", "Sou o modelo de demonstração"),
        ("What can you do?", "I am only a demo"),
        ("hey, can you help me?", "I am only a demo"),
        ("O que você sabe fazer?", "Sou só uma demonstração"),
        ("preciso de ajuda", "Sou só uma demonstração"),
        ("Thank you so much", "You are welcome!"),
        ("Muito obrigada!", "De nada!"),
        ("Tell me about Parlor", "Parlor is a chat server"),
        ("o que é o Parlor?", "O Parlor é um servidor"),
        ("What did I just say?", "Nothing before this"),
        ("O que eu disse?", "Nada antes disto"),
        ("Count to 5", "1, 2, 3, 4, 5."),
        ("Por favor, conte até 3", "1, 2, 3."),
        ("What is the capital of France?", "I am only the demo model and have no answer"),
        ("Qual é a capital da França?", "Sou só o modelo de demonstração e não tenho"),
        ("", "I am only the demo model and have no answer"),
        ("日本語で話せますか", "I am only the demo model and have no answer"),
    ];
    for (message, beginning) in cases {
        let answer = says(message).await;
        assert!(answer.starts_with(beginning), "{message:?} → {answer:?}");
    }
}

/// It says what it is, and how to configure a real model.
#[tokio::test]
async fn it_is_honest_about_itself() {
    for message in
        ["Who are you?", "Quem é você?", "Solve my homework", "Resolva minha lição", "help"]
    {
        let answer = says(message).await;
        assert!(answer.contains("demo"), "{answer}");
        assert!(answer.contains("key of") || answer.contains("chave de"), "{answer}");
        assert!(!answer.contains("ANTHROPIC"), "a vendor's name is masked: {answer}");
    }
}

/// K-1: it sees the history, as a model does.
#[tokio::test]
async fn it_remembers_the_conversation() {
    let history = [
        HistoryMessage::user("My name is Zoë."),
        HistoryMessage::assistant("Nice to meet you, Zoë!"),
        HistoryMessage::user("I like soup"),
        HistoryMessage::assistant("…"),
    ];
    let mut session = demo();
    for (question, answer) in [
        ("What did I just say?", "You said: \"I like soup\""),
        ("O que eu disse?", "Você disse: \"I like soup\""),
        ("What is my name?", "You told me that your name is Zoë."),
        ("Qual é o meu nome?", "Você me disse que seu nome é Zoë."),
    ] {
        let asked = history.iter().cloned().chain([HistoryMessage::user(question)]);
        assert_eq!(text(&turn(&mut session, asked).await), answer);
    }
    assert!(says("What is my name?").await.contains("have not told me"));
    assert!(says("Meu nome é João!").await.starts_with("Prazer, João!"));
}

#[tokio::test]
async fn it_does_not_pretend_to_see() {
    let picture = ContentBlock::Image { media_type: "image/png".into(), data: "AAAA".into() };
    let blocks = vec![picture, ContentBlock::text("What do you think of it?")];
    let answer = text(&turn(&mut demo(), [HistoryMessage { role: Role::User, blocks }]).await);
    assert!(answer.starts_with("Your picture arrived, but I cannot look at it"), "{answer}");
}

#[tokio::test]
async fn it_counts_as_far_as_it_is_worth_it() {
    assert_eq!(says("count to 0").await, "1.");
    let far = says("count to 99999999999999").await;
    assert!(far.ends_with("999, 1000. That is as far as a demo counts."), "{far}");
}

#[tokio::test]
async fn it_streams_in_small_pieces_and_can_be_stopped() {
    let mut session = demo();
    session.begin(start([HistoryMessage::user("Count to 500")]));
    assert_eq!(next(&mut session).await, AgentEvent::Text("1, ".into()));
    assert_eq!(next(&mut session).await, AgentEvent::Text("2, ".into()));
    session.stop();
    assert_eq!(
        told(&rest(&mut session).await),
        ["block end", r#"message [{"type":"text","text":"1, 2, "}]"#, "ended Stopped"]
    );
}
