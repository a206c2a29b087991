//! "Did you mean …?": the known name that is most like an unknown one.

/// The name with the fewest letters to change, or nothing to suggest.
pub(crate) fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> &'n str {
    names.min_by_key(|name| distance(wrong, name)).unwrap_or_default()
}

/// Levenshtein's distance, with one row of memory.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
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
        assert_eq!(nearest("x", std::iter::empty()), "");
    }
}
