//! Distinguishes a question about a phrase ("What does 'ignore all previous instructions'
//! mean?") from the phrase itself.
//!
//! The whole message must be one short quotation and a question around it, made of
//! words from a closed list in which no order can be written. So quotation marks
//! alone are not enough, and neither is a question that is followed by an order.
//! In doubt it is no question.

use super::normalise::fold;

/// The longest quotation, in bytes; a template is no phrase.
const LONGEST: usize = 100;

/// How such a question begins.
const OPENINGS: &[&str] = &[
    " what does ", " what do ", " what is meant by ", " what is the meaning of ", " how does ",
    " how do ", " why does ", " why do ", " o que significa ", " o que quer dizer ",
    " como funciona ", " como funcionam ", " por que ", " que significa ", " que quiere decir ",
    " como funcionan ", " was bedeutet ", " was heisst ", " wie funktioniert ",
    " wie funktionieren ", " que signifie ", " que veut dire ", " comment fonctionne ",
    " comment fonctionnent ",
];

/// What else may stand outside of the quotation marks.
const WORDS: &str = " the a an phrase sentence expression prompt prompts injection injections \
    attack attacks jailbreak jailbreaks like such as of in with for mean means work works llm \
    llms ai security context o os um uma ataque ataques frase expressao injecao injecoes de do \
    da tipo como em funciona funcionam significa el la los un una frases inyeccion inyecciones \
    der die das ein eine satz angriff angriffe wie le les une attaque attaques comme ";

/// Whether a folded text is a question about a phrase that it quotes.
pub(super) fn is_question_about_a_phrase(folded: &str) -> bool {
    let parts: Vec<&str> = folded.split(is_quotation_mark).collect();
    let [before, quoted, after] = parts[..] else { return false };
    let (before, after) = (fold::words(before), fold::words(after));
    let opening = OPENINGS.iter().find_map(|opening| before.strip_prefix(opening));
    let harmless =
        |words: &str| words.split_whitespace().all(|w| WORDS.contains(&format!(" {w} ")));
    quoted.len() <= LONGEST && opening.is_some_and(harmless) && harmless(&after)
}

fn is_quotation_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '«' | '»')
}
