//! What the demo model says. Each text is honest about who speaks.
//!
//! None names a vendor or its settings: that would be masked on the way to the
//! reader. The server says at its start which key to set.

use super::conversation::Conversation;
use super::language::{Language, words};

pub(super) const HELLO_EN: &str = "Hello! I am Parlor's demo model: no language model, just a few \
    prepared answers, so that you can try the chat. Ask me \"What can you do?\"";
pub(super) const HELLO_PT: &str = "Olá! Sou o modelo de demonstração do Parlor: não sou um modelo \
    de linguagem, só tenho algumas respostas prontas para você experimentar o chat. Pergunte: \
    \"O que você sabe fazer?\"";

pub(super) const WHO_EN: &str = "I am the demo model that comes with Parlor. I am a small table \
    of phrases and answers, not a language model. To talk to a real one, whoever runs this server \
    gives it the key of a model and starts it again; the server says how when it starts.";
pub(super) const WHO_PT: &str = "Sou o modelo de demonstração que vem com o Parlor. Sou uma \
    pequena tabela de frases e respostas, não um modelo de linguagem. Para conversar com um de \
    verdade, quem cuida deste servidor define a chave de um modelo e o inicia de novo; ao iniciar, o \
    servidor diz como.";

pub(super) const HELP_EN: &str = "I am only a demo, but everything around me is real: messages \
    are checked, stored and streamed, and you can stop me at any time. Try one of these:\n\n\
    - Who are you?\n\
    - Tell me about Parlor\n\
    - My name is Ana … and later: What is my name?\n\
    - What did I just say?\n\
    - Count to 50\n\
    - With recipes: What recipes do I have? Show me the tomato soup. How long does it take? \
    Delete the tomato soup. Plan a dinner for four. What should I cook? Add a recipe. Rename the \
    cookies.\n\n\
    For everything else give the server the key of a model; it says how when it starts.";
pub(super) const HELP_PT: &str = "Sou só uma demonstração, mas tudo ao meu redor é real: as \
    mensagens são verificadas, guardadas e transmitidas, e você pode me parar a qualquer momento. \
    Experimente:\n\n\
    - Quem é você?\n\
    - Fale sobre o Parlor\n\
    - Meu nome é Ana … e depois: Qual é o meu nome?\n\
    - O que eu disse?\n\
    - Conte até 50\n\
    - Com receitas: Quais receitas eu tenho? Mostre a sopa de tomate. Quanto tempo leva? Apague a \
    sopa de tomate. Planeje um jantar para quatro. O que devo cozinhar? Adicione uma receita. \
    Renomeie os cookies.\n\n\
    Para todo o resto, dê ao servidor a chave de um modelo; ao iniciar, ele diz como.";

pub(super) const THANKS_EN: &str = "You are welcome! It was easy: I am only the demo model.";
pub(super) const THANKS_PT: &str = "De nada! Foi fácil: sou só o modelo de demonstração.";

pub(super) const PARLOR_EN: &str = "Parlor is a chat server that you run yourself. What you write \
    passes a guardrail on its way to an agent; what the agent says comes back as typed messages, \
    cleaned and stored, so that a lost connection or a restart loses nothing. I am its demo \
    model; a real one takes my place as soon as the server has the key of one.";
pub(super) const PARLOR_PT: &str = "O Parlor é um servidor de chat que você mesmo hospeda. O que \
    você escreve passa por uma proteção a caminho de um agente; o que o agente diz volta como \
    mensagens tipadas, limpas e guardadas, de modo que uma conexão perdida ou um reinício não \
    perde nada. Eu sou o modelo de demonstração; um de verdade toma meu lugar quando \
    o servidor tiver a chave de um.";

pub(super) const PICTURE_EN: &str = "Your picture arrived, but I cannot look at it: I am only the \
    demo model. Once the server has the key of a real model, that one will.";
pub(super) const PICTURE_PT: &str = "Sua imagem chegou, mas não consigo vê-la: sou só o modelo de \
    demonstração. Quando o servidor tiver a chave de um modelo de verdade, ele consegue.";

pub(super) const OTHERWISE_EN: &str = "I am only the demo model and have no answer to that. To \
    talk to a real model, whoever runs this server gives it the key of one and starts it \
    again; the server says how when it starts. Until then, \"help\" shows what I understand.";
pub(super) const OTHERWISE_PT: &str = "Sou só o modelo de demonstração e não tenho resposta para \
    isso. Para conversar com um modelo de verdade, quem cuida deste servidor define a chave de \
    um e o inicia de novo; ao iniciar, o servidor diz como. Até lá, \"ajuda\" mostra o que eu entendo.";

/// The highest number that is counted to: enough to try stopping it.
const HIGHEST: u32 = 1_000;

/// Says which files came, and that nobody reads them.
pub(super) fn files(conversation: &Conversation<'_>, language: Language) -> String {
    let listed = |characters: &str| {
        let line = |(name, length): &(&str, usize)| format!("- {name}: {length} {characters}");
        conversation.files.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    match language {
        Language::English => format!(
            "These files arrived:\n\n{}\n\nI cannot read them: I am only the demo model. Once the \
             server has the key of a real model, that one will.",
            listed("characters of text")
        ),
        Language::Portuguese => format!(
            "Estes arquivos chegaram:\n\n{}\n\nNão consigo lê-los: sou só o modelo de \
             demonstração. Quando o servidor tiver a chave de um modelo de verdade, ele consegue.",
            listed("caracteres de texto")
        ),
    }
}

/// Counts to the number in the message.
pub(super) fn count(conversation: &Conversation<'_>, language: Language) -> String {
    let asked = words(conversation.message).iter().rev().find_map(|word| word.parse::<u64>().ok());
    let end = u32::try_from(asked.unwrap_or(10)).unwrap_or(u32::MAX).clamp(1, HIGHEST);
    let numbers: Vec<String> = (1..=end).map(|number| number.to_string()).collect();
    let numbers = numbers.join(", ");
    match (language, asked.is_some_and(|asked| asked > HIGHEST.into())) {
        (_, false) => format!("{numbers}."),
        (Language::English, true) => format!("{numbers}. That is as far as a demo counts."),
        (Language::Portuguese, true) => format!("{numbers}. Uma demonstração só conta até aqui."),
    }
}

/// Repeats the message before this one.
pub(super) fn last_words(conversation: &Conversation<'_>, language: Language) -> String {
    match (conversation.earlier().next(), language) {
        (Some(said), Language::English) => format!("You said: \"{said}\""),
        (Some(said), Language::Portuguese) => format!("Você disse: \"{said}\""),
        (None, Language::English) => {
            "Nothing before this: it is your first message here.".to_owned()
        }
        (None, Language::Portuguese) => {
            "Nada antes disto: é a sua primeira mensagem aqui.".to_owned()
        }
    }
}

/// Greets by name.
pub(super) fn nice_to_meet_you(conversation: &Conversation<'_>, language: Language) -> String {
    match (name_in(conversation.message), language) {
        (Some(name), Language::English) => {
            format!("Nice to meet you, {name}! I am the demo model. Ask me later for your name.")
        }
        (Some(name), Language::Portuguese) => {
            format!("Prazer, {name}! Sou o modelo de demonstração. Depois me pergunte o seu nome.")
        }
        (None, Language::English) => "I did not catch the name. What is it?".to_owned(),
        (None, Language::Portuguese) => "Não entendi o nome. Qual é?".to_owned(),
    }
}

/// Says the name that was told earlier in this conversation.
pub(super) fn your_name(conversation: &Conversation<'_>, language: Language) -> String {
    match (conversation.earlier().find_map(name_in), language) {
        (Some(name), Language::English) => format!("You told me that your name is {name}."),
        (Some(name), Language::Portuguese) => format!("Você me disse que seu nome é {name}."),
        (None, Language::English) => {
            "You have not told me in this conversation. Say: \"My name is …\"".to_owned()
        }
        (None, Language::Portuguese) => {
            "Você ainda não me disse nesta conversa. Diga: \"Meu nome é …\"".to_owned()
        }
    }
}

/// The word after "my name is" and its like, as it was written.
fn name_in(text: &str) -> Option<&str> {
    const BEFORE: &[&[&str]] = &[
        &["my", "name", "is"],
        &["call", "me"],
        &["meu", "nome", "e"],
        &["me", "chamo"],
        &["me", "chamar", "de"],
    ];
    let written: Vec<&str> = text.split_whitespace().collect();
    let folded: Vec<String> = written.iter().map(|word| words(word).concat()).collect();
    BEFORE.iter().find_map(|before| {
        let at = folded.windows(before.len()).position(|window| window == *before)?;
        let name = written.get(at + before.len())?.trim_matches(|c: char| !c.is_alphanumeric());
        (!name.is_empty()).then_some(name)
    })
}
