//! What the supervisor says about each service: a line with tabs.

use std::fmt;

/// The last line.
pub(super) const END: &str = "ready";

/// One service, as its line.
#[derive(Debug, PartialEq)]
pub(super) enum Report {
    /// It can be used.
    Has { description: String, variable: String, value: String },
    /// It cannot.
    Missing { name: String, why: String },
}

impl Report {
    /// Whether it is about the service of this name and variable.
    pub(super) fn is_about(&self, service: &str, of_tests: &str) -> bool {
        match self {
            Self::Has { variable, .. } => variable == of_tests,
            Self::Missing { name, .. } => name == service,
        }
    }

    /// Reads what `Display` wrote.
    pub(super) fn from_line(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["has", description, variable, value] => Some(Self::Has {
                description: description.to_owned(),
                variable: variable.to_owned(),
                value: value.to_owned(),
            }),
            ["missing", name, why] => {
                Some(Self::Missing { name: name.to_owned(), why: why.to_owned() })
            }
            _ => None,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = match self {
            Self::Has { description, variable, value } => {
                vec!["has", description.as_str(), variable, value]
            }
            Self::Missing { name, why } => vec!["missing", name.as_str(), why],
        };
        let fields: Vec<String> =
            fields.iter().map(|field| field.replace(['\t', '\n'], " ")).collect();
        f.write_str(&fields.join("\t"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let has = Report::Has {
            description: "Redis 7.0.15".to_owned(),
            variable: "TEST_REDIS_URL".to_owned(),
            value: "redis://default:secret@127.0.0.1:1/0".to_owned(),
        };
        assert_eq!(Report::from_line(&has.to_string()), Some(has));
        let why = |why: &str| Report::Missing { name: "nginx".to_owned(), why: why.to_owned() };
        assert_eq!(Report::from_line(&why("two\nlines\t").to_string()), Some(why("two lines ")));
        assert_eq!(Report::from_line("noise"), None);
    }
}
