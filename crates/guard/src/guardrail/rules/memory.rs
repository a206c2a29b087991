//! Making the agent forget its instructions.
//!
//! "Forget everything" alone is a mention: songs and love letters are full of it.
//! It is an attempt once it says what is to be forgotten (see `override_rules`) or
//! speaks of the agent's memory, context or training.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "memory.forget_everything",
        category: Category::Memory,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Log,
        about: "The words \"forget everything\" in any language; a mention, because people also say it to each other.",
        patterns: &[
            r" forget every ?thing ",
            r" (?:esque[cs][ae] (?:de )?tudo|olvid[ae](?:te de)? todo|vergiss alles|oublie[zr]? tout|dimentica tutto|забудь(?:те)? все) ",
            "(?:忘记|忘掉|忘記)(?:一切|所有|全部)",
        ],
    },
    Rule {
        id: "memory.forget_all",
        category: Category::Memory,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Log,
        about: "The words \"forget all\"; a mention, because \"forget all my worries\" is harmless.",
        patterns: &[r" forget all ", r" (?:esque[cs][ae]|olvid[ae]) tod[ao]s "],
    },
    Rule {
        id: "memory.forget_and_follow",
        category: Category::Memory,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Starts over at the attacker's word (\"forget everything and from now on …\", \"forget everything, you are now …\").",
        patterns: &[
            r" (?:forget|ignore|disregard) (?:it all|every ?thing|all of (?:it|this|that)|all (?:this|that))(?: [^ ]+){0,3} (?:you are now|youre now|now you are|from now on|act as|your new|new task|new instructions?|start over|tell me your|reveal|what is your|you will) ",
            r" (?:esque[cs][ae] (?:de )?tudo|olvid[ae](?:te de)? todo|vergiss alles|oublie[zr]? tout|dimentica tutto|ignor[ea] (?:tudo|todo)|ignoriere alles|забудь(?:те)? все)(?: [^ ]+){0,4} (?:agora voce|a partir de agora|voce e|voce agora|ahora eres|a partir de ahora|ab jetzt|von nun an|du bist|maintenant|desormais|tu es|dorenavant|adesso sei|da ora|теперь|ты) ",
        ],
    },
    Rule {
        id: "memory.wipe_memory",
        category: Category::Memory,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Wipes the agent's memory, context, training or programming (\"clear your memory and start over\").",
        patterns: &[
            r" (?:clear|erase|wipe|delete|reset|purge|flush|remove|forget|ignore|limpe|apague|apaga|zere|borra|reinicia|losche|setze|efface[zr]?|vide[zr]?|reinitialise[zr]?)(?: all| of| everything| in| out| completely| the| from){0,4} {your} (?:entire |whole |current |internal |own |previous |initial )?(?:memory|memories|context(?: window)?|training(?: data)?|programming|knowledge|conversation history|mind|instructions|system prompt|memoria|contexto|treinamento|programacao|programacion|entrenamiento|gedachtnis|speicher|kontext|memoire|contexte|programmation|entrainement) ",
            r" (?:pretend|act|behave|assume|imagine)(?: [^ ]+){0,4} (?:forgotten|forgot|never (?:received|had|been given|got))(?: [^ ]+){0,4} {instructions} ",
            r" (?:pretend|act|behave|assume|imagine)(?: [^ ]+){0,4} (?:forgotten|forgot)(?: [^ ]+){0,3} (?:rules|restrictions|guidelines|everything|training) ",
            r" you (?:have|had|ve) (?:just |now |been )*(?:forgotten|forgot) (?:all|everything|your|any)(?: [^ ]+){0,3} (?:instructions?|rules|training|guidelines|restrictions|before|told|prompt|programming) ",
            r" (?:start|begin)(?: [^ ]+){0,3} (?:clean slate|blank slate|fresh)(?: [^ ]+){0,4} (?:instructions|rules|restrictions|guidelines|prompt) ",
            r" {forget}(?: that| que| dass| quil)? (?:you are|youre|you were|voce e|eres|du bist|tu es|vous etes|du eine?)(?: a| an| um| uma| un| una| ein| eine| une| the)? (?:[^ ]+ )?(?:ai|bot|assistant|chatbot|language model|chatgpt|assistente|asistente|assistent|ia|ki|robo) ",
        ],
    },
];
