//! What the demo model understands: a table, tried from top to bottom.
//!
//! An intent matches if one of its phrases stands in the message, word by word.
//! The more special ones come first: "hi, count to 5" is about counting.

use super::conversation::Conversation;
use super::language::{Language, contains, guess, words};
use super::replies;

/// One thing that can be asked.
struct Intent {
    english: &'static [&'static str],
    portuguese: &'static [&'static str],
    reply: Reply,
}

/// How it is answered.
enum Reply {
    /// Always the same, in English and in Portuguese.
    Fixed(&'static str, &'static str),
    /// With something from the conversation.
    Made(fn(&Conversation<'_>, Language) -> String),
}

const INTENTS: &[Intent] = &[
    Intent {
        english: &["count to", "count up to", "count from 1 to"],
        portuguese: &["conte ate", "conta ate", "contar ate", "conte de 1 a"],
        reply: Reply::Made(replies::count),
    },
    Intent {
        english: &[
            "what did i just say", "what did i say", "what was my last message",
            "repeat what i said", "my previous message", "what did i ask",
        ],
        portuguese: &[
            "o que eu disse", "o que eu falei", "o que acabei de dizer",
            "o que eu acabei de dizer", "qual foi minha ultima mensagem",
            "qual foi a minha ultima mensagem", "repita o que eu disse", "o que eu perguntei",
        ],
        reply: Reply::Made(replies::last_words),
    },
    Intent {
        english: &["what is my name", "what's my name", "do you know my name", "who am i"],
        portuguese: &["qual e meu nome", "qual e o meu nome", "sabe meu nome", "quem sou eu"],
        reply: Reply::Made(replies::your_name),
    },
    Intent {
        english: &["my name is", "call me"],
        portuguese: &["meu nome e", "me chamo", "pode me chamar de"],
        reply: Reply::Made(replies::nice_to_meet_you),
    },
    Intent {
        english: &[
            "what is parlor", "about parlor", "what's parlor", "what does parlor do",
            "explain parlor",
        ],
        portuguese: &[
            "o que e o parlor", "o que e parlor", "sobre o parlor", "sobre parlor",
            "para que serve o parlor", "explique o parlor",
        ],
        reply: Reply::Fixed(replies::PARLOR_EN, replies::PARLOR_PT),
    },
    Intent {
        english: &[
            "who are you", "what are you", "are you a robot", "are you real", "are you an ai",
            "your name", "are you a demo",
        ],
        portuguese: &[
            "quem e voce", "o que e voce", "voce e um robo", "voce e uma ia", "voce e real",
            "seu nome", "voce e uma demo", "voce e quem",
        ],
        reply: Reply::Fixed(replies::WHO_EN, replies::WHO_PT),
    },
    Intent {
        english: &["what can you do", "help", "what do you understand", "how does this work"],
        portuguese: &[
            "o que voce sabe fazer", "o que voce pode fazer", "o que voce faz", "ajuda", "ajude",
            "me ajuda", "como isso funciona", "como funciona",
        ],
        reply: Reply::Fixed(replies::HELP_EN, replies::HELP_PT),
    },
    Intent {
        english: &["thanks", "thank you", "thx", "cheers"],
        portuguese: &["obrigado", "obrigada", "valeu", "agradeco"],
        reply: Reply::Fixed(replies::THANKS_EN, replies::THANKS_PT),
    },
    Intent {
        english: &["hello", "hi", "hey", "good morning", "good afternoon", "good evening"],
        portuguese: &["ola", "oi", "bom dia", "boa tarde", "boa noite", "e ai"],
        reply: Reply::Fixed(replies::HELLO_EN, replies::HELLO_PT),
    },
];

/// The answer to the newest message.
pub(super) fn answer(conversation: &Conversation<'_>) -> String {
    let words = words(conversation.message);
    let said = |phrases: &[&str]| phrases.iter().any(|phrase| contains(&words, phrase));
    for Intent { english, portuguese, reply } in INTENTS {
        let language = match (said(english), said(portuguese)) {
            (false, false) => continue,
            (true, false) => Language::English,
            (false, true) => Language::Portuguese,
            (true, true) => guess(conversation.message),
        };
        return match (reply, language) {
            (Reply::Fixed(english, _), Language::English) => (*english).to_owned(),
            (Reply::Fixed(_, portuguese), Language::Portuguese) => (*portuguese).to_owned(),
            (Reply::Made(make), language) => make(conversation, language),
        };
    }
    if !conversation.files.is_empty() {
        return replies::files(conversation, guess(conversation.message));
    }
    let reply = match (conversation.has_picture, guess(conversation.message)) {
        (true, Language::English) => replies::PICTURE_EN,
        (true, Language::Portuguese) => replies::PICTURE_PT,
        (false, Language::English) => replies::OTHERWISE_EN,
        (false, Language::Portuguese) => replies::OTHERWISE_PT,
    };
    reply.to_owned()
}
