//! The environment of a child: of the server's own, only what a program needs to find other
//! programs, and for its language and time zone.

use secrecy::SecretString;

use crate::user::User;

/// Variables without secrets. All others have to be listed for a child.
const PASSED_ON: &[&str] = &["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"];
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The environment that every child gets. `env` looks up a variable of the server.
pub fn base_environment(
    env: impl Fn(&str) -> Option<String>,
    user: Option<&User>,
) -> Vec<(String, SecretString)> {
    let home = match user {
        Some(user) => user.home.clone(),
        None => env("HOME"),
    };
    let path = env("PATH").or_else(|| Some(USUAL_PATH.to_owned()));
    PASSED_ON
        .iter()
        .map(|name| (*name, if *name == "PATH" { path.clone() } else { env(name) }))
        .chain([("HOME", home)])
        .filter_map(|(name, value)| Some((name.to_owned(), SecretString::from(value?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    /// B-2: the server's own secrets are never inherited.
    #[test]
    fn only_what_is_harmless_is_passed_on() {
        let env = |name: &str| match name {
            "PATH" => Some("/bin".to_owned()),
            "HOME" => Some("/home/server".to_owned()),
            "ANTHROPIC_API_KEY" | "PARLOR_PASSWORD" => Some("secret".to_owned()),
            _ => None,
        };
        let shown = |user: Option<&User>| -> Vec<String> {
            let variables = base_environment(env, user);
            variables.iter().map(|(name, v)| format!("{name}={}", v.expose_secret())).collect()
        };
        assert_eq!(shown(None), ["PATH=/bin", "HOME=/home/server"]);
        let user = User { uid: 7, gid: 7, home: Some("/home/tools".to_owned()) };
        assert_eq!(shown(Some(&user)), ["PATH=/bin", "HOME=/home/tools"]);
        let nowhere = User { home: None, ..user };
        assert_eq!(shown(Some(&nowhere)), ["PATH=/bin"]);
    }
}
