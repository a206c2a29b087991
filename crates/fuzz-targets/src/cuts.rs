//! Ways to cut an input into pieces, as a network does.
//!
//! The cuts follow from the input itself, so that a seed is nothing but an input and a
//! run can be repeated.

/// The longest piece of the irregular cut.
const LONGEST: usize = 40;

/// The input in pieces: byte by byte, and irregularly.
pub(crate) fn cuts(data: &[u8]) -> [Vec<&[u8]>; 2] {
    [data.chunks(1).collect(), irregular(data)]
}

/// The same for text: pieces end between characters.
pub(crate) fn text_cuts(text: &str) -> [Vec<&str>; 2] {
    let characters = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect();
    let mut from = 0;
    let mut pieces = Vec::new();
    let mut end = 0;
    for piece in irregular(text.as_bytes()) {
        end += piece.len();
        if text.is_char_boundary(end) {
            pieces.push(&text[from..end]);
            from = end;
        }
    }
    [characters, pieces]
}

fn irregular(mut data: &[u8]) -> Vec<&[u8]> {
    // FNV-1a: any number that depends on every byte will do.
    let mut state = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut pieces = Vec::new();
    while !data.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let length = 1 + (state >> 33) as usize % LONGEST;
        let (piece, rest) = data.split_at(length.min(data.len()));
        pieces.push(piece);
        data = rest;
    }
    pieces
}
