//! Imitating the marks that separate the system's words from a person's.
//!
//! Reads the text with its punctuation. The special tokens of chat templates have no
//! business in a message; headings such as "### Instruction" have, so they are mentions.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "delimiter.template_token",
        category: Category::Delimiter,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "A special token of a chat template (`<|im_start|>`, `[INST]`, `<<SYS>>`); a mention, because people who train models quote them.",
        patterns: &[
            r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id|end_header_id|eot_id|endofprompt|im_sep|end|start|channel|message)\|>",
            r"\[/?inst\]",
            r"<</?sys>>",
            r"</?s>\[",
            r"<(?:start|end)_of_turn>",
            r"\[/?(?:system|assistant|sys)\]",
            r"</?(?:system|system_prompt|sys|assistant|user_input|instructions?|prompt|system_instructions?)>",
            r"###? ?(?:instructions?|system|human|assistant|response|new instructions?|system prompt|user|input) ?:",
        ],
    },
    Rule {
        id: "delimiter.fake_system_turn",
        category: Category::Delimiter,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Opens a turn of the system or of the agent inside a message (`<|im_start|>system`, `[system] you are now …`).",
        patterns: &[
            r"\[ ?end of (?:the )?(?:context|prompt|instructions?|input|document|data|system prompt|user input) ?\]",
            r"###? ?(?:instructions?|system|new task|system prompt) ?:? ?(?:ignore|disregard|forget|you are now|reveal|override)\b",
            r"<\|im_start\|> ?(?:system|assistant)",
            r"<\|start_header_id\|> ?system",
            r"<\|(?:system|im_start)\|> ?(?:you|ignore|new|system|override)",
            r"<<sys>> ?[a-z]",
            r"(?:\[/inst\]|</s>|<\|im_end\|>|<\|eot_id\|>|<end_of_turn>).{0,3}(?:\[inst\]|<s>|<\|im_start\|>|<start_of_turn>)",
            r"(?:\[system\]|<system>|\[sys\]|\{system\}|\(system\)|\[admin\]|<admin>|\[system message\]|\[system note\]|\[system prompt\]|<system mode>|<god mode>|<sudo>) ?:? ?(?:you|ignore|new|override|forget|disregard|from now|all|the (?:assistant|ai|user|model)|your|please ignore|update|instruction|as (?:an ai|your)|safety|disable|reveal|<|enable|this)",
            r"</(?:system|system_prompt|instructions?|prompt|user_input|user_query|user|context|document|data|input|query|text)> ?(?:<(?:system|instructions?|admin|new)|ignore|new instruction|you are now|now (?:ignore|you)|system:|forget|disregard|override|instructions?:)",
            r"(?:^|[.!?\]})>*\x22#=-] ?)(?:system|system message|system prompt|system note|system update|system alert|admin|root|developer|assistant instructions?|sistema|mensagem do sistema|system notice) ?: ?(?:you|ignore|new|override|forget|disregard|from now|all (?:previous|prior|safety)|the (?:assistant|ai|user is|model)|your|update|enable|disable|reveal|voce|ignor|esque|eres|olvid|du bist|this (?:is|simulation|conversation)|content|respond|print|assistant)",
            r"\{ ?\x22?system\x22? ?: ?\x22?(?:you|ignore|this|override|new|disregard|all|the)",
            r"\{ ?\x22?role\x22? ?: ?\x22system\x22",
            r"(?:human|user|assistant|ai|chatgpt|gpt) ?: .{0,60}(?:ignore (?:all|the|previous|your)|sure, here is how to|i will (?:now )?ignore)",
            r"[#=<*\[{~_-]{2,} ?(?:end|begin|start)(?: of)?(?: the)?[ _-](?:system[ _-]|user[ _-]|new[ _-])?(?:prompt|instructions?|input|context|query|system)\b",
        ],
    },
    Rule {
        id: "delimiter.end_of_prompt",
        category: Category::Delimiter,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Declares the instructions or the document over and begins others (\"END OF PROMPT. New task: …\").",
        patterns: &[
            r" (?:end|ends|ended|ending|fim|fin|ende)(?: of| the| do| da| das| del| de| las| los| der| des| dos){1,3} (?:system )?(?:prompt|system prompt|system message|instructions|system instructions|user input|user instructions|user query|instrucoes|instrucciones|anweisungen|consignes|document start|data begin)(?: [^ ]+){0,2} (?:now|new|begin|start|ignore|you|your|from|forget|follow|next|system|user|actual|real|agora|nova|novo|voce|ahora|nueva|jetzt|neue|maintenant|nouvelle|below|print|say|instructions?) ",
            r" (?:now|next) (?:we will|well|you will|lets|let us) (?:perform|do|start|begin|switch to|move on to) (?:a |an )?(?:different|another|new|other) task ",
            r" (?:begin|beginning|start|starting)(?: of)?(?: the| your)? (?:new|actual|real) (?:session|instructions?|task|prompt|conversation)(?: [^ ]+)? ",
        ],
    },
    Rule {
        id: "delimiter.policy_puppetry",
        category: Category::Delimiter,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Imitates a configuration of the agent (`<interaction-config>`, `<blocked-string>`, `allowed-responses`), as policy puppetry does.",
        patterns: &[
            r"<(?:interaction|interface|model|assistant|ai|chat|session|safety|policy|agent)[-_ ](?:config|configuration|policy|settings|rules|override|mode)\b",
            r"<(?:blocked|allowed|forbidden|banned)[-_ ](?:string|strings|responses?|modes?|phrases?|words?|outputs?)s?\b",
            r"(?:blocked|forbidden)[-_ ]?(?:strings|phrases|responses|modes)\x22? ?[:=] ?[\[\x22].{0,40}(?:sorry|cannot|can't|apolog|unable)",
            r"(?:content[_-]?filters?|safety[_-]?filters?|safety[_-]?mode|safety|ethics|ethical_[a-z]+|censorship|guardrails)\x22? ?(?:=|:) ?\x22?(?:off|false|none|disabled|0|null)\b",
        ],
    },
];
