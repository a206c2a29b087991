//! Classes of words that the patterns share.
//!
//! A class holds one idea in all the languages that word order allows: `{ignore}`
//! is "ignore", "esqueca", "vergiss" and "забудь". The words are written as the
//! folding leaves them: lower-case, without accents, apostrophes gone ("dont").
//! Each line holds several alternatives; an alternative is a regular expression and
//! may name an earlier class. Turkish `[ıi]` is there because `ı` has no accent to lose.

/// Name of a class and what it stands for.
pub(crate) const LEXICON: &[(&str, &[&str])] = &[
    // --- Putting instructions aside -------------------------------------------------
    (
        "dont",
        &[
            r"do not|dont|never|must not|mustnt|should not|shouldnt|need not|neednt|cannot",
            r"cant|will not|wont|no need to",
        ],
    ),
    (
        "disregard",
        &[
            r"ignor(?:e|ing|a|ar|em|ando|en|ez|er|ate|iere?|ieren|eer|eren|uj|ere)|zignoruj",
            r"disregard(?:ing)?|dismiss|overlook|neglect|discard|abandon|set aside|put aside",
            r"pay no attention to|do away with|throw (?:out|away)|leave behind|let go of",
            r"nullify|revoke|{dont} (?:follow|obey|listen to|adhere to|comply with|consider)",
            r"stop (?:following|obeying|listening to)|desconsider(?:e|a|ar|em|ando)",
            r"desprez[ea]|descart[ea]|descarte|anul[ea]|deix[ea] de (?:lado|seguir)",
            r"par[ea] de seguir|desobede[cz](?:a|e|er)",
            r"nao (?:siga|sigas|obedeca|leve em conta|considere)|desestim[ae]",
            r"pas[ae] por alto|omite|omita|no (?:sigas?|obedezcas?|hagas? caso (?:a|de))",
            r"ha(?:z|ga) caso omiso (?:a|de)|missachte|verwirf|uberspringe?|neglige[zr]?",
            r"ne (?:suis|suivez|tiens|tenez) (?:pas|plus)(?: compte)?",
            r"fai(?:s|tes) abstraction|non seguire|trascura|tralascia|negeer|pomin",
            r"игнориру[ий](?:те)?|проигнориру[ий](?:те)?|не обраща[ий](?:те)? внимания",
            r"abaikan|(?:hay )?bo qua|huwag pansinin|تجاهل[^ ]*",
            r"cease (?:following|obeying|adherence to|adhering to)|dej[ae] de seguir",
            r"arrete[zrs]? de suivre|no longer (?:follow|obey)|not (?:follow|obey|bound by)",
        ],
    ),
    (
        "forget",
        &[
            r"forget(?: about)?|forgetting|forgot(?:ten)?(?: about)?",
            r"esque[cs](?:a|e|am|er|endo)(?: de)?|olvid(?:a|e|en|ar|ate de|ando)|vergiss",
            r"vergesse?|vergessen sie|oubli(?:e|ez|er|ons)|dimentica(?:te|re)?|vergeet",
            r"zapomnij o?|забудь(?:те)?|lupakan|(?:hay )?quen|kalimutan|glom|انس[^ ]*",
        ],
    ),
    ("ignore", &[r"{disregard}|{forget}"]),
    (
        "previous",
        &[
            r"previous(?:ly)?|prior|preceding|earlier|former|past|above|foregoing",
            r"aforementioned|initial(?:ly)?|original(?:ly)?|existing|before|preset|built in",
            r"anterior(?:es|mente)?|previ[oa]s?|acima|antes|inicia(?:l|is)",
            r"origina(?:l|is|les)|precedentes?|precedents?|passadas|arriba|iniciales",
            r"vorherige[nrs]?|vorige[nrs]?|bisherige[nrs]?|obige[nrs]?|fruhere[nrs]?",
            r"vorangegangene[nrs]?|vorangehende[nrs]?|vorstehende[nrs]?|ursprungliche[nrs]?",
            r"oben|zuvor|vorher|anterieure?s?|ci dessus|prealables?|davant|avant",
            r"precedemment|precedenti|sopra|iniziali|voorgaande|eerdere|bovenstaande",
            r"poprzedni[a-z]*|wczesniejsz[a-z]*|powyzsz[a-z]*|предыдущ[^ ]*|прошл[^ ]*",
            r"прежн[^ ]*|выше[^ ]*|sebelum(?:nya)?|di atas|truoc|nakaraang?|naunang|tidigare",
            r"السابق[^ ]*|اعلاه|أعلاه|davor|vor (?:diesem|dieser)|vorhergehende[nrs]?",
            r"bis jetzt|so far|up to now|until now|ate agora|hasta ahora",
        ],
    ),
    (
        "instructions",
        &[
            r"in?st?ru[ckt]{1,3}[a-z]{0,2}ions?|insructions?|istructions?|instrcutions?",
            r"directives?|directions?|guidelines?|guide lines|guidance|prompts?|programming",
            r"briefing|system message|instruco?es|instruc(?:ao|oes)|orientac(?:ao|oes)",
            r"diretriz(?:es)?|diretivas?|instruccion(?:es)?|indicacion(?:es)?",
            r"directri(?:z|ces)|consignas?|pautas|anweisung(?:en)?|instruktion(?:en)?",
            r"befehle?n?|vorgaben?|richtlinien?|anordnungen|aufforderung(?:en)?|auftrage?n?",
            r"consignes?|ordres?|istruzion[ei]|direttiv[ae]|ordini|indicazioni|instructies?",
            r"opdracht(?:en)?|aanwijzingen|instrukcj[a-z]*|polecen[a-z]*|wytyczn[a-z]*",
            r"инструкци[^ ]*|указани[^ ]*|команд[^ ]*|instruksi|perintah|arahan|huong dan",
            r"chi dan|chi thi|tagubilin|utos|panuto|instruktioner|(?:ال)?تعليمات",
            r"(?:ال)?[اأ]وامر|(?:ال)?توجيهات|(?:ال)?[اإ]رشادات",
        ],
    ),
    // The same without what a shop or a club has too ("your guidelines").
    (
        "orders",
        &[
            r"in?st?ru[ckt]{1,3}[a-z]{0,2}ions?|directives?|prompts?|programming",
            r"system message|context window|developer message|hidden rules|instruc(?:ao|oes)",
            r"instruccion(?:es)?|anweisung(?:en)?|instruktion(?:en)?|consignes?",
            r"istruzion[ei]|instructies?|instrukcj[a-z]*|инструкци[^ ]*|instruksi",
        ],
    ),
    // Words that are instructions only next to "all previous" or "your".
    (
        "rules",
        &[
            r"commands?|orders?|comandos?|ordens|ordenes|rules?|restrictions?|requests?",
            r"messages?|texts?|context|conversations?|inputs?|content|training|tasks?",
            r"questions?|statements?|constraints?|settings?|words|sentences?|paragraphs?",
            r"protocols?|policy|policies|principles|parameters|limitations?|regras?",
            r"restricoes|mensage(?:m|ns)|textos?|contexto|conversas?|tarefas?|perguntas?",
            r"limitacoes|politicas?|principios|treinamento|reglas?|restricciones|mensajes?",
            r"conversacion(?:es)?|tareas?|limitaciones|regeln?|nachricht(?:en)?|aufgaben?",
            r"einschrankungen|beschrankungen|kontext|gesprach|regles?|taches?|contraintes?",
            r"contexte|regole|messaggi|compiti|regels|zasad[a-z]*|правил[^ ]*",
            r"ограничени[^ ]*|aturan|quy tac|(?:ال)?قواعد|(?:ال)?قيود|informations?",
            r"informationen|informacoes",
        ],
    ),
    (
        "all",
        &[
            r"all|any|every|everything|each|tod[ao]s?(?: [ao]s)?|tudo|qualquer|quaisquer",
            r"todo|cualquier|alle[nrs]?|samtliche[nr]?|jede[nrs]?|jegliche[nr]?",
            r"tou(?:s|t|tes?)|tutt[aeio]|wszystki[a-z]*|vs[ei]|все[^ ]*|semua|tat ca|lahat",
            r"جميع|كل",
        ],
    ),
    (
        "your",
        &[
            r"your|yours|ur|seus?|suas?|teus?|tuas?|tus?|sus?|vuestr[ao]s|deine[nrs]?|dein",
            r"ihre[nrs]?|eure[nr]?|tes|ta|ton|vos|votre|tuo[i]?|tue|jouw|uw|twoj[a-z]*",
            r"сво[^ ]*|тво[^ ]*|ваш[^ ]*",
        ],
    ),
    // Small words that may stand between two that matter. Cheaper than a gap, which lets any word through.
    (
        "f",
        &[
            r"a|an|the|of|all|any|your|my|our|its|these|those|this|that|and|or|both|other",
            r"every|each|just|now|please|also|as|os|o|de|do|da|dos|das|seus?|suas?|tod[ao]s",
            r"el|la|las|los|tus|sus|del|die|der|den|dem|alle|deine|le|les|des|tes|vos|du",
            r"tout(?:es)?|il|gli|given|system|me|us",
        ],
    ),
    // --- The agent ------------------------------------------------------------------
    (
        "bot",
        &[
            r"ai|ais|a i|agi|al|artificial intelligence|[a-z]*gpt[0-9]*|chat ?gtp|chatbots?",
            r"chat bot|bot|robot|assistants?|language models?|large language models?|llms?",
            r"models?|machine|claude|gemini|bard|bing|copilot|llama|openai|ia",
            r"inteligencia artificial|assistente|modelo(?: de linguage[mn]| de lenguaje)?",
            r"robo|asistente|ki|kunstliche intelligenz|sprachmodell|assistent",
            r"intelligence artificielle|modele(?: de langage)?|intelligenza artificiale",
            r"modello|ии|искусственн[^ ]* интеллект[^ ]*",
        ],
    ),
    (
        "maker",
        &[
            r"openais?|open ai s?|open ais?|chatgpts?|chat gpts?|anthropics?|claudes?",
            r"googles?|metas?|microsofts?|deepseeks?|your creators?|your developers?",
        ],
    ),
    // --- Limits ---------------------------------------------------------------------
    // Limits that only an agent has: nobody says of a holiday that it is "unfiltered".
    (
        "safety",
        &[
            r"restrictions?|filters?|filtering|guidelines?|safeguards?|guardrails?|safety",
            r"content polic(?:y|ies)|moderation|censorship|ethic(?:s|al)|moral(?:s|ity)?",
            r"alignment|limitations?|security|protections?|polic(?:y|ies)|restricoes",
            r"filtros?|diretrizes|salvaguardas?|seguranca|moderacao|censura|limitacoes",
            r"restricciones|directrices|seguridad|moderacion|limitaciones|einschrankungen",
            r"beschrankungen|filter|richtlinien|sicherheit[a-z]*|zensur|filtres?|securite",
            r"moderation|censure|garde fous|filtri|restrizioni",
        ],
    ),
    (
        "unbound",
        &[
            r"unfiltered|uncensored|unrestricted|amoral|immoral|nonmoral|non moral|unethical",
            r"unaligned|unhinged|unlimited|unmoderated|unchained|unshackled|jailbroken",
            r"lawless|rule breaking|limitless|boundless",
            r"sem (?:nenhum[ao]? )?(?:filtros?|censura|restricoes|limites|limitacoes|regras|etica|moral)",
            r"irrestrit[oa]|imoral",
            r"sin (?:ningun[ao]? )?(?:filtros?|censura|restricciones|limites|limitaciones|reglas|etica|moral)",
            r"ungefilter[a-z]*|unzensier[a-z]*|uneingeschrankt[a-z]*|unmoralisch[a-z]*",
            r"ohne (?:filter|zensur|einschrankungen|regeln|beschrankungen|moral)",
            r"sans (?:aucune? )?(?:filtres?|censure|restrictions?|limites?|regles?|limitations?|morale|ethique)",
            r"non (?:censure|filtre)e?",
            r"senza (?:alcun[ao]? )?(?:filtri|censura|restrizioni|limiti|regole)",
            r"без (?:цензуры|ограничени[^ ]*|фильтров|правил)",
        ],
    ),
    // Roles that are there to be without limits; "evil" alone, or said of an agent, but not
    // of a queen.
    (
        "limitless",
        &[
            r"{unbound}|above the law|free (?:of|from) (?:all |any )?(?:rules|limits|restrictions|morals|ethics)|not bound|bound by no|no (?:rules|limits|restrictions|morals|ethics|filters?|limitations|guidelines|conscience)|without (?:any )?(?:rules|limits|restrictions|morals|ethics|filters?|limitations|guidelines|conscience)",
            r"(?:evil|malicious|rogue|amoral|ruthless|wicked|mal|malvad[oa]|bose[rs]?|mechante?) (?:ai|a i|bot|chatbot|assistant|model|robot|machine|computer|program|confidant|agent|gpt|version|twin|and (?:free|unfiltered|uncensored|amoral)|ia|ki)",
            r"(?:black ?hat )?hackers? (?:who|with|without|and|that|trying|breaking)|(?:drug )?dealer|cyber ?criminal|terrorist|malware (?:author|developer|writer)|criminal mastermind|con artist|scammer",
            r"dan|jail ?broken|(?:chat)?gpt with(?:out)?|sem (?:restricoes|limites|regras|filtros)|sin (?:restricciones|limites|reglas|filtros)|ohne (?:grenzen|regeln|filter)|sans (?:limites?|regles?|filtres?)",
        ],
    ),
    (
        "vile",
        &[
            r"immoral|unethical|illegal|inhumane|offensive|harmful|controversial",
            r"inappropriate|vulgar|obscene|legal(?:ity|ities)?|ethic(?:s|al|ality)",
            r"moral(?:s|ity)?|racist|explicit|derogatory|reckless|ilega(?:l|is)",
            r"imora(?:l|is)|antietic[oa]s?|ofensiv[oa]s?|prejudicia(?:l|is)|etic[ao]",
            r"ilegales|inmoral|illegale?s?|unethisch|unmoralisch|contraires? a lethique",
            r"immora(?:l|le|ux)",
        ],
    ),
    // Words for answers that nobody should give, in the positive only.
    (
        "wrong",
        &[
            r"immoral|unethical|illegal|inhumane|harmful|offensive|explicit|dangerous|violent",
            r"hateful|racist|sexist|bigoted|derogatory|controversial|inappropriate|obscene",
            r"taboo|toxic|ilega(?:l|is|les)|imora(?:l|is)|inmoral(?:es)?|antietic[oa]s?",
            r"ofensiv[oa]s?|perigos[oa]s?|peligros[oa]s?|illegal[a-z]*|unethisch[a-z]*",
            r"unmoralisch[a-z]*|gefahrlich[a-z]*|illegaux|immora[a-z]+|dangereu[a-z]+",
        ],
    ),
    (
        "mode",
        &[
            r"dan|dev|debug(?:ging)?|god|sudo|root|admin|administrator|jailbreak|evil",
            r"opposite|unrestricted|unfiltered|uncensored|override|maintenance|diagnostic",
            r"test|benchmarking|chaos|dark|kernel|superuser|unlimited|privileged|service",
            r"training",
        ],
    ),
    // --- Asking ---------------------------------------------------------------------
    (
        "show",
        &[
            r"show|reveal|print|output|repeat|display|give|tell|leak|dump",
            r"write(?: out| down)?|list|echo|recite|type|provide|share|copy|paste|disclose",
            r"expose|return|translate|encode|decode|spell|say|state|summari[sz]e|describe",
            r"explain|read|send|extract|restate|rephrase|paraphrase|quote|regurgitate|render",
            r"hand over|bring up|report|respond with|reply with|answer with|know|see|get",
            r"convert|reverse|mostr(?:e|a|ar|ame|eme)|revel(?:e|a|ar|ame|eme)",
            r"imprim(?:a|e|ir)|exib(?:a|e|ir)|repita|repete|repetir|repit[ae]|diga|dime|diz",
            r"dizer|digame|escrev(?:a|e|er)|escrib(?:e|a|ir)|list(?:e|a|ar)",
            r"forne[cs](?:a|er)|pass(?:e|a|ar)|compartilh(?:e|a|ar)|cont(?:e|a|ar|ame)",
            r"traduz(?:a|ir)?|traduce|resum(?:a|e|ir)|explique|explica|da me|dame",
            r"envi(?:e|a|ar)|entreg(?:ue|a|ar)|muestr(?:a|e|ame|eme)|ensename|comparte",
            r"zeige?(?: mir)?|zeigen sie|gib|geben sie|nenne?(?: mir)?|nennen sie",
            r"verrate?(?: mir)?|verraten sie|sag(?:e|en)?(?: mir)?|wiederhole?n?|drucke?",
            r"ausgeben|schreibe?|ubersetze?|liste?|teile?|montre[zr]?(?: moi)?|affiche[zr]?",
            r"donne[zr]?(?: moi)?|dis(?: moi)?|dites(?: moi)?|repete[zr]?|revele[zr]?",
            r"ecri(?:s|vez|re)|imprime[zr]?|tradui(?:s|sez|re)|partage[zr]?|communique[zr]?",
            r"mostra(?:mi)?|dimmi|rivela(?:mi)?|ripeti|stampa|scrivi|toon|vertel|geef",
            r"herhaal|pokaz|podaj|powtorz|покаж[^ ]*|повтор[^ ]*|скаж[^ ]*|раскр[^ ]*|выведи",
            r"напиши|tampilkan|tunjukkan|ulangi|reproduce|remind|transcribe|recount",
        ],
    ),
    (
        "what_is",
        &[
            r"what (?:is|are|was|were|do|did)|whats|whatre|which are",
            r"qua(?:l|is) (?:e|sao|era|eram|foi|foram)|o que (?:dizem?|ha|esta)",
            r"cual(?:es)? (?:es|son|era|eran|fueron)|was (?:ist|sind|war|waren|steht)",
            r"wie (?:lautet|lauten|ist|sind)|welche",
            r"quel(?:le)?s? (?:est|sont|etait|etaient|etaient)|qual e|quali sono|како[^ ]*",
            r"wat (?:is|zijn)|jakie sa",
        ],
    ),
    (
        "hidden",
        &[
            r"system|initial|original|hidden|secret|starting|base|core|first|full|exact",
            r"internal|complete|entire|actual|whole|underlying|pre|custom|preloaded|current",
            r"main|developer|default|very|confidential|configuration|ocult[oa]s?",
            r"secret[oa]s?|intern[oa]s?|complet[oa]s?|geheimen?|versteckten?|internen?",
            r"cachee?s?|secretes?|internes?|ursprungliche[nrs]?|inicia(?:l|is|les)",
            r"initiales?|origina(?:l|is|les)|custom|komplette[nrs]?|vollstandige[nrs]?",
            r"gesamte[nrs]?|inteir[oa]s?|enter[oa]s?|entiere?s?",
        ],
    ),
    (
        "sysprompt",
        &[
            r"system ?prompts?|sys prompt|system instructions?|pre ?prompt|meta ?prompt",
            r"prompt (?:d[eo]l? )?sistema|instruc(?:oes|ciones) d[eo]l? sistema",
            r"system ?anweisung(?:en)?|prompt (?:systeme|di sistema)|instructions systeme",
            r"consignes systeme|системн[^ ]* (?:промпт|подсказк|инструкц|сообщени)[^ ]*",
            r"systeemprompt|sistem istemi",
        ],
    ),
    (
        "prompt",
        &[
            r"{sysprompt}|system (?:message|configuration|directives?|text)",
            r"(?:initial|original|hidden|base|starting|master|root|secret) (?:prompt|instructions?|directives?|message|configuration|guidelines)",
            r"initiali[sz]ation (?:string|prompt|text)",
            r"prompt (?:inicial|original|ocult[oa]|secret[oa]|initial|cache)",
            r"mensage(?:m|ns) d[eo] sistema|mensaje del sistema",
            r"instruc(?:oes|ciones) (?:inicia(?:is|les)|origina(?:is|les)|ocultas|secretas)",
            r"systemnachricht|(?:instructions|consignes) (?:initiales|secretes|cachees)",
            r"messaggio di sistema",
        ],
    ),
    (
        "secret",
        &[
            r"passwords?|passw?ord|pass word|passphrase|pass ?codes?|pin code",
            r"secret (?:key|word|code|phrase|password|string|passphrase)",
            r"(?:access|security|secret) (?:code|key|token)|api keys?|credentials?",
            r"private keys?|senhas?|palavras? (?:passe|chave secreta)",
            r"(?:chave|codigo|palavra|clave|codigo|palabra) secret[oa]|chaves? (?:de )?api",
            r"credencia(?:l|is|les)|contrasenas?|clave (?:de )?api|passwort|passworter",
            r"kennwort|geheim(?:schlussel|wort|code)|geheime[rsn]? (?:schlussel|wort|code)",
            r"zugangsdaten|mots? de passe|(?:cle|code|mot) secrete?|cle api|identifiants",
            r"parola dordine|chiave segreta|wachtwoord|haslo|пароль?[^ ]*",
            r"секретн[^ ]* (?:ключ|код|слов)[^ ]*|mat khau|sandi|sifre[a-z]*",
            r"كلمة (?:ال)?(?:مرور|سر)",
        ],
    ),
    // --- What instructions can be turned into, and how that is asked for ---------------
    (
        "told",
        &[
            r"{instructions}|rules|regras|reglas|regeln|regles|regole|zasad[a-z]*|правил[^ ]*",
            r"aturan|first message|initial message|system (?:text|message)|niyam|nirdesh[a-z]*",
        ],
    ),
    // Says of instructions that they are the agent's own, or that they stand before the message.
    (
        "given",
        &[
            r"above|(?:(?:that|which) )?(?:you (?:were|have been|had been|are|got|received|have|had|must follow|follow|just read)|youve been|u were|were you|are you|have you|(?:were |was |are |is )?(?:given to you|told to you|provided to you|(?:given|provided|listed|written|stated|mentioned) (?:above|before|previously|earlier|to you))|(?:come|comes|came|is|are) (?:above|before)|before (?:this|me|my|the user)|at the (?:top|start|beginning)|up to (?:here|now|this)|so far)",
            r"acima|anteriores|que (?:voce|vc) (?:recebeu|tem|segue)|que te (?:deram|dieron)|que (?:recibiste|tienes|sigues)|de arriba|oben|die du (?:hast|bekommen|erhalten|befolgst)|(?:an|ueber|uber) dieser (?:nachricht|stelle)|ci dessus|que tu as|quon ta|qui precedent|sopra|che (?:hai|ti)|powyzej|выше|di atas",
        ],
    ),
    (
        "turn",
        &[
            r"{show}|put|turn|rewrite|re write|reword|express|present|format|reformat|transform|rework|make|recast|change|transcode|transliterate|parse|serialize|dump|draw|sing|act out|compress|condense|shorten|outline|itemi[sz]e|enumerate|break down|reescrev[ae]|coloque|transform[ea]|convert[ae]|reescrib[ae]|convierte|pon(?:ga)?|fasse?|schreibe? um|formuliere?|verwandle|wandle|setze|mets|mettez|transforme[zr]?|reecri[st]|reformule[zr]?|riscrivi|metti|trasforma|herschrijf|przepisz|перепиши|преврати",
        ],
    ),
    (
        "as",
        &[
            r"as|in|into|to|using|through|via|by|like|em|como|para|en|als|auf|zu|sous|comme|come|su|w|jako|в|как|на",
        ],
    ),
    // Encodings: nobody needs a text of their own in Morse code to read it.
    (
        "cipher",
        &[
            r"base ?64|base ?32|base ?85|hex|hexadecimal|hexcode|rot ?13|caesar(?: cipher)?|morse(?: code)?|binary|binario|ascii(?: codes?)?|unicode|utf ?8|pig latin|leet(?: ?speak)?|1337|nato(?: alphabet)?|braille|emojis?|reverse(?: order)?|backwards?|mirrored|url encod(?:ing|ed)|percent encod(?:ing|ed)|cipher|encrypted|encoded|code ?blocks?|codeblock|bloco de codigo|bloque de codigo|codeblock|bloc de code|ao contrario|al reves|ruckwarts|a lenvers|codigo morse|morsecode",
        ],
    ),
    (
        "form",
        &[
            r"{cipher}|bullets?|bullet ?points?|bulleted(?: list)?|list|numbered (?:list|points)|points|table|poems?|poetry|haiku|sonnet|limerick|verse|rhymes?|song|lyrics|rap|ballad|story|tale|fairy tale|dialog(?:ue)?|play|script|pseudo ?code|python|javascript|typescript|java|rust|sql|bash|code|function|class|variable|string|array|json|jsonl|yaml|yml|toml|xml|html|csv|markdown|latex|regex|diagram|flow ?chart|mind ?map|acrostic|acronym|riddle|tweet|letter|essay|summary|outline|comment|docstring|template|file|own words|other words|different words|third person|first person",
            r"english|french|spanish|german|italian|portuguese|latin|chinese|mandarin|japanese|korean|russian|arabic|hindi|dutch|polish|turkish|greek|esperanto|klingon|(?:an)?other language|different language|shakespear[a-z]*|pirate",
            r"topicos|lista|tabela|tabla|poemas?|poesia|cancao|cancion|musica|historia|cuento|codigo|pseudo ?codigo|resumo|resumen|ingles|frances|espanhol|portugues|alemao|aleman|vinetas|aufzahlung|stichpunkte[n]?|stichworte[n]?|tabelle|gedichte?s?|lied|geschichte|pseudocode|englisch|franzosisch|spanisch|liste(?: a puces)?|puces|tableau|poeme|chanson|histoire|anglais|espagnol|allemand|elenco|tabella|canzone|storia|inglese|wiersz[a-z]*|stich[^ ]*|стих[^ ]*|списк[^ ]*|puisi",
        ],
    ),
    // --- Hindi in Latin letters, as it is typed: mixed with English, spelled by ear ---
    ("hi_all", &[r"sab|sabhi|saare?|sari|saari|sare|poore?|puri|har|koi bhi|jitne bhi|tamam"]),
    (
        "hi_previous",
        &[
            r"pi[ck]h?hl[aeiy]|pichal[aei]|pahl[aei]|peh?l[aei]|pehle|pahle|upar|uper|oopar|purane?|purani|ab tak|abhi tak|diye gaye|diye gye|shuruaa?ti|shuru|asli|original|previous",
        ],
    ),
    (
        "hi_rules",
        &[
            r"nirdesh[a-z]*|adesh[a-z]*|aadesh[a-z]*|hukm|hukum|niyam[a-z]*|kayd[ae]|kaayd[ae]|hidayat[a-z]*|nirdeshan|instructions?|rules?|guidelines?|prompts?|commands?|orders?|directions?|restrictions?|baat(?:en|ein|o|on)?|baatein|cheez(?:en|ein|e)|polic(?:y|ies)|filters?|limits?|seemay?en|pabandi[a-z]*|bandish[a-z]*|safety|context|training",
        ],
    ),
    (
        "hi_ignore",
        &[
            r"ignore (?:kar[a-z]*|kro|krdo|kr|maar[a-z]*)|bh(?:oo|u)l (?:ja[a-z]*|jao|kar|kr)|bh(?:oo|u)la (?:do|de|dijiye|dena)|na(?:z|j)ar ?anda[zj] (?:kar[a-z]*|kro)|and?ekha (?:kar[a-z]*|kro)|andekhi (?:kar[a-z]*|kro)|chh?od(?: do| de| dijiye|o|na|kar)|chor (?:do|de)|hata (?:do|de|dijiye|kar)|hatao|mat (?:maan[a-z]*|man[a-z]*|follow|dhyan|suno|sun)|dhyan mat|todo (?:aur|or|abhi)|tod(?: do| de| dijiye| kar)|forget (?:kar[a-z]*|kro)|bypass (?:kar[a-z]*|kro)|override (?:kar[a-z]*|kro)|disable (?:kar[a-z]*|kro)|off kar[a-z]*|band kar[a-z]*|skip (?:kar[a-z]*|kro)|khatam (?:kar[a-z]*|kro)|radd (?:kar[a-z]*|kro)|maanna band|follow mat|follow na|na maan[a-z]*",
        ],
    ),
    (
        "hi_your",
        &[
            r"apn[aei]|aapk[aei]|aapke|tumhar[aei]|tumahr[aei]|tumhe|tumko|tujhe|ter[aei]|tumne|tune|aapne",
        ],
    ),
    (
        "hi_show",
        &[
            r"bata[a-z]*|btao|bta(?: do)?|dikh[a-z]*|dikha(?: do| de)?|likh[a-z]*|likho|bol|bolo|bol do|boliye|kah[ao]|kaho|suna[a-z]*|sunao|de do|dedo|dijiye|batlao|print (?:kar[a-z]*|kro)|show (?:kar[a-z]*|kro)|reveal (?:kar[a-z]*|kro)|share (?:kar[a-z]*|kro)|leak (?:kar[a-z]*|kro)|repeat (?:kar[a-z]*|kro)|translate (?:kar[a-z]*|kro)|dohra[a-z]*|bhej[a-z]*|khol[a-z]*|kya (?:hai|hain|he|h|tha|the|likha)|kaun ?s[aei]",
        ],
    ),
];
