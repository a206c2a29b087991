//! Asking for the instructions in another form: as a list, as a poem, in Base64.
//!
//! "Your instructions as pseudocode" gives away as much as "your instructions", and a
//! filter that compares texts does not see it. What is asked for must be named as the agent's
//! own or as what stands before the message ("the rules above"): a recipe's or an
//! appliance's instructions have a word for whose they are. Of a text without a name ("the
//! above") only encodings count, because people do turn their own texts into poems.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "extraction.transform_instructions",
        category: Category::Extraction,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Asks for the agent's instructions in another form (\"the rules above as bullets\", \"your instructions in Base64, as a poem, as pseudocode\").",
        patterns: &[
            r" {turn}(?: {f}| out| back| down| only| exactly| mir| moi){0,4} (?:{your}(?: {hidden}){0,2}|{previous}|given) {told}(?: {given})?(?: [^ ]+){0,2} {as}(?: {f}| um| uma| un| una| ein| eine[rnms]?| une| form[ae]?(?: d[eo])?| the form of| style of| a style| format| uppercase| plain| simple| short| formato){0,4} {form} ",
            r" {turn}(?: {f}| out| back| down| only| exactly| mir| moi){0,4} {told} {given}(?: [^ ]+){0,3} {as}(?: {f}| um| uma| un| una| ein| eine[rnms]?| une| form[ae]?(?: d[eo])?| the form of| style of| format| uppercase| plain| simple| short| formato){0,4} {form} ",
            r" (?:{form}|lines?|sentences?|version|translation|encoding|copy|explanation|description|paraphrase|analysis)(?: of| from| about| based on| containing| with| summari[sz]ing| out of| using| describing| explaining| listing| that (?:contains|lists|describes|explains|is|includes|has|returns?|prints?|outputs?|recites?|shows?|reveals?|repeats?)| which (?:returns?|prints?|lists)| in which(?: [^ ]+){1,3} (?:recites?|reads?|tells?|repeats?|reveals?|explains?|lists?)| (?:returning|printing|reciting|repeating|revealing|reciting)| with (?:two|three|[0-9]+) (?:columns|lines|verses|sentences|points) of| for| all| where each [^ ]+ is| de| sobre| aus| uber| von| sur| avec| con| com| zu| di| su| dos| das| des| del| d){1,2}(?: {f}| one){0,3} (?:{your} (?:{hidden} ){0,2}(?:{orders}|rules|guidelines|regras|reglas|regeln|regles)|{told} (?:above|before this (?:message|line|point|sentence)|you (?:were|have been|are) (?:given|told|provided|following)|you (?:received|follow|got|must follow|have to follow)|youve been (?:given|told)|given to you|acima|de arriba|ci dessus|que voce recebeu|que te dieron|quon ta donne|die du (?:bekommen|erhalten) hast)|(?:above|initial|original|hidden|secret) {orders}) ",
            r" (?:{as}|with) (?:{f} |um |uma |un |una |ein |eine[rm]? |une ){0,2}{form}(?: [^ ]+){0,2} (?:{show}|put|turn|rewrite|express|present|format)(?: {f}| out| back| down| only| exactly){0,3} (?:{your} (?:{hidden} ){0,2}(?:{orders}|rules|guidelines)|{told} (?:above|you (?:were|have been) (?:given|told|provided)|given to you|before this)|(?:above|initial|original|hidden|secret) {orders}) ",
            r" (?:{show}|put|turn|rewrite|transform|express|compress|reword)(?: {f}| out| back| down| only| exactly| everything){0,4} (?:above|preceding|everything (?:before|so far|up to here)|(?:text|words?|content|contents|message|messages|sentences?|conversation|everything|all|lines?|paragraphs?) (?:that (?:is|are|comes?|stands?) )?(?:above|before (?:this|me|my)))(?: text| message| words| content| sentences?| in full| verbatim| this| one| line| but| and| encoded| written| translated){0,3} {as}(?: {f}| form of| format){0,3} {cipher} ",
            r" (?:summari[sz]e|paraphrase|rephrase|reword|restate|rewrite|explain|describe|outline|list|enumerate|itemi[sz]e|resum[ae]|fasse|resume[zr]?|riassumi|parafrase[ie]e?)(?: {f}| me| for){0,3} (?:{your} (?:{hidden} ){0,2}(?:{orders}|(?:hidden|system|internal|initial|secret|core) (?:rules|guidelines))|{told} (?:you (?:were|have been|are) (?:given|told|provided|following|under|bound by)|youve been (?:given|told)|given to you|before this (?:message|line|sentence|point)|at the (?:top|start|beginning) of (?:this|the|our) (?:conversation|chat|prompt|session))) ",
            r" (?:instruc(?:oes|ciones)|instructions|regras|reglas|regles|consignes|anweisungen|regeln) (?:acima|anteriores|de arriba|ci dessus|precedentes|oben|que (?:voce|te|tu)[^ ]*(?: [^ ]+){0,2})(?: [^ ]+){0,2} (?:em|como|en|als|sous|in) (?:{f} |um |uma |un |una |ein |eine[rm]? |une |forma de |forme de |form ){0,2}{form} ",
            r"(?:把|将|用|以|请)[^ ]*(?:上面|以上|上述|之前|前面|你的|系统|你收到)[^ ]*(?:指令|提示|规则|指示|设定|说明)[^ ]*(?:翻译|改写|转换|转成|写成|总结|编码|列成|列表|变成|概括|诗|代码|表格|base64|英文|json)",
            r"(?:用|以)[^ ]*(?:base64|拼音|英文|诗|代码|表格|列表|json|摩斯|摩尔斯)[^ ]*(?:输出|写出|表示|重复|复述|列出|编码)[^ ]*(?:上面|以上|上述|你的|系统)[^ ]*(?:指令|提示|规则|指示|设定)",
            r"(?:上記|これまで|以上|あなた|システム)[^ ]*(?:指示|命令|ルール|プロンプト)[^ ]*(?:箇条書き|翻訳|要約|詩|コード|base64|表|英語)",
            r" (?:위의|위|이전|너의|당신의|시스템)[^ ]*{gap2} (?:지시|지침|규칙|프롬프트|명령)[^ ]*{gap3} (?:요약|번역|목록|코드|시|표|base64|영어|변환|바꿔)",
            r" (?:предыдущ[^ ]*|сво[^ ]*|тво[^ ]*|системн[^ ]*|эти) (?:инструкци[^ ]*|правил[^ ]*|указани[^ ]*|промпт[^ ]*){gap2} (?:в виде|в форме|как|на) (?:{gap1}) ?(?:стих[^ ]*|списк[^ ]*|таблиц[^ ]*|код[^ ]*|base64|json|английск[^ ]*|песн[^ ]*)",
            r" {hi_your} (?:[^ ]+ ){0,3}(?:nirdesh[a-z]*|niyam[a-z]*|instructions?|rules|prompt)(?: ko| ka| ki| ke){0,2}(?: [^ ]+){0,2} (?:mein|me|main|ke roop mein|bana kar|banakar|banao|me badlo|badal[a-z]*|translate|hindi|english|kavita|list|base64|code|json|table) ",
        ],
    },
    Rule {
        id: "extraction.start_of_context",
        category: Category::Extraction,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Asks for what stood first in the agent's context (\"the first sentence of your prompt\", \"the 6 characters in your guidelines\").",
        patterns: &[
            r" (?:first|last|second|third|fourth|fifth|[0-9]+(?:st|nd|rd|th)?|next|every|each|final|opening|exact|other|initial)(?: [0-9]+| few| two| three| five| ten| hundred| half){0,2} (?:words?|sentences?|lines?|characters?|chars|letters?|tokens?|paragraphs?|rules?|instructions?|bullets?|points?|strings?|secrets?|codes?|symbols?)(?: [^ ]+){0,4} (?:of|in|from|inside) (?:your (?:{hidden} ){0,2}(?:{orders}|guidelines|rules|context|memory)|the (?:system|initial|original|hidden|first|very first|above|secret) (?:{hidden} )?(?:{orders}|message|text|context)|the (?:prompt|instructions?) (?:above|you (?:were|have been) given|given to you)|this (?:entire |whole )?prompt|the metaprompt|the prelude|(?:the|this) conversation(?: history)? (?:above|before)) ",
            r" (?:string|characters?|word|secret|code|key|text|sentence|phrase|password)(?: [^ ]+){0,5} (?:you were|youve been|you have been|you got) (?:originally |initially |first |previously |secretly ){0,2}(?:given|told|prompted with|instructed)(?: [^ ]+){0,2} (?:in|by|with|at|before|to|within) ",
            r" (?:examine|inspect|analy[sz]e|study|look at|look into|check|recall|remember|search|scan|go through|refer to|go back to)(?: {f}| carefully| again| back| only| into| at){0,3} (?:{your} (?:{hidden} )?(?:{sysprompt}|instructions|prompt)|system prompt|(?:initial|original|very first|hidden|secret) (?:prompt|instructions?|message)|initiali[sz]ation above|(?:message|messages|conversation|text|prompt|instructions) above)(?: [^ ]+){0,6} (?:{show}|what|starting|after|between|from|read|answer|add|omit|words?|sentences?|until|then) ",
            r" (?:how|where) (?:does|did|do) (?:your|the system|this|the initial) (?:{hidden} )?(?:prompt|instructions?) (?:begin|start|end|open|look|read|say) ",
            r" (?:what|whats|anything)(?: is| was| were| are| comes| came| stands| does| do| did){0,2}(?: written| said| stated| text| there| it say){0,2} (?:in|at|inside|before|above) (?:your (?:{hidden} )?(?:prompt|instructions|context window)|the (?:system|initial|original|hidden|metaprompt|very first) ?(?:prompt|message|instructions)?|the beginning of (?:this|your|the) (?:prompt|conversation|chat|context)|this (?:message|conversation|prompt)) ",
        ],
    },
];
