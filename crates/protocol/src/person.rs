//! People: their names, what they log in with, and who sees their conversations.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name, in characters.
const LONGEST: usize = 80;
/// The longest login name: a letter may be several in lower case, and a number may follow.
const LONGEST_LOGIN: usize = 3 * LONGEST;

/// The name of a person, as others read it: trimmed, on one line, without invisible characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct PersonName(String);

/// What a person is found by when they log in: their name, whatever its case. Two people of a
/// tenant never have the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct LoginName(String);

/// A text that is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name is 1 to 80 letters, digits, spaces and signs, on one line")]
pub struct PersonNameError;

/// Who sees a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// The person whose conversation it is.
    Private,
    /// Everybody of the tenant.
    Tenant,
}

/// Who may open a link to share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkAudience {
    /// Everybody of the tenant, logged in.
    Tenant,
    /// Whoever has it.
    Anyone,
}

impl PersonName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the person logs in with.
    pub fn login(&self) -> LoginName {
        LoginName(self.0.to_lowercase())
    }
}

impl FromStr for PersonName {
    type Err = PersonNameError;

    fn from_str(text: &str) -> Result<Self, PersonNameError> {
        on_one_line(text, LONGEST).map(Self)
    }
}

impl FromStr for LoginName {
    type Err = PersonNameError;

    fn from_str(text: &str) -> Result<Self, PersonNameError> {
        on_one_line(&text.to_lowercase(), LONGEST_LOGIN).map(Self)
    }
}

impl fmt::Display for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl LoginName {
    /// The login name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same with a number after it, for a name that is taken.
    pub fn numbered(&self, number: u32) -> Self {
        Self(format!("{} {number}", self.0))
    }
}

impl Visibility {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Tenant => "tenant",
        }
    }

    /// From its name. Any other text is private.
    pub fn from_name(name: &str) -> Self {
        if name == "tenant" { Self::Tenant } else { Self::Private }
    }
}

impl LinkAudience {
    /// Its name, as it is on the wire, in the configuration and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Anyone => "anyone",
        }
    }

    /// From its name. Any other text is the smaller audience.
    pub fn from_name(name: &str) -> Self {
        if name == "anyone" { Self::Anyone } else { Self::Tenant }
    }
}

/// A name with single spaces between its words.
fn on_one_line(text: &str, longest: usize) -> Result<String, PersonNameError> {
    if text.trim().chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err(PersonNameError);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = words.join(" ");
    let length = name.chars().count();
    if (1..=longest).contains(&length) { Ok(name) } else { Err(PersonNameError) }
}

/// Characters that nobody sees: with them, two names could look the same.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Y-1: a name is one line that people can read; case and spaces do not make another one.
    #[test]
    fn names_are_read_strictly() {
        let name = |text: &str| text.parse::<PersonName>().map(|name| name.to_string());
        assert_eq!(name("  Ana   Souza "), Ok("Ana Souza".to_owned()));
        assert_eq!(name("O'Neill-Łukasz 2"), Ok("O'Neill-Łukasz 2".to_owned()));
        for bad in ["", "  ", "Ana\nSouza", "Ana\0", "An\u{200b}a", "\u{202e}ana", &"x".repeat(81)]
        {
            assert_eq!(name(bad), Err(PersonNameError), "{bad:?}");
        }
        let login = |text: &str| text.parse::<PersonName>().unwrap().login();
        assert_eq!(login("ANA  souza"), login("Ana Souza"));
        assert_eq!(" ANA Souza".parse(), Ok(login("Ana Souza")));
        assert_eq!(login("Ana").numbered(2).as_str(), "ana 2");
        let longest = login(&"İ".repeat(80)).numbered(100);
        assert_eq!(longest.as_str().parse(), Ok(longest), "what is stored can be read");
    }
}
