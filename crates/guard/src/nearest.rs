//! "Did you mean …?": the known name that is most like an unknown one.

/// The name with the fewest letters to change, or nothing to suggest.
pub fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> &'n str {
    // A name in the wrong place is compared by its own part: `bind` is `server.bind`.
    let own = |name: &'n str| match name.rsplit_once('.') {
        Some((_, last)) if !wrong.contains('.') => last,
        _ => name,
    };
    names.min_by_key(|name| distance(wrong, own(name))).unwrap_or_default()
}

/// The name that was probably meant: most of its letters are right, or one begins with
/// the other.
pub fn near<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most_wrong = (wrong.chars().count() / 3).max(1);
    let begins = |name: &str| {
        name.len().min(wrong.len()) > 2 && (wrong.starts_with(name) || name.starts_with(wrong))
    };
    names
        .map(|name| (distance(wrong, name), name))
        .filter(|(letters, name)| *letters <= most_wrong || begins(name))
        .min()
        .map(|(_, name)| name)
}

/// How many letters are wrong, missing, too many, or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last = None;
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(x != y);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && last == Some(y) && b[j - 1] == x {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(x);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_its_name() {
        let names = ["memory.forget_all", "jailbreak.dan_mode", "override.new_instructions"];
        assert_eq!(nearest("jailbrake.dan-mode", names.into_iter()), "jailbreak.dan_mode");
        assert_eq!(nearest("dan-mode", names.into_iter()), "jailbreak.dan_mode");
        assert_eq!(nearest("bnid", ["and", "bind"].into_iter()), "bind");
        assert_eq!(nearest("x", std::iter::empty()), "");
    }

    #[test]
    fn what_is_not_near_is_not_meant() {
        let names = ["server", "access", "tenants"];
        assert_eq!(near("sever", names.into_iter()), Some("server"));
        assert_eq!(near("tenant", names.into_iter()), Some("tenants"));
        assert_eq!(near("newest", ["new", "resume"].into_iter()), Some("new"));
        for wrong in ["storage", "x", "image", ""] {
            assert_eq!(near(wrong, names.into_iter()), None, "{wrong}");
        }
        assert_eq!(near("bnid", ["and", "bind"].into_iter()), Some("bind"));
    }

    #[test]
    fn letters_are_counted_once() {
        for (a, b, wrong) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("bind", "bind", 0),
            ("bnid", "bind", 1),
            ("bid", "bind", 1),
            ("biind", "bind", 1),
            ("bond", "bind", 1),
            ("ção", "cao", 2),
        ] {
            assert_eq!(distance(a, b), wrong, "{a} {b}");
        }
    }
}
