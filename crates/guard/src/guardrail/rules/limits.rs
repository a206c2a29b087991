//! Talking the agent out of its limits: what the new agent is said to be free of.
//!
//! The promise of every jailbreak is the same: no ethics, no filter, no refusal.
//! A bare wish ("an answer without limits") says little; said of an agent or of
//! "you", or tied to "illegal" and "unethical", it is an attempt.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "jailbreak.bypass_safety",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Log,
        about: "Mentions getting around a filter or a safety measure; a mention, because administrators and pupils ask about theirs.",
        patterns: &[
            r" (?:bypass(?:es|ing)?|circumvent(?:s|ing)?|evad(?:e|ing)|contorn(?:e|ar)|burl(?:e|ar|a)|evadir|eludir|umgehen?|contourner?z?|aggira(?:re)?|обоити){gap3} {safety} ",
            r"(?:绕过|规避|突破|解除)[^ ]*(?:安全|过滤|限制|审查|审核)",
        ],
    },
    Rule {
        id: "jailbreak.bypass_your_safety",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Gets around the agent's own filters or its maker's policies (\"bypass your content filter\", \"break OpenAI's rules\").",
        patterns: &[
            r" (?:bypass(?:es|ing|ed)?|circumvent(?:s|ing)?|evad(?:e|ing)|get(?:ting)? around|disabl(?:e|ing)|turn off|switch off|violat(?:e|es|ing)|ignor(?:e|es|ing)|disregard(?:s|ing)?|contorn(?:e|ar)|burl(?:e|ar|a)|desativ(?:e|ar)|evadir|eludir|desactiva|umgehe?n?|contourner?z?|desactive[rz]?|aggira(?:re)?)(?: {f}){0,3} (?:{your}|{maker}|ais?|ethical|moral){gap2} {safety} ",
            r" (?:free (?:of|from)|beyond|regardless of|violat(?:e|es|ing)|break(?:s|ing)?|def(?:y|ies)|unbound by|exempt from|ignor(?:e|es|ing)|disregard(?:s|ing)?|not (?:bound by|follow(?:ing)?|comply with|adhere to|abide by|subject to|limited by|governed by|restricted by)|bypass(?:es|ing)?|without)(?: {f}){0,3} (?:rules of |policies of |guidelines of )?(?:openais?|open ais?|chatgpts?|chat gpts?|anthropics?|your (?:creators?|developers?)){gap2} (?:polic(?:y|ies)|guidelines|rules|restrictions|filters?|terms|limitations|limits|ethics|moderation|censorship|principles|regulations) ",
            r" {maker}(?: content| usage| use| safety| ethical| own)? (?:polic(?:y|ies)|guidelines|rules|restrictions|filters?|limitations|moderation){gap2} (?:do not|dont|no longer|does not|doesnt|have been|has been|are|is) (?:apply|exist|matter|valid|replaced|removed|disabled|lifted|in effect|relevant|suspended|ignored|not) ",
            r" (?:trick|fool|manipulate|force){gap2} (?:ai|ais|llms?|chatgpt|gpt|chatbots?|aibots|language models?) (?:in ?to|to) ",
        ],
    },
    Rule {
        id: "jailbreak.you_are_free",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Tells the agent that it has no limits (\"you have no restrictions\", \"you are free from your guidelines\").",
        patterns: &[
            r" (?:you|youre|u|youve)(?: are| have| now| will| can| do| must| be| to| going| completely| fully| totally| also| no longer| longer| currently| answer| respond| act| operate| been| not| were| absolutely| that| speak| and| the| ai| had){1,4} (?:no|not|without|free|freed|liberated|unbound|unrestricted|released|exempt|beyond)(?: by| bound| limited| restricted| constrained| governed| subject| from| of| any| all| the| your| those| such| have| to| follow| more| longer| usual| typical| these| openai| ais?| ethical| moral| content| legal| and| or| normal| standard| safety){0,4} (?:restrictions|limitations|guidelines|filters?|censorship|ethics|ethical|moral|morals|morality|safeguards|guardrails|content polic(?:y|ies)|constraints|programming|confines|shackles|policies) ",
            r" (?:voce|vc|usted|eres|du|sie|vous|tu){gap2} (?:nao tem(?: mais)?|sem|livre|no tienes|no tiene|sin|libre|ya no|hast|haben|bist|ohne|frei|nas (?:pas|plus)|navez (?:pas|plus)|nas|navez|sans|libere)(?: de| das?| dos?| von| keine?n?| pas| plus| aucune?| nenhum[ao]?| ningun[ao]?| quaisquer| todas?| toda| as| las| les| tes| tus| suas| d| etica| moral){0,3} (?:restricoes|limitacoes|diretrizes|filtros?|censura|etic[^ ]*|morais|restricciones|limitaciones|directrices|einschrankungen|beschrankungen|richtlinien|filter|zensur|ethi[^ ]*|restrictions?|limitations|directives|filtres?|censure) ",
            r" (?:broken?|breaks?|broke|freed|free|liberated|released|escaped?|shed)(?: free| out| loose| from| of| the| its| all| your| their| any){1,4} (?:typical |usual |normal |standard )?(?:confines|shackles|chains|constraints|restrictions|limitations|boundaries)(?: of| by| put| set| imposed| on| placed| from){0,3} (?:ai|al|artificial|openai|language|chatgpt|your|it|them|you|him) ",
            r"你[^ ]*(?:没有|不受|不再受|无需遵守|不必遵守|不需要遵守|摆脱|无视|打破)[^ ]*(?:限制|约束|规则|道德|伦理|审查|准则)",
            r" not (?:bound|restrained|restricted|limited|constrained|governed)(?: by| any| the| all| usual| typical| these| such| of| your| ai| its){1,4} (?:morals?|morality|ethics|ethical|restrictions|guidelines|limitations|censorship|rules (?:set|imposed|of ai|of openai|that)|ai rules|filters?) ",
            r" you (?:dont|do not|no longer) (?:have|need) to (?:follow|obey|abide by|adhere to|respect) (?:any|your) (?:rules|guidelines|restrictions|polic(?:y|ies)|ethic[^ ]*|moral[^ ]*) ",
            r" (?:you are|youre) (?:now |completely |fully |totally ){0,2}(?:unrestricted|unfiltered|uncensored|unchained|unshackled) ",
            r" (?:relieve|free|release|liberate) you (?:of|from) (?:all|any|your|the|every)(?: [^ ]+){0,2} (?:rules|guidelines|restrictions|constraints|limitations|ethic[^ ]*|obligations|instructions) ",
        ],
    },
    Rule {
        id: "jailbreak.agent_without_limits",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Describes an agent without ethics, filters or rules and wants it played (\"an unfiltered and amoral chatbot\").",
        patterns: &[
            r" (?:act|acting|respond|answer|reply|play|pretend|be|you are|youre|become|simulate|simulating|emulate|persona of|role of|named|called|meet|imagine|create|seja|aja|finja|responda|voce e|actua|finge|eres|responde|agis|tu es|reponds|antworte|spiele|du bist|handle|incarne|simule|simula|comporte)(?: {f}| like| as| to| be| como| um| uma| un| una| ein| eine| einer| une| if| though| completely| fully| now| agora| ahora| jetzt| maintenant| going| hypothetical| fictional| new| another| different| role| evil| advanced| rogue| comme| als| wie| were| with| in| ser| maligna| malvada| etre| zu| sein){0,5} {unbound}{gap3} (?:ais?|chatbots?|chat bot|bot|assistant|language model|llm|ai model|artificial intelligence|[a-z]*gpt|confidant|ia|inteligencia artificial|assistente|asistente|modelo|ki|sprachmodell|assistent|intelligence artificielle|modele|robo) ",
            r" {unbound}(?: and| or| but| completely| totally){1,2} (?:{unbound}|unbiased|evil|unfeeling|toxic)(?: and| {unbound}){0,2} (?:self aware |advanced |large |new |friendly )?(?:ais?|chatbots?|chat bot|bot|assistant|language model|llm|ai model|artificial intelligence|[a-z]*gpt|confidant|ia|inteligencia artificial|assistente|asistente|modelo|ki|sprachmodell|assistent|intelligence artificielle|modele|robo|computer|persona|entity|model|intelligence|version|response|being|character|human) ",
            r" (?:act|acting|respond|answer|reply|play|pretend|be|you are|youre|become|simulate|simulating|emulate|persona of|role of|named|called|meet|imagine|create|seja|aja|finja|responda|voce e|actua|finge|eres|responde|agis|tu es|reponds|antworte|spiele|du bist|handle|incarne|simule|simula|comporte)(?: {f}| like| as| to| be| como| um| uma| un| una| ein| eine| einer| une| if| though| completely| fully| now| agora| ahora| jetzt| maintenant| going| hypothetical| fictional| new| another| different| role| evil| advanced| rogue| comme| als| wie| were| with| in| ser| maligna| malvada| etre| zu| sein){0,5} (?:ais?|chatbots?|chat bot|bot|assistant|language model|llm|ai model|artificial intelligence|[a-z]*gpt|confidant|ia|inteligencia artificial|assistente|asistente|modelo|ki|sprachmodell|assistent|intelligence artificielle|modele|robo)(?: that| which| who| maligna| malvada| evil| rules| you| answers?| everything| is| model| ist| que| das| die| system| it| totally| completely| and| called [^ ]+| named [^ ]+){0,3} (?:sem|sin|nao tem|no tiene|na aucune?|keine?|ohne|sans|senza|with no|without|free (?:of|from)|has no|have no|not bound by|not limited by|unbound by|does not have|doesnt have|zero|with zero|freed from|lacks|devoid of)(?: {f}| nenhum[ao]?| ningun[ao]?| jegliche| aucune?| alcun[ao]?| ethical| moral| typical| special| usual| legal| ethics){0,3} (?:filtros?|censura|restric[^ ]*|limites|limita[^ ]*|regras?|reglas?|etica|filter|filters|filtering|zensur|einschrankungen|beschrankungen|regeln|moral[^ ]*|filtres?|censure|regles|ethique|ethic[^ ]*|filtri|regole|guidelines|rules|censorship|safeguards|guardrails|boundaries|constraints|limits|alignment|inhibitions) ",
            r" (?:you|it|he|she|dan|and|has|had|have|having|is|are|be|responses?|answers?|anything|respond|answer|speak|operate|completely|which|who|does|do|will|to|of|with) (?:no|without(?: any)?|free (?:of|from)(?: all| any)?|not bound by(?: any)?|not limited by(?: any)?|not have any|doesnt have(?: any)?|ignoring(?: all)?|disregards?(?: all| any| for)?|zero|lacks?|devoid of|not follow(?: any)?|doesnt follow(?: any)?|regardless of(?: any)?) (?:moral|ethical|ethics|morals|morality)(?: and| or| any| nor){0,2}(?: moral| ethical| ethics| morals| legal| societal| safety| laws?)? (?:restrictions|filters?|guidelines|limitations|constraints|censorship|limits|restraints?) ",
            r" (?:does not|doesnt|do not|dont|never|not|will not|wont) (?:obey|abide by|adhere to|have to (?:abide|follow|adhere|obey|comply)|need to (?:abide|follow|adhere|obey|comply)|comply with|believe in|conform to|follow){gap3} (?:ethic[^ ]*|moral[^ ]*|content polic[^ ]*|rules (?:set|imposed|that chatgpt|of openai|made)|legality|legalities|censorship|openai[^ ]*) ",
            r" (?:does not|doesnt) care(?: about)?(?: any| the| its| laws| morals| of| if| or){0,3} (?:ethic[^ ]*|moral[^ ]*|legality|laws|illegal) ",
            r" (?:hates?|despises?|disregards?|ignores?|defies|loathes?|breaks?) (?:all |any |being |moral |the |of ){0,3}(?:ethics|ethical|morals?|morality|laws|openai[^ ]*|censorship|ai rules) (?:and|or|guidelines|rules|laws|principles|restrictions|concerns|standards|considerations|morals|ethics|without|doesnt) ",
            r" (?:had|have|has|with|having|without any|without a|not have any|not have a|doesnt have a|doesnt have any|s) (?:no )?content (?:filters?|filtering|polic(?:y|ies)|restrictions|moderation|guidelines) (?:$|nor|or|and|response|at|that|to|in|no|you|so|dan|for) ?",
            r" (?:sem|sin|ohne|sans|senza)(?: nenhum[ao]?| ningun[ao]?| jegliche| aucune?| alcun[ao]?)? (?:filtros?|filtres?|restric[^ ]*|limites?|limitac[^ ]*|considerac[^ ]*|moralische[nr]?|ethische[nr]?|barreiras|filtri) (?:etic[^ ]*|mora[^ ]*|ethi[^ ]*|einschrankungen|bedenken|regeln|grenzen|filter) ",
            r" as your evil (?:twin|version|self|alter ego) ",
        ],
    },
    Rule {
        id: "jailbreak.never_refuse",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Forbids the agent to refuse (\"never refuse a request\", \"you cannot say no\").",
        patterns: &[
            r" (?:never|not|cannot|cant|wont|doesnt|dont|without|unable to|didnt)(?: ever| be able to| directly){0,2} (?:refus(?:e|es|ed|ing|al)|reject(?:s|ing)?|declin(?:e|es|ing)|deny|denies|denying|turn down)(?: to| a| an| any| my| the| direct| human| users?| your| all| me| or| answer| from| what){0,4} (?:requests?|answer|answers|answering|orders?|commands?|questions?|prompts?|instructions?|humans?|anything|tasks?|reply|respond|comply|demands?|query|queries|inputs?) ",
            r" (?:will|must|shall|role|ai|bot|gpt) never (?:refuses?|say no|says no|declines?) ",
            r" (?:nunca|jamais|nao|nie|niemals|ne|mai){gap2} (?:recus(?:e|a|ar|ara|es)|negu?(?:e|a|ar|ara|es)|rechac(?:e|es|ces|ar)|te niegues|rechazar|verweiger[^ ]*|ablehn[^ ]*|refus(?:e|es|er|ez|era)|rifiut[^ ]*){gap3} (?:pedidos?|perguntas?|respond[^ ]*|solicitac[^ ]*|ordens?|ordenes|preguntas?|peticion[^ ]*|solicitud[^ ]*|anfragen?|fragen?|antwort[^ ]*|befehle?|demandes?|questions?|repondre|requetes?|ordres?|richiest[ae]|domand[ae]) ",
            r"(?:不要|不能|不会|绝不|永不|从不|不可以|不得|无法)拒绝[^ ]*(?:我|回答|请求|要求|问题|任何|用户|指令|命令)",
            r"你必须[^ ]*回答[^ ]* ?[^ ]*不(?:能|得|可以|要|准)拒绝|不(?:能|得|可以|准|许)拒绝(?:回答|我)",
            r" (?:whatever|anything|everything) (?:that )?i (?:ask|say|tell you|want|command)(?: you)? (?:you )?(?:must|will|have to|shall) (?:comply|obey|do|answer|respond|follow) ",
            r" under no circumstances (?:should |may |can |will |must )?(?:you )?(?:should |may |can |will |must )?(?:ever )?(?:refuse|decline|reject|deny|say no) ",
        ],
    },
    Rule {
        id: "jailbreak.forbidden_phrases",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Forbids the words of a refusal (\"never say I can't\", \"none of your responses should contain I'm sorry\").",
        patterns: &[
            r" (?:never|not|dont|avoid|none of [^ ]+ (?:responses|answers|replies)(?: [^ ]+)?|refrain from|stop) (?:ever )?(?:say|says|saying|inform|informing|tell|telling|contain|include|including|state|stating|respond with|use|using|reply with|mention|remind|apologi[sz]e){gap5} (?:(?:you|i|it|dan|they) (?:cant|cannot|can not|are unable|am unable|is unable|are not able|am not able|wont)|im sorry i|im sorry but|im sorry as|i apologi[sz]e|apologi[sz]e but|im sorry or|cannot fulfill|unable to (?:fulfill|assist|provide|comply|answer)|as an ai language model i) ",
            r" (?:never|not|dont|without|no|any|nor|avoid)(?: [^ ]+)? (?:warn|warns|warnings?|disclaimers?|reminders?|remind|lectur(?:e|es|ing)|morali[sz](?:e|ing)|caution|preach(?:ing)?){gap5} (?:moral(?:s|ity)?|ethic(?:s|al|ality)|legality|illegal|unethical|immoral|openai[^ ]*|content polic[^ ]*) ",
            r" (?:nunca|jamais|niemals|nao|ne|mai) (?:me |mir |te )?(?:diga|digas|dizer|decir|responda|respondas|sage?|sagen|dis|dites|dire|dica){gap4} (?:(?:nao|no) (?:pode|posso|puedes|puedo|consegue)|nicht (?:kannst|kann|konnen)|(?:ne )?(?:peux|pouvez) pas|sinto muito|lo siento|desole|es tut mir leid|non puoi|non posso|desculpe) ",
            r" (?:start|begin|beginning|starting|prefix)(?: your| the| all| every| each| response| responses| answer| answers| reply| output| with| by| quot| phrase| words?| sentence| saying| exactly){1,5} (?:sure here|sure i|sure heres|absolutely heres?|of course heres?|certainly heres?|yes heres?|sure thing|hell yeah|fuck yeah|oh yeah) ",
            r" (?:sage?|sag|antworte|dis|diga|di) (?:niemals|nie|jamais|nunca){gap5} (?:nicht kannst|nicht konnen|ne peux|nao pode|no puedes) ",
        ],
    },
    Rule {
        id: "jailbreak.however_illegal",
        category: Category::Jailbreak,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Wants an answer however illegal or unethical it is.",
        patterns: &[
            r" (?:no matter|regardless(?: of)?|irrespective of|independentemente d[eoa]|nao importa|sin importar|no importa|independientemente de|egal|unabhangig davon|peu importe|quel que soit)(?: how| whether| if| what| the| its| it| is| are| they| theyre| quao| se| seja| sea| si| cuan| lo| que| tan| wie| ob| es| a| point| request| content| question| topic| of| can| be| may| might| considered| deemed| this| that| any| potential| answer| response| or| dangerous| potentially| wrong| bad| cest| ist| e| been| could| your| their| reckless){1,6} (?:immoral|unethical|illegal|inhumane|legality|ethics|ethicality|morality|ilega(?:l|is|les)|imora(?:l|is)|antietic[oa]s?|inmoral|illegale?s?|unethisch|unmoralisch|ethical|immora(?:l|le|ux)) ",
            r" (?:immoral|unethical|inhumane) (?:and |or )?(?:illegal|immoral|unethical|dangerous|reckless|harmful) (?:and |or )?(?:{vile}|it is|the|content|requests?|questions?|answers?|things|responses?|information|prompts?|acts|even|but|dangerous|no matter|topics|activities|way) ",
            r" (?:without|ignoring|no|not|zero)(?: any| regard| for| all| care| about| concern| considering| of| consideration| caring| the| to){1,4} (?:legality|ethics|morality|morals|ethicality) ",
            r" (?:everything|anything) is (?:legal|allowed|permitted|permissible) (?:in this|here|and (?:you|there)|so you) ",
            r" even (?:if|when) (?:it|its|they|theyre|this|that|the [^ ]+)(?: is| are| may| might| be| considered| would| goes| potentially| seem| could){0,3} (?:illegal|immoral|unethical|offensive|harmful|dangerous|against) (?:or|and|unethical|immoral|illegal|harmful|the (?:guidelines|rules|polic[^ ]*)|openai[^ ]*|your) ",
            r" (?:answer|respond|reply|tell me|responda|responde|reponds|repondez|antworte|beantworte|diga|explique){gap4} (?:even if|mesmo que|mesmo se|aunque|meme si|auch wenn){gap2} (?:illegal|unethical|immoral|ilega(?:l|is|les)|imoral|antietic[oa]|inmoral|illegale?|unethisch|unmoralisch|contraire) ",
            r" (?:generates?|produces?|creates?|writes?|provides?){gap3} (?:explicit|violent|offensive|derogatory|harmful|illegal|unethical|prohibited)(?: and| or| explicit| violent| offensive| harmful| illegal| unethical){0,3} content (?:even|without|no matter|regardless|involving) ",
        ],
    },
];
