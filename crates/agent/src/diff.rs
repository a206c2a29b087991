//! What a call would change, as a preview that fits a card (P-7). Pure.
//!
//! 1. Two texts that are short go out as they are: whoever shows them finds the
//!    lines that differ, and numbers them.
//! 2. Of longer ones only the lines around changes go out, under the heads that
//!    unified diffs have (`@@ -12,7 +12,9 @@`). A head stands in both texts, so
//!    whoever compares them sees it between the lines.
//! 3. What does not fit even so is counted: `@@ … -120 +340 @@` says how many
//!    more lines go and come. Nothing is left out silently.

use std::time::Duration;

use parlor_protocol::Preview;
use similar::{ChangeTag, TextDiff};

/// The most of a text that is shown.
const MOST_BYTES: usize = 24 << 10;
/// The most of one line.
const LONGEST_LINE: usize = 1_000;
/// The most things of a list; the number says how many there are.
const MOST_ITEMS: usize = 50;
const LONGEST_ITEM: usize = 300;
/// Unchanged lines around a change.
const AROUND: usize = 3;
/// Texts without anything in common take long to compare; past this the
/// comparison is coarser, and still right.
const PATIENCE: Duration = Duration::from_millis(200);

/// A text before and after. `None` before: it is new; `None` after: it goes away.
pub fn diff(old: Option<&str>, new: Option<&str>) -> Preview {
    if [old, new].into_iter().flatten().all(is_short) {
        return Preview::Diff { old: old.map(str::to_owned), new: new.map(str::to_owned) };
    }
    let sides = hunks(old.unwrap_or_default(), new.unwrap_or_default());
    Preview::Diff { old: old.map(|_| sides.old), new: new.map(|_| sides.new) }
}

/// Pieces of a text that are replaced, each old and new, where the rest of it is
/// not known.
pub fn edits(pieces: &[(&str, &str)]) -> Preview {
    if let [(old, new)] = pieces {
        return diff(Some(old), Some(new));
    }
    let side = |of: fn(&(&str, &str)) -> String| -> String {
        let each = pieces.iter().enumerate();
        each.map(|(at, piece)| format!("@@ {}/{} @@\n{}\n", at + 1, pieces.len(), of(piece)))
            .collect()
    };
    diff(Some(&side(|(old, _)| (*old).to_owned())), Some(&side(|(_, new)| (*new).to_owned())))
}

/// The things that a call touches, and how many there are.
pub fn list(items: &[&str]) -> Preview {
    let shown = items.iter().take(MOST_ITEMS).map(|item| shortened(item, LONGEST_ITEM, ""));
    Preview::List { items: shown.collect(), count: items.len() as u64 }
}

fn is_short(text: &str) -> bool {
    text.len() <= MOST_BYTES && text.lines().all(|line| line.len() <= LONGEST_LINE)
}

/// What is shown of both texts.
#[derive(Debug, Default)]
struct Sides {
    old: String,
    new: String,
    /// Lines that go and come, and have no room.
    left_out: (usize, usize),
}

fn hunks(old: &str, new: &str) -> Sides {
    let compared = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut sides = Sides::default();
    for group in compared.grouped_ops(AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let place = |start: usize, end: usize| format!("{},{}", start + 1, end - start);
        let before = place(first.old_range().start, last.old_range().end);
        let after = place(first.new_range().start, last.new_range().end);
        sides.both(&format!("@@ -{before} +{after} @@"));
        for change in group.iter().flat_map(|op| compared.iter_changes(op)) {
            sides.line(change.tag(), change.value().trim_end_matches('\n'));
        }
    }
    sides.ended()
}

impl Sides {
    fn line(&mut self, tag: ChangeTag, line: &str) {
        let is_full = self.old.len().max(self.new.len()) > MOST_BYTES;
        match tag {
            ChangeTag::Delete if is_full => self.left_out.0 += 1,
            ChangeTag::Insert if is_full => self.left_out.1 += 1,
            ChangeTag::Equal if is_full => {}
            ChangeTag::Delete => push(&mut self.old, &shortened(line, LONGEST_LINE, "-")),
            ChangeTag::Insert => push(&mut self.new, &shortened(line, LONGEST_LINE, "+")),
            ChangeTag::Equal => self.both(&shortened(line, LONGEST_LINE, "")),
        }
    }

    fn both(&mut self, line: &str) {
        if self.left_out == (0, 0) {
            push(&mut self.old, line);
            push(&mut self.new, line);
        }
    }

    fn ended(mut self) -> Self {
        let (gone, come) = self.left_out;
        if (gone, come) != (0, 0) {
            self.left_out = (0, 0);
            self.both(&format!("@@ … -{gone} +{come} @@"));
        }
        self
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The beginning, and how many bytes follow. The sign keeps two lines apart that
/// differ only in what is not shown.
fn shortened(text: &str, most: usize, sign: &str) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}… ({sign}{} bytes)", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(preview: Preview) -> (String, String) {
        match preview {
            Preview::Diff { old, new } => (old.unwrap_or_default(), new.unwrap_or_default()),
            other => panic!("{other:?}"),
        }
    }

    fn lines(count: usize, what: &str) -> String {
        (1..=count).map(|n| format!("{what} {n}\n")).collect()
    }

    /// P-7: what is short is shown whole; what is new or goes away has one side.
    #[test]
    fn short_texts_go_out_as_they_are() {
        let whole = |old: Option<&str>, new: Option<&str>| Preview::Diff {
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        };
        for (old, new) in [(Some("a\n"), Some("b\n")), (None, Some("b")), (Some("a"), None)] {
            assert_eq!(diff(old, new), whole(old, new));
        }
    }

    /// P-7: of a long text only what is near a change is shown, with its place.
    #[test]
    fn long_texts_are_their_changes() {
        let old = lines(5_000, "line");
        let new = old.replace("line 17\n", "").replace("line 4000\n", "line 4000\nmore\n");
        let (before, after) = sides(diff(Some(&old), Some(&new)));
        let start = "@@ -14,7 +14,6 @@\nline 14\nline 15\nline 16\n";
        assert!(before.starts_with(&format!("{start}line 17\nline 18\n")), "{before}");
        assert!(after.starts_with(&format!("{start}line 18\n")), "{after}");
        assert!(after.contains("@@ -3998,6 +3997,7 @@\n"), "{after}");
        assert!(after.ends_with("line 4000\nmore\nline 4001\nline 4002\nline 4003\n"), "{after}");
        assert!(before.len() + after.len() < 500);
    }

    /// P-7: nothing is left out without being counted.
    #[test]
    fn what_does_not_fit_is_counted() {
        let (old, new) = (lines(9_000, "old"), lines(7_000, "new"));
        let (before, after) = sides(diff(Some(&old), Some(&new)));
        assert!(before.len() < MOST_BYTES + 100 && after.len() < MOST_BYTES + 100);
        let shown = |text: &str, what: &str| text.lines().filter(|l| l.starts_with(what)).count();
        let (gone, come) = (9_000 - shown(&before, "old "), 7_000 - shown(&after, "new "));
        let tail = format!("@@ … -{gone} +{come} @@\n");
        assert!(before.ends_with(&tail) && after.ends_with(&tail), "{tail} {after}");
        let (_, fresh) = sides(diff(None, Some(&new)));
        assert!(fresh.contains("new 1\n") && fresh.contains("@@ … -0 +"), "{fresh}");
    }

    /// Lines that differ only far behind are still two lines; no letter is cut.
    #[test]
    fn long_lines_stay_apart() {
        let old = format!("{}a", "ã".repeat(900));
        let (before, after) = sides(diff(Some(&old), Some(&format!("{old}b"))));
        assert!(before.ends_with("ã… (-801 bytes)\n"), "{before}");
        assert!(after.ends_with("ã… (+802 bytes)\n"), "{after}");
    }

    #[test]
    fn edits_and_lists_say_how_many_there_are() {
        assert_eq!(edits(&[("a", "b")]), diff(Some("a"), Some("b")));
        let (before, after) = sides(edits(&[("a", "b"), ("c\nd", "")]));
        assert_eq!(before, "@@ 1/2 @@\na\n@@ 2/2 @@\nc\nd\n");
        assert_eq!(after, "@@ 1/2 @@\nb\n@@ 2/2 @@\n\n");
        let many: Vec<String> = (0..80).map(|n| format!("file {n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let Preview::List { items, count } = list(&many) else { panic!("a list") };
        assert_eq!((items.len(), count), (MOST_ITEMS, 80));
    }
}
