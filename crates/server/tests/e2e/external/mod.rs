//! External clients: the real, unmodified libraries against the real server.
//!
//! [`client`] starts a driver around a library and talks to it by lines; [`scene`] is a server with
//! a tool that needs approval, which can be killed and started again at the same address.

mod agui;
mod ai_sdk;
mod client;
mod openai_chat;
mod openai_clients;
mod responses;
mod scene;
