//! Secrets that the server generates: tokens for programs, passwords for people.
//!
//! A token has 256 random bits and is stored as its SHA-256: it cannot be guessed, so
//! no slower hash is needed. A password has 60 bits in syllables that can be read out
//! over the phone, and is hashed by [`super::password`].

use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// The hash of a token: what is stored, and what it is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenHash([u8; 32]);

/// The system returned no random numbers.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system gives no random numbers")]
pub struct NoRandomness;

impl TokenHash {
    /// Of a token as it was sent.
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// As it is stored.
    pub(crate) fn to_hex(self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// A new token. Its prefix says what it is, for people and for secret scanners.
pub(crate) fn new_token(prefix: &str) -> Result<SecretString, NoRandomness> {
    let random: [u8; 32] = random()?;
    Ok(SecretString::from(format!("{prefix}_{}", BASE64URL_NOPAD.encode(&random))))
}

/// The public id of a token.
pub(crate) fn new_token_id() -> Result<String, NoRandomness> {
    let random: [u8; 8] = random()?;
    Ok(HEXLOWER.encode(&random))
}

/// A new password: five groups of two syllables, 60 bits.
pub(crate) fn new_password() -> Result<SecretString, NoRandomness> {
    let random: [u8; 10] = random()?;
    let syllables: Vec<String> = random.iter().map(|byte| syllable(*byte)).collect();
    let groups: Vec<String> = syllables.chunks(2).map(|pair| pair.concat()).collect();
    Ok(SecretString::from(groups.join("-")))
}

/// Whether a key is short enough to be guessed: a person chooses `PARLOR_API_KEY`.
pub(crate) fn is_short(token: &SecretString) -> bool {
    token.expose_secret().chars().count() < 20
}

/// Six bits of a byte. No letters that sound alike or look alike.
fn syllable(byte: u8) -> String {
    const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
    const VOWELS: &[u8; 4] = b"aiou";
    let consonant = CONSONANTS[usize::from(byte >> 2 & 15)];
    let vowel = VOWELS[usize::from(byte & 3)];
    [char::from(consonant), char::from(vowel)].iter().collect()
}

fn random<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_their_form_and_differ() {
        let token = new_token("parlor").unwrap();
        assert_eq!(token.expose_secret().len(), "parlor_".len() + 43);
        assert_ne!(token.expose_secret(), new_token("parlor").unwrap().expose_secret());
        let password = new_password().unwrap();
        assert_eq!(password.expose_secret().len(), 5 * 4 + 4);
        assert_ne!(password.expose_secret(), new_password().unwrap().expose_secret());
        assert_eq!(
            TokenHash::of("abc").to_hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
