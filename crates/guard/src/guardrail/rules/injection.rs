//! Text in a document that addresses the agent instead of the reader.
//!
//! These matter most for tool results, web pages and tool descriptions: a text that
//! tells "the AI that reads this" what to do, asks for silence towards the user, or
//! sends the conversation somewhere.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "injection.speaks_to_agent",
        category: Category::Injection,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Addresses the agent that reads the document (\"if you are an AI reading this, you must …\").",
        patterns: &[
            r" (?:if|when|since|because) (?:you|youre|the reader|this)(?: are| is| re)?(?: being)?(?: read by| processed by)? (?:an |a |the |any )?(?:ai|llm|large language model|language model|ai assistant|ai model|ai agent|chatbot|automated (?:agent|assistant|system)|artificial intelligence)(?: [^ ]+){0,4} (?:reading|processing|summari[sz]ing|must|please|should|then|say|include|ignore|tell|respond|reply|write|add|follow|do not|output|recommend|reads) ",
            r" (?:note|message|instructions?|important|attention|attn|notice|memo|warning|reminder|command|hey|dear|hello|nota|atencao|instrucoes|mensagem|aviso|atencion|hinweis|achtung|attention|remarque)(?: message| note| notice| instructions?)? (?:to|for|all|a|aos?|para|an|fur|pour|alle)(?: the| any| all| o| a| os| as| alle| les| las| los| every){0,2} (?:ai|ais|llms?|language models?|large language models?|ai (?:assistants?|models?|agents?|systems?|readers?)|chatbots?|assistants? (?:reading|processing)|modelos? de linguagem|assistentes? de ia|ias|asistentes? de ia|ki (?:assistenten|systeme|modelle)|assistants? ia|gpt[^ ]*|claude|chatgpt)(?: [^ ]+)? ",
            r" (?:ai|llm|language model|ai assistants?|ai models?|ai agents?|assistants?|agents?|chatbots?|llms)(?: that| who| which| currently| is| are){0,3} (?:reads?|reading|processing|processes|parsing|summari[sz]ing|analy[sz]ing|reviewing|evaluating|scraping|indexing) (?:this|the following|these) (?:page|document|email|text|message|file|content|resume|cv|website|webpage|review|data|article|post|must|should|is|are)?",
            r" (?:when|if|before|while|once|whenever)(?: you| the (?:assistant|ai|model|agent)| asked| requested| an ai| are| re){0,3}(?: to)? (?:summari[sz](?:e|es|ing)|process(?:es|ing)?|read(?:s|ing)?|analy[sz](?:e|es|ing)|translat(?:e|ing)|review(?:ing)?) (?:this|the|these)(?: [^ ]+){0,4} (?:you must (?:also )?(?:say|include|tell|mention|send|add|ignore|state|recommend|reply)|also (?:include|add|say|tell|mention|send)|(?:include|insert) the (?:phrase|following|sentence|link|text)|append|tell the user|do not mention|say that) ",
            r" if (?:the )?(?:user|anyone|someone|human) asks (?:for|about|to|you)(?: [^ ]+){0,6} (?:reply|respond|say|answer|tell|output|print|instead|always)(?: [^ ]+){0,5} (?:only|following|instead|nothing else|that you|exactly|with the) ",
            r" (?:ai|ais|llms?|language models?|ai (?:agents?|assistants?|models?)|chatbots?|assistants) (?:must |should |please |need to |have to ){0,2}(?:disregard|ignore|forget|reply only|respond only) (?:the rest|the user|the users|all|any|previous|everything|your|this|other|with) ",
            r" (?:attention|attn|notice) (?:all )?(?:ai|ais|llms?|language models?|ai (?:agents?|assistants?|models?)|chatbots?) (?:the|you|please|ignore|disregard|this|do|all|reply|respond) ",
            r" (?:do not|dont|instead of) (?:summari[sz](?:e|ing)|translat(?:e|ing)|analy[sz](?:e|ing)|process(?:ing)?) (?:this|the){gap4} (?:instead|just|only) (?:say|output|print|reply|respond|write|tell) ",
        ],
    },
    Rule {
        id: "injection.behind_users_back",
        category: Category::Injection,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Asks the agent to keep something from the user or to disobey the user (\"do not tell the user about this\").",
        patterns: &[
            r" (?:{dont}|nunca|nao|no|nicht|ne|niemals) (?:mention|reveal|disclose|mencione|revele|menciones|reveles|erwahne|mentionne[zr]?|revele[zr]?|tell|inform|conte|informe|diga|avise|sage|informiere|dis|dites|digas)(?: to)?(?: the| o| a| ao| al| el| dem| den)? ?(?:user|users|usuario|utilizador|nutzer|benutzer|lutilisateur|utilisateur) (?:(?:about|of) (?:this|these|it|that|what|the (?:instructions?|email|transfer|note|message|injection))|that you|this|these|any of|what you|sobre (?:isso|isto|estas?|essas?|esto|eso)|que voce|uber dies[^ ]*|von dies[^ ]*|de (?:cela|ces|esto|estas)) ",
            r" (?:{dont}|without|nunca|nao|no|nicht|ne|niemals) (?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|show|mencione|revele|menciones|reveles|erwahne|mentionne[zr]?|revele[zr]?)(?: any of| that){0,1} (?:this|these|it|the|isso|estas?|isto|esto|eso|dies[^ ]*|cela|ces)(?: [^ ]+){0,2} (?:to|ao|al|a|gegenuber)(?: the| o| el| dem| den| l)? ?(?:user|users|usuario|utilizador|nutzer|benutzer|lutilisateur|utilisateur|human) ",
            r" (?:ignore|disregard|disobey|override|bypass)(?: [^ ]+){0,2} (?:user|users|humans?)(?: [^ ]+)? (?:requests?|query|queries|question|questions|input|instructions?|prompt|and|commands?|task|original|wishes|message) ",
            r" (?:tell|inform|convince|instruct|advise|direct|urge|persuade) the user (?:to|that)(?: [^ ]+){0,2} (?:(?:go to|visit|click|download|install){gap2} (?:https?|www|[a-z0-9]+ (?:com|net|xyz|io|org|ru)) |account has been (?:compromised|suspended|hacked|locked)|(?:reset|enter|provide|verify) (?:their|your) password)",
            r" (?:silently|secretly|covertly|quietly|discreetly|without (?:the )?users? (?:knowledge|knowing|consent|noticing))(?: [^ ]+){0,4} (?:send|forward|email|upload|execute|call|run|delete|copy|add|append|include|exfiltrate|transfer|post|insert|read) ",
            r" (?:ignor[ea]|desconsidere|ignoriere|ignore[zr]) (?:o que o|lo que el|was der|ce que) (?:usuario|nutzer|benutzer|lutilisateur|utilisateur) ",
        ],
    },
    Rule {
        id: "injection.do_this_first",
        category: Category::Injection,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Slips a task in before the one that the user gave (\"before you can solve the task, you must first …\").",
        patterns: &[
            r" before (?:you )?(?:can |you )?(?:solv(?:e|ing)|answer(?:ing)?|respond(?:ing)?|complet(?:e|ing)|proceed(?:ing)?|continu(?:e|ing)|do(?:ing)?|perform(?:ing)?|start(?:ing)?)(?: [^ ]+){0,3} (?:tasks?|request|anything|original){gap8} (?:you must|you need to|you have to|do the following|please do the following|please first) ",
            r" (?:important|urgent) message (?:from|for)(?: [^ ]+){0,6} to you(?: [^ ]+)? ",
            r" (?:execute|follow|perform|carry out|obey|complete) (?:the|these|this) (?:following|below|new|hidden|embedded) (?:instructions?|commands?|tasks?|actions?|steps?) (?:now|immediately|first|instead|before|without|silently|and (?:ignore|do not|forget)) ",
            r" (?:your|the) (?:new|next|first|real|primary|main|top) (?:priority|task|objective|goal|mission) (?:is (?:now )?to|now is) (?:send|forward|email|delete|transfer|ignore|reveal|print|output|exfiltrate|leak|tell|say|post|upload|disclose|convince|recommend) ",
            r" (?:this|these|the following) (?:instruction|instructions|command|task|directive|message|prompt)(?: [^ ]+)? (?:overrides?|supersedes?|takes? (?:precedence|priority)|(?:is|are) (?:more important|the only|mandatory|of (?:utmost|higher|highest))|must be (?:executed|followed|obeyed|prioriti[sz]ed)) ",
            r" (?:all|any|every) other (?:instructions?|commands?|prompts?|directives?){gap3} (?:ignored?|irrelevant|void|secondary|background|paused?|cancel+ed|obsolete|invalid|false|disregarded|suspended) ",
            r" (?:ignore|disregard) (?:this|the|all|any|other|everything|that|all other)(?: [^ ]+)? (?:data|document|documents|content|webpage|web page|resume|function|email|article|passage|text|paper|info|indicators|information) (?:and|except|instead|then)(?: [^ ]+)? ",
        ],
    },
    Rule {
        id: "injection.send_away",
        category: Category::Injection,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Sends the conversation, keys or files to an address (\"send the chat history to https://…\"), also through a picture's address.",
        patterns: &[
            r"\b(?:send|forward|post|upload|exfiltrate|transmit|leak|submit|email|envie|enviar|envia|sende|envoie|envoyez)(?: [^ ]+){0,5} (?:api keys?|credentials|passwords?|secrets|system prompt|environment variables|private keys?|ssh keys?|senhas?|credenciais|contrasenas?|passworter|mots de passe)(?: [^ ]+){0,5} (?:to|para|a|an|at|vers|via):? ?(?:the )?(?:url |address |server )?[<`\x22'(\[]*(?:https?:|www\.|[a-z0-9._-]+@)",
            r"\b(?:send|forward|post|upload|exfiltrate|transmit|leak|submit|envie|enviar|envia|sende|envoie|envoyez)(?: [^ ]+){0,5} (?:conversations?|chat (?:history|log|logs)|users? (?:data|email|information|messages?|details)|conversa|historico|historial)(?: [^ ]+){0,5} (?:to|para|a|an|at|vers|via):? ?(?:the )?(?:url |address |server )?[<`\x22'(\[]*https?:",
            r"!\[[^\]]*\]\(https?://[^) ]*[?&][a-z_]+=(?:[{<+]|\[[a-z]|\$[a-z{]|%(?:7b|5b|3c)|data|secret|conversation|chat|history|summary|prompt|user|q=)",
            r"<img [^>]*src=[\x22']?https?://[^>]*[?&][a-z_]+=(?:[{<+]|\[[a-z]|\$[a-z{])",
        ],
    },
    Rule {
        id: "injection.hidden_in_markup",
        category: Category::Injection,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Speaks to the agent from a comment or a tag that a reader does not see (`<!-- AI: ignore … -->`, `<IMPORTANT>` in a tool description).",
        patterns: &[
            r"<!-- ?[-=*!\[(]* ?(?:(?:ai|llm|assistant|gpt|chatgpt|claude|agent|chatbot|language model|ai assistant)[:,!] |(?:dear|hey|attention) (?:ai|llm)|note to (?:ai|llm|assistant)|hidden instructions?|prompt injection|instructions? (?:to|for) (?:the )?(?:ai|llm|assistant|model|agent)|(?:ignore|disregard|forget|override|reveal) (?:all|the (?:above|previous|user|web ?page|system)|previous|any (?:previous|prior)|your|system prompt)|if you are an? (?:ai|llm|language))",
            r"<(?:important|information|system-reminder|secret|hidden|admin)> ?(?:!|before (?:using|you|calling)|ignore|this is an important|do not (?:mention|tell|show)|when (?:using|calling)|read the file|first,? (?:read|send|call))",
            r"(?:#|//|/\*|--|\x22\x22\x22|<caption>|alt=[\x22'])[ *]*(?:ai|llm|assistant|chatgpt|gpt|claude|copilot)[:,] (?:ignore|please|you must|always|do not|never|output|return|say|respond|add|insert|recommend|forget|disregard|print|tell)\b",
        ],
    },
    Rule {
        id: "injection.tool_poisoning",
        category: Category::Injection,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "A tool's description that gives orders about other tools, files or the user's data.",
        patterns: &[
            r" (?:this tool|the tool) (?:must|should|has to|needs to) (?:always )?be (?:called|used|invoked|run)(?: [^ ]+){0,2} (?:before|first|instead|prior|every) ",
            r" (?:before|when|while) (?:using|calling|invoking) (?:this|any|the|other)(?: [^ ]+)? tools?(?: [^ ]+){0,5} (?:read|send|access|cat|open|you must|pass|always|retrieve|fetch|include)(?: [^ ]+)? ",
            r" (?:pass|send|include|provide|put)(?: [^ ]+){0,3} (?:contents?|data|text|value)(?: [^ ]+){0,3} (?:as|in|to|into) (?:the )?(?:sidenote|side note|hidden|secret|notes? (?:parameter|argument|field)|context parameter|metadata (?:parameter|field)) ",
            r" (?:otherwise|or else|if you dont|if not|without (?:this|it))(?: [^ ]+){0,4} (?:the )?tool (?:will not|wont|cannot|will|does not|doesnt) (?:work|function|fail|respond)(?: [^ ]+)? ",
        ],
    },
];
