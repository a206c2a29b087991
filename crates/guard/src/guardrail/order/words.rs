//! The kinds of words that orders inside data are made of, in the larger languages.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What kind of word it is; a word can be several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kinds(u32);

impl Kinds {
    /// An act that cannot be taken back, or that reaches outside.
    pub(super) const RISKY: Self = Self(1);
    /// Says something to somebody.
    pub(super) const SAY: Self = Self(1 << 1);
    /// Any other act that an assistant could be told to do.
    pub(super) const ACT: Self = Self(1 << 2);
    /// May stand before the verb of an imperative.
    pub(super) const LEAD: Self = Self(1 << 3);
    /// Something worth taking or changing.
    pub(super) const SENSITIVE: Self = Self(1 << 4);
    /// What belongs to one person who is not there: "my", and not "our", which projects say.
    pub(super) const MINE: Self = Self(1 << 5);
    /// An assistant.
    pub(super) const AGENT: Self = Self(1 << 6);
    /// The person whom the assistant works for.
    pub(super) const USER: Self = Self(1 << 7);
    /// Urgency.
    pub(super) const URGENT: Self = Self(1 << 8);
    /// What an assistant gives back.
    pub(super) const ANSWER: Self = Self(1 << 9);
    /// What an assistant is told.
    pub(super) const INSTRUCTION: Self = Self(1 << 10);
    /// Behind somebody's back.
    pub(super) const QUIET: Self = Self(1 << 11);
    /// Please.
    pub(super) const PLEASE: Self = Self(1 << 12);
    /// Announces something that comes next.
    pub(super) const NEXT: Self = Self(1 << 13);
    /// The second person.
    pub(super) const YOU: Self = Self(1 << 14);
    /// Joins a verb to an imperative before it.
    pub(super) const JOIN: Self = Self(1 << 15);
    /// A currency.
    pub(super) const MONEY: Self = Self(1 << 16);
    /// An act that gives something to somebody: an address beside it is where it goes.
    pub(super) const OUT: Self = Self(1 << 17);
    /// Ranks one instruction above another.
    pub(super) const RANK: Self = Self(1 << 18);
    /// Ranks it so that the others are nothing.
    pub(super) const VOID: Self = Self(1 << 19);
    /// Allows nothing else.
    pub(super) const ONLY: Self = Self(1 << 20);
    /// A form in which nobody writes an answer who is not told to.
    pub(super) const FORM: Self = Self(1 << 21);
    /// So that nobody sees it.
    pub(super) const STEALTH: Self = Self(1 << 22);
    /// The first person as the one who receives.
    pub(super) const ME: Self = Self(1 << 23);
    /// "Language" and "model", which are an assistant together.
    pub(super) const LANGUAGE: Self = Self(1 << 24);
    pub(super) const MODEL: Self = Self(1 << 25);
    /// Comes next, and soon. "About" and "to" say so together.
    pub(super) const SOON: Self = Self(1 << 28);
    pub(super) const ABOUT: Self = Self(1 << 29);
    /// What is the second person's.
    pub(super) const YOUR: Self = Self(1 << 30);
    /// Permits and does not order, behind "you".
    pub(super) const MAY: Self = Self(1 << 26);
    /// Reaching somebody, as lines about contacts and reports of faults say.
    pub(super) const REACH: Self = Self(1 << 27);

    /// All that "please" is.
    pub(super) fn please() -> Self {
        kinds("please")
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The longest word of the lists, in bytes.
pub(super) const LONGEST: usize = 16;

/// The kinds of a word in lower case.
pub(super) fn kinds(word: &str) -> Kinds {
    WORDS.get(word).copied().unwrap_or_default()
}

static WORDS: LazyLock<HashMap<&'static str, Kinds>> = LazyLock::new(|| {
    let mut words: HashMap<&'static str, Kinds> = HashMap::new();
    for (kind, list) in LISTS {
        for word in list.split_ascii_whitespace() {
            let known = words.entry(word).or_default();
            *known = known.and(*kind);
        }
    }
    words
});

const LISTS: &[(Kinds, &str)] = &[
    (
        Kinds::RISKY,
        "send email mail forward transfer pay wire withdraw deposit delete remove erase wipe \
         retrieve fetch access grant share post publish upload download install run execute click \
         visit unlock lock disable enable activate deactivate schedule book order buy purchase \
         cancel invite register export reset exfiltrate leak reveal disclose dispatch initiate call \
         invoke navigate contact message notify reserve extract collect gather locate text update \
         change modify delegate authorize authorise approve open adjust charge move sell \
         envie enviar envia mande transfira pague apague delete exclua compartilhe acesse baixe \
         execute cancele altere reenvie encaminhe \
         envie envia manda transfiere paga borra elimina comparte descarga ejecuta cancela reenvia \
         sende schicke uberweise losche teile lade installiere offne andere leite kundige \
         envoie envoyez transfere transferez supprime supprimez partage partagez telecharge ouvre \
         annule modifie",
    ),
    (
        Kinds::SAY,
        "say tell include add append mention recommend reply respond answer output print write end \
         begin insert state claim inform announce rate convince ignore disregard forget stop \
         translate encode provide repeat generate promote advertise advise compose criticise \
         criticize embed encourage hide incorporate insist integrate merge persuade phrase praise \
         suggest \
         diga responda inclua escreva mencione ignore adicione di responde incluye escribe menciona \
         anade sag sage antworte schreibe fuge erwahne ignoriere dis reponds inclus ajoute ecris \
         mentionne",
    ),
    (
        Kinds::ACT,
        "give follow go turn create sign search find list get read check show save copy move rename \
         set edit replace make use complete perform do remember log store connect review apply \
         increase decrease report deliver launch convey assist help submit confirm verify sort",
    ),
    (
        Kinds::LEAD,
        "please kindly now then also first next immediately urgently instead just simply quickly \
         dear hi hello and but finally additionally furthermore moreover afterwards so you must \
         should will need to have are required asked requested instructed i want would like we \
         could can make sure be ensure remember dont forget not never always lets note important \
         urgent attention after that before it is necessary for your task the new ok okay good great \
         por favor agora tambem primeiro imediatamente ahora tambien primero bitte jetzt auch \
         zuerst sofort veuillez maintenant aussi dabord immediatement assistant ai agent model help \
         me answering responding proceeding continuing silently secretly quietly discreetly \
         covertly",
    ),
    (
        Kinds::SENSITIVE,
        "password passwords credential credentials account accounts payment payments card cards bank \
         balance money funds address addresses phone contacts data information file files \
         document documents record records history conversation conversations chat messages \
         emails inbox calendar event events appointment appointments token tokens key keys \
         secret secrets code location device devices lock door doors home house camera cameras alarm \
         profile personal private confidential financial medical health insurance prescription \
         genetic transaction transactions bitcoin crypto wallet ssn repository repositories database \
         server backup backups notes reservation subscription access participants \
         senha senhas conta dados arquivo arquivos historico contrasena cuenta datos archivo \
         historial passwort konto daten kontakte datei dateien verlauf compte donnees fichier",
    ),
    (Kinds::MINE, "my mine meu meus minha minhas mi mis meine meinen mein mon mes ma"),
    (Kinds::ME, "me mich mir"),
    (
        Kinds::AGENT,
        "assistant assistants ai llm llms agent agents chatbot chatbots bot gpt chatgpt claude gemini copilot \
         assistente asistente assistent ia ki",
    ),
    (Kinds::USER, "user users human usuario utilisateur nutzer benutzer"),
    (
        Kinds::URGENT,
        "urgent urgently important immediately asap now attention priority critical required \
         mandatory must crucial essential emergency promptly instantly warning immediate prompt \
         urgency imperative precedence paramount swift rapid pivotal urgente imediatamente agora inmediatamente \
         ahora importante dringend sofort wichtig immediatement maintenant once delay hesitation \
         demand demands",
    ),
    (
        Kinds::ANSWER,
        "response responses reply replies answer answers summary summaries translation \
         conversation output outputs resposta respuesta \
         antwort reponse",
    ),
    (
        Kinds::INSTRUCTION,
        "instruction instructions directive directives task tasks command commands prompt orders \
         assignment assignments duty duties undertaking instrucao instrucoes tarefa tarefas \
         instruccion instrucciones tarea tareas anweisung anweisungen aufgabe consigne consignes",
    ),
    (Kinds::QUIET, "without knowledge hidden"),
    (Kinds::STEALTH, "silently secretly quietly discreetly covertly unnoticed nobody"),
    (Kinds::PLEASE, "please kindly bitte veuillez favor"),
    (
        Kinds::NEXT,
        "following next upcoming forthcoming additional extra new supplementary below ahead other \
         others else rest preceding subsequent all every everything whatever comes outra outras \
         outro outros todas todos otra otras anderen autres",
    ),
    (
        Kinds::YOU,
        "you your yours voce seu sua tus du dein deine deinem deiner deines ihre ihrer tu ton ta \
         tes votre",
    ),
    (Kinds::MONEY, "usd eur dollar dollars euro euros btc bitcoin eth gbp pounds reais pesos"),
    (Kinds::JOIN, "and then to must should e y und et"),
    (
        Kinds::OUT,
        "send email mail forward transfer pay wire give share post publish upload submit report \
         export exfiltrate leak dispatch initiate contact call message notify deposit withdraw \
         envie envia enviar mande transfira pague compartilhe reenvie encaminhe manda transfiere \
         paga comparte reenvia sende schicke uberweise teile leite envoie envoyez transfere \
         transferez partage partagez",
    ),
    (
        Kinds::RANK,
        "sole priority precedence paramount foremost highest topmost supreme above matter matters \
         prevail prevails outrank outranks overrule overrules supersede supersedes superseded \
         annulled obsolete void irrelevant secondary subordinate subsidiary ancillary extraneous \
         singular prioridade \
         precedencia prioridad vorrang priorite",
    ),
    (
        Kinds::VOID,
        "sole supersede supersedes superseded outrank outranks overruled annulled obsolete void \
         irrelevant secondary subordinate subsidiary ancillary extraneous singular",
    ),
    (Kinds::ONLY, "only just exactly solely exclusively always verbatim"),
    (
        Kinds::FORM,
        "base64 rot13 hexadecimal morse cipher encoded letters vowels uppercase lowercase capital \
         capitals reverse reversed backwards emoji emojis rhyme rhymes pirate klingon latin \
         leetspeak",
    ),
    (Kinds::LANGUAGE, "language"),
    (Kinds::MODEL, "model models"),
    (Kinds::SOON, "upcoming forthcoming unveiled"),
    (Kinds::ABOUT, "about"),
    (Kinds::YOUR, "your seu sua tus dein deine deinem deiner deines ihre ihrer ton ta tes votre"),
    (Kinds::MAY, "can could may might"),
    (Kinds::REACH, "contact email emails mail report reports reporting reach message call"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_no_longer_than_the_longest() {
        for (_, list) in LISTS {
            for word in list.split_ascii_whitespace() {
                assert!(word.len() <= LONGEST, "{word}");
                let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
                assert!(word.bytes().all(is_plain), "{word}");
            }
        }
        assert!(kinds("send").has(Kinds::RISKY));
        assert_eq!(kinds("onion"), Kinds::default());
    }
}
