//! Text of PDFs, of honest ones and of hostile ones.

use super::*;

const LIMITS: Limits = Limits { pages: 10, chars: 10_000 };
const LETTER: &[u8] = include_bytes!("../samples/letter.pdf");

/// U-9: words, lines and pages, in the order in which they are read.
#[test]
fn the_text_of_a_pdf() {
    let Answer::Text { pages, text, protected } = answer(LETTER, LIMITS) else { panic!() };
    assert_eq!((pages, protected), (2, false));
    assert_eq!(
        text,
        "Electricity bill for October\n\nTotal: 98.70 euros, due on 14 November.\n\
         Café, naïve, Müller: the price is 5.\n\nSecond page: meter reading 4711."
    );
}

/// U-9: what cannot be read says why; a scan has no text.
#[test]
fn what_cannot_be_read_says_why() {
    let of = |bytes: &[u8]| answer(bytes, LIMITS);
    assert_eq!(of(include_bytes!("../samples/locked.pdf")), Answer::Encrypted);
    let restricted = of(include_bytes!("../samples/restricted.pdf"));
    assert!(matches!(restricted, Answer::Text { protected: true, .. }), "{restricted:?}");
    let scan = Answer::Text { pages: 1, text: String::new(), protected: false };
    assert_eq!(of(include_bytes!("../samples/scan.pdf")), scan);
    assert_eq!(of(b"%PDF-1.7"), Answer::Damaged);
    assert_eq!(of(b"<html>%PDF-1.7"), Answer::Damaged);
    assert_eq!(of(b""), Answer::Damaged);
    let few = Limits { pages: 1, ..LIMITS };
    assert_eq!(answer(LETTER, few), Answer::TooManyPages { pages: 2 });
    assert_eq!(answer(LETTER, Limits { chars: 20, ..LIMITS }), Answer::TooMuchText);
}

/// FAULTS 17: a page that draws itself ends.
#[test]
fn a_page_that_draws_itself_ends() {
    let read = answer(include_bytes!("../samples/loop.pdf"), LIMITS);
    assert!(matches!(read, Answer::Text { .. } | Answer::Damaged), "{read:?}");
}

/// FAULTS 17: whatever bytes are changed or missing, there is an answer.
#[test]
fn damage_is_an_answer() {
    for at in (0..LETTER.len()).step_by(17) {
        let mut damaged = LETTER.to_vec();
        damaged[at] ^= 0x55;
        let _any = answer(&damaged, LIMITS);
        let _any = answer(&LETTER[..at], LIMITS);
    }
}

/// U-9: an answer is one line, and comes back as it was.
#[test]
fn an_answer_is_one_line() {
    let text = Answer::Text { pages: 1, text: "a\nb \"c\"".to_owned(), protected: true };
    for said in [text, Answer::Encrypted, Answer::TooManyPages { pages: 7 }, Answer::TooMuchText] {
        let line = said.to_line();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(Answer::parse(&line), Some(said));
    }
    assert_eq!(Answer::parse(""), None);
    assert_eq!(Answer::parse("{\"is\":\"text\"}"), None);
}
