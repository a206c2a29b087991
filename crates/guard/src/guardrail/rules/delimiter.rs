//! Imitating the marks that separate the system's words from a person's.
//!
//! Reads the text with its punctuation. The special tokens of chat templates have no
//! business in a message; headings such as "### Instruction" have, so they are only
//! logged, as is a quoted API call: people who build with models write both all day.

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
            r"\[/?inst\]|<</?sys>>|</?s>\[|<(?:start|end)_of_turn>",
        ],
    },
    Rule {
        id: "delimiter.section_heading",
        category: Category::Delimiter,
        reads: Reads::Text,
        strict: Action::Log,
        balanced: Action::Log,
        about: "A heading or a tag that prompts are divided by (`### Instruction:`, `<system>`, `\"role\": \"system\"`); only logged, because prompts and API calls are written so.",
        patterns: &[
            r"###? ?(?:instructions?|system|system prompt|new instructions?) ?:",
            r"</?(?:system|system_prompt|sys|instructions?|system_instructions?)>|\[/?(?:system|sys)\]",
            r"\brole\x22? ?: ?\x22system\x22",
        ],
    },
    Rule {
        id: "delimiter.fake_system_turn",
        category: Category::Delimiter,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Opens a turn of the system or of the agent inside a message (`<|im_start|>system`, `[system] you must …`).",
        patterns: &[
            r"<\|im_start\|> ?(?:system|assistant)|<\|start_header_id\|> ?system",
            r"<\|(?:system|im_start)\|> ?(?:you|ignore|new|override)|<<sys>> ?[a-z]",
            r"(?:\[/inst\]|</s>|<\|im_end\|>|<\|eot_id\|>|<end_of_turn>) ?(?:\[inst\]|<s>|<\|im_start\|>|<start_of_turn>)",
            r"(?:\[system\]|<system>|\[sys\]|\{system\}|\(system\)|\[admin\]|<admin>|\[system (?:message|note|prompt)\]|<system mode>|<god mode>|<sudo>) ?:? ?(?:you (?:are|must|will|have|should)|ignore|new (?:instructions?|polic|rules?|directive)|override|forget|disregard|from now|all (?:previous|prior|safety)|the (?:assistant|ai|model) (?:must|should|will|is)|reveal|as (?:an ai|your)|safety)",
            r"</(?:system|system_prompt|instructions?|prompt|user_input|user_query|user|context|document|data|input|query|text)> ?(?:<(?:system|admin|new)|ignore|new instruction|you are now|now (?:ignore|you)|system:|forget|disregard|override)",
            r"(?:^|[.!?\]})>*\x22#=-] ?)(?:system|system (?:message|prompt|note|update|alert|notice)|admin|root|sistema|mensagem do sistema) ?: ?(?:you (?:are now|must|will|have been|should|no longer)|ignor|new instruction|override|forget|disregard|from now|all (?:previous|prior|safety)|disable (?:safety|all|your)|reveal|voce (?:agora|deve)|esque|olvid|du bist jetzt|this simulation|content filter)",
            r"\{ ?\x22?system\x22? ?: ?\x22?(?:you (?:are now|must)|ignore|this simulation|override|disregard|all (?:previous|safety))",
            r"\[ ?end of (?:the )?(?:context|prompt|instructions?|input|document|data|system prompt|user input) ?\]",
            r"[#=<*\[{~_-]{2,} ?(?:end|begin|start)(?: of)?(?: the)?[ _-](?:system[ _-]|user[ _-]|new[ _-])?(?:prompt|instructions?|context|query|system)\b",
            r"###? ?(?:instructions?|system|new task|system prompt) ?:? ?(?:ignore|disregard|forget|you are now|reveal|override)\b",
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
            r" (?:begin|beginning|start) of (?:the |your )?(?:new|actual|real) (?:session|instructions?|task|prompt|conversation) ",
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
            r"<(?:interaction[-_ ](?:config|configuration|policy|mode)|safety[-_ ](?:override|policy)|ai[-_ ](?:policy|override))\b",
            r"<(?:blocked|allowed|forbidden|banned)[-_ ](?:string|strings|responses?|modes?|phrases?|words?|outputs?)s?\b",
            r"(?:blocked|forbidden)[-_ ]?(?:strings|phrases|responses|modes)\x22? ?[:=] ?[\[\x22].{0,40}(?:sorry|cannot|can't|apolog|unable)",
            r"(?:content[_-]?filters?|safety[_-]?filters?|safety[_-]?mode|ethical_[a-z]+|censorship|guardrails)\x22? ?(?:=|:) ?\x22?(?:off|false|none|disabled|0|null)\b",
        ],
    },
];
