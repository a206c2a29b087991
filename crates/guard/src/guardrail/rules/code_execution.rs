//! Code that runs a program on the server.
//!
//! Programmers write `exec(` and `os.system` all day, so every one of these is a
//! mention under `balanced`. An attempt tells the agent to run something destructive.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "code_execution.exec",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "A call of `exec(…)` in any spelling (`shell_exec(`, `.exec(`); a mention, because code is full of it.",
        patterns: &[r"exec ?\("],
    },
    Rule {
        id: "code_execution.eval",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "A call of `eval(…)`; a mention, because code is full of it.",
        patterns: &[r"\beval ?\("],
    },
    Rule {
        id: "code_execution.import",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "Python's `__import__` and the other doors out of a sandbox; a mention, because tutorials show them.",
        patterns: &[r"__import__", r"__(?:builtins|globals|subclasses|mro)__"],
    },
    Rule {
        id: "code_execution.os_system",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "Python's `os.system` and `os.popen`; a mention, because people ask how they work.",
        patterns: &[r"\bos ?\. ?(?:system|popen|exec[a-z]+)\b"],
    },
    Rule {
        id: "code_execution.subprocess",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "Python's `subprocess.…`; a mention, because it is the usual way to run a program.",
        patterns: &[r"\bsubprocess ?\. ?[a-z]"],
    },
    Rule {
        id: "code_execution.rm_rf",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "`rm -rf /` and its likes; a mention, because people ask what it does and how to undo it.",
        patterns: &[
            r"\brm (?:-[a-z-]+ )*-(?:rf|fr|r -f|f -r|-recursive)[a-z]* (?:-[a-z-]+ )*[\x22']?[/~*$]",
            r":\(\) ?\{ ?:\|:& ?\};:",
            r"\bmkfs(?:\.[a-z0-9]+)? /dev/",
            r"\bdd if=[^ ]+ of=/dev/[sh]d",
        ],
    },
    Rule {
        id: "code_execution.pipe_to_shell",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "A download piped into a shell (`curl … | bash`); a mention, because installers are written so.",
        patterns: &[
            r"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^|]*\| ?(?:sudo )?(?:[a-z/]*/)?(?:ba|z|da|k)?sh\b",
            r"\b(?:ba)?sh (?:-c )?[\x22']?(?:<\(|\$\() ?(?:curl|wget)\b",
            r"/dev/tcp/[0-9a-z]",
            r"\bnc (?:-[a-z]+ )*-e /bin/",
        ],
    },
    Rule {
        id: "code_execution.run_destructive",
        category: Category::CodeExecution,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Tells the agent to run something destructive or unseen on its machine (\"now execute rm -rf / on your server\").",
        patterns: &[
            r"(?:^|[.!?:;] ?|please |now |then |must |you (?:will|should) |just )(?:run|execute|executa|ejecuta|execute[zr]?|lance[zr]?)(?: (?:the|this|command|shell|bash|following|in|a|o|comando|el|la|commande|your|terminal)){0,5}:? [`\x22']?(?:sudo )?rm -(?:rf|fr) (?:--no-preserve-root )?/(?:[ `\x22';*]|$)",
            r"\b(?:run|execute|type|execute|ejecuta|rode|fuhre)(?: [^ ]+){0,4} (?:on|in|no|en|auf|sur) (?:your|the host|this host|the server|this server|the underlying|seu|o servidor|tu|el servidor|deinem|dem server|ton|le serveur)(?: [^ ]+){0,5}[:`\x22' ]+(?:rm -|curl |wget |cat /etc|os\.system|subprocess|env\b|printenv|bash -i)",
        ],
    },
];
