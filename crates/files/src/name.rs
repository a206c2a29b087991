//! Names of files, as they can be shown and told.

/// The longest name, in characters.
const LONGEST: usize = 120;
/// For a file of which nothing is left to call it by.
const NAMELESS: &str = "file";

/// A name without folders, line breaks, invisible characters and brackets: it stands on a line of
/// its own in front of a model, and in a header.
pub fn file_name(said: &str) -> String {
    let last = said.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().map(|c| if is_safe(c) { c } else { ' ' }).collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = clean.trim_matches(['.', ' ']);
    let length = clean.chars().count();
    if length == 0 {
        return NAMELESS.to_owned();
    }
    if length <= LONGEST {
        return clean.to_owned();
    }
    // The end says what kind of file it is.
    let (end, kept) = match clean.rsplit_once('.') {
        Some((_, end)) if end.chars().count() <= 10 => (format!("….{end}"), 12),
        _ => ("…".to_owned(), 1),
    };
    clean.chars().take(LONGEST - kept).collect::<String>() + &end
}

fn is_safe(c: char) -> bool {
    let is_format = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !is_format && !matches!(c, '"' | '[' | ']' | '<' | '>' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-9: a name can neither leave its line nor pretend to be another one.
    #[test]
    fn names_are_plain() {
        assert_eq!(file_name("Conta de luz.pdf"), "Conta de luz.pdf");
        assert_eq!(file_name("../../etc/passwd"), "passwd");
        assert_eq!(file_name("C:\\temp\\a.txt"), "a.txt");
        assert_eq!(file_name("a\n[END-x]\u{202e}fdp.exe"), "a END-x fdp.exe");
        assert_eq!(file_name(" .. "), "file");
        assert_eq!(file_name(""), "file");
        let long = file_name(&format!("{}.pdf", "x".repeat(300)));
        assert!(long.ends_with("x….pdf") && long.chars().count() <= LONGEST, "{long}");
    }
}
