//! What is left of a pattern for texts that are all ASCII.
//!
//! Rules hold words of a dozen scripts, and every script's bytes make every
//! state of the automaton larger. But most texts, once folded, are ASCII, and
//! can only match what is ASCII of a pattern: that part alone makes an automaton
//! that is a fraction of the size.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

/// The part of a pattern that can match ASCII, if there is any.
pub(super) fn ascii_part(hir: &Hir) -> Option<Hir> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(hir.clone()),
        HirKind::Literal(literal) => literal.0.is_ascii().then(|| hir.clone()),
        HirKind::Class(class) => ascii_class(class),
        HirKind::Repetition(repetition) => match ascii_part(&repetition.sub) {
            Some(sub) => {
                Some(Hir::repetition(Repetition { sub: Box::new(sub), ..repetition.clone() }))
            }
            None => (repetition.min == 0).then(Hir::empty),
        },
        HirKind::Capture(capture) => ascii_part(&capture.sub),
        HirKind::Concat(parts) => {
            parts.iter().map(ascii_part).collect::<Option<Vec<_>>>().map(Hir::concat)
        }
        HirKind::Alternation(branches) => {
            let kept: Vec<Hir> = branches.iter().filter_map(ascii_part).collect();
            (!kept.is_empty()).then(|| Hir::alternation(kept))
        }
    }
}

fn ascii_class(class: &Class) -> Option<Hir> {
    let ascii = ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]);
    let mut kept = match class {
        Class::Unicode(class) => class.clone(),
        Class::Bytes(class) => return Some(Hir::class(Class::Bytes(class.clone()))),
    };
    kept.intersect(&ascii);
    (!kept.ranges().is_empty()).then(|| Hir::class(Class::Unicode(kept)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_of(pattern: &str) -> Option<String> {
        ascii_part(&regex_syntax::parse(pattern).unwrap()).map(|hir| hir.to_string())
    }

    #[test]
    fn only_what_can_match_ascii_is_left() {
        assert_eq!(left_of("ignore|忽略|forget"), left_of("ignore|forget"));
        assert_eq!(left_of("(?:the|这)? prompt"), left_of("(?:the)? prompt"));
        assert_eq!(left_of("这? prompt"), left_of(" prompt"));
        assert_eq!(left_of("[a-zа-я]x"), left_of("[a-z]x"));
        assert_eq!(left_of("忽略.*指令"), None);
    }
}
