//! The text of the pages, in both languages.

use crate::http::locale::Locale;

/// The text of the pages in one language.
pub(super) struct PageText {
    pub(super) locale: Locale,
    pub(super) login: &'static str,
    pub(super) password: &'static str,
    pub(super) password_or_family: &'static str,
    pub(super) name: &'static str,
    pub(super) name_hint: &'static str,
    pub(super) enter: &'static str,
    pub(super) log_in_with: &'static str,
    pub(super) session_ended: &'static str,
    pub(super) wrong_password: &'static str,
    pub(super) wrong_name: &'static str,
    pub(super) too_many_attempts: &'static str,
    pub(super) log_out: &'static str,
    pub(super) message: &'static str,
    pub(super) send: &'static str,
    pub(super) stop: &'static str,
    pub(super) connection_lost: &'static str,
    pub(super) failed: &'static str,
    pub(super) blocked: &'static str,
}

impl PageText {
    pub(super) fn of(locale: Locale) -> Self {
        match locale {
            Locale::En => Self {
                locale,
                login: "Log in",
                password: "Family password",
                password_or_family: "Password",
                name: "Your name",
                name_hint: "Leave it empty to use the family password.",
                enter: "Enter",
                log_in_with: "Log in with {provider}",
                session_ended: "Your session ended. Sign in to go on where you were.",
                wrong_password: "That is not the password. Please try again.",
                wrong_name: "The name or the password is not right. Please try again.",
                too_many_attempts: "Too many attempts. Please wait {seconds} s and try again.",
                log_out: "Log out",
                message: "Your message",
                send: "Send",
                stop: "Stop",
                connection_lost: "The connection was lost; trying again…",
                failed: "That did not work. Please try again.",
                blocked: "This message was not allowed.",
            },
            Locale::Pt => Self {
                locale,
                login: "Entrar",
                password: "Senha da família",
                password_or_family: "Senha",
                name: "Seu nome",
                name_hint: "Deixe em branco para usar a senha da família.",
                enter: "Entrar",
                log_in_with: "Entrar com {provider}",
                session_ended: "Sua sessão terminou. Entre para continuar de onde parou.",
                wrong_password: "A senha não está certa. Tente de novo.",
                wrong_name: "O nome ou a senha não está certo. Tente de novo.",
                too_many_attempts: "Tentativas demais. Espere {seconds} s e tente de novo.",
                log_out: "Sair",
                message: "Sua mensagem",
                send: "Enviar",
                stop: "Parar",
                connection_lost: "A conexão caiu; tentando de novo…",
                failed: "Não deu certo. Tente de novo.",
                blocked: "Comando não permitido",
            },
        }
    }
}
