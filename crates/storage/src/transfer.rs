//! The tables of this crate, as a copy into another database and `parlor db check` need them.
//!
//! Every table and column of the schema is listed, or named in `not_copied` with the reason;
//! tests compare the list with the schema of both engines.

use parlor_database::transfer::{Component, Rule, Table};

use crate::migrations::MIGRATIONS;

/// The tables of this crate.
pub fn component() -> Component {
    Component { migrations: &MIGRATIONS, tables: TABLES, not_copied: NOT_COPIED, rules: RULES }
}

/// A rule about a table whose rows belong to a conversation.
macro_rules! of_a_conversation {
    ($table:literal, $rule:literal) => {
        Rule {
            rule: $rule,
            broken: concat!(
                "FROM ",
                $table,
                " r WHERE NOT EXISTS \
                 (SELECT 1 FROM conversations c WHERE c.id = r.conversation_id)"
            ),
        }
    };
}

/// A rule about a table whose rows may belong to a person, or to a visitor of another site.
macro_rules! of_a_person {
    ($table:literal, $rule:literal) => {
        Rule {
            rule: $rule,
            broken: concat!(
                "FROM ",
                $table,
                " r WHERE r.person IS NOT NULL AND NOT EXISTS \
                 (SELECT 1 FROM people p WHERE p.id = r.person \
                  UNION ALL SELECT 1 FROM visitors v WHERE v.id = r.person)"
            ),
        }
    };
}

/// What is about the servers that run, and none runs during a copy.
const NOT_COPIED: &[(&str, &str)] = &[
    ("nodes", "the servers of the old database"),
    ("installation", "the copy is another installation"),
    ("login_attempts", "throttles of minutes"),
    ("mcp_login_attempts", "logins that were begun, of minutes"),
    ("webhooks", "written by each server that starts"),
    ("embed_tokens", "tokens of minutes, which a site asks for again"),
    ("search_entries", "the index of words is made anew by the server that starts"),
    ("search_progress", "the index of words is made anew by the server that starts"),
    ("audit_pending", "written again by the records of the copy"),
    ("audit_files", "the files of the servers of the old database"),
    ("turns.owner", "every running turn of the copy is taken over"),
];

const TABLES: &[Table] = &[
    Table::new("conversations", &["id"])
        .texts(&[
            "id", "tenant", "project", "title", "mode", "home", "folder", "person", "visibility",
        ])
        .integers(&[
            "epoch", "next_seq", "next_position", "created_at", "updated_at", "leaf", "deleted_at",
        ]),
    Table::new("turns", &["id"])
        .texts(&[
            "id", "conversation_id", "tenant", "started_by", "client_message_id", "message_id",
            "status", "checkpoint", "block_message", "request_hash", "client_tools", "person",
        ])
        .integers(&[
            "start_seq", "epoch", "tokens_used", "block_seq", "started_at", "ended_at", "resumes",
            "cost_micros", "stop_at", "parent",
        ])
        .booleans(&["handed_over", "clears"]),
    Table::new("events", &["conversation_id", "seq"])
        .texts(&["conversation_id", "turn_id", "kind", "message_id", "body"])
        .integers(&["seq", "created_at"]),
    Table::new("deltas", &["conversation_id", "block", "part"])
        .texts(&["conversation_id", "raw", "clean"])
        .integers(&["block", "part"]),
    Table::new("messages", &["id"])
        .texts(&[
            "id", "conversation_id", "turn_id", "role", "message_type", "content", "data",
            "options", "questions", "metadata",
        ])
        .integers(&["seq", "created_at"]),
    Table::new("history", &["conversation_id", "position"])
        .texts(&["conversation_id", "turn_id", "body"])
        .integers(&["position"]),
    Table::new("images", &["id"])
        .texts(&[
            "id", "tenant", "conversation_id", "media_type", "name", "hash", "text", "suspicious",
        ])
        .integers(&["created_at", "pages"])
        .booleans(&["text_only"])
        .bytes(&["bytes"]),
    Table::new("share_links", &["id"])
        .texts(&["id", "hash", "tenant", "conversation_id", "person", "name", "audience", "title"])
        .integers(&["until", "leaf", "created_at", "expires_at", "opened", "last_opened_at"])
        .booleans(&["results"]),
    Table::new("prompts", &["id"])
        .texts(&[
            "id", "conversation_id", "tenant", "project", "turn_id", "ask_id", "origin", "status",
            "public", "private", "response", "decision", "answered_by", "reason", "allowed_call",
            "allowed_preview",
        ])
        .integers(&["timeout_ms", "opened_at", "expires_at", "closed_at"])
        .booleans(&["parks", "told", "limited"]),
    Table::new("tool_runs", &["id"])
        .texts(&[
            "id", "conversation_id", "turn_id", "call_id", "server", "tool", "status", "arguments",
            "result", "content", "origin",
        ])
        .integers(&["proposed_at", "started_at", "finished_at"])
        .booleans(&["private", "suspicious", "withheld", "cleared"]),
    Table::new("allowances", &["conversation_id", "server", "tool"])
        .texts(&["conversation_id", "server", "tool", "fingerprint", "granted_by"])
        .integers(&["granted_at"]),
    Table::new(
        "external_conversations",
        &["tenant", "principal", "surface", "project", "external_id"],
    )
    .texts(&["tenant", "principal", "surface", "project", "external_id", "conversation_id"]),
    Table::new("list_places", &["conversation_id", "viewer"])
        .texts(&["conversation_id", "viewer"])
        .integers(&["pinned_at", "archived_at"]),
    Table::new("decisions", &["id"])
        .texts(&[
            "id", "tenant", "project", "conversation_id", "prompt_id", "origin", "outcome",
            "session", "answered_by", "question", "response", "server", "tool", "run_id",
            "arguments_hash", "reason", "proposed", "arguments", "sources", "person",
        ])
        .integers(&["at"])
        .booleans(&["edited", "remembered"]),
    Table::new("passwords", &["tenant", "role"])
        .texts(&["tenant", "role", "hash"])
        .integers(&["changed_at"]),
    Table::new("mcp_logins", &["tenant", "project", "server"])
        .texts(&["tenant", "project", "server"])
        .integers(&["saved_at", "renewing_until"])
        .bytes(&["sealed"]),
    Table::new("mcp_person_logins", &["tenant", "project", "server", "person"])
        .texts(&["tenant", "project", "server", "person", "id", "refused"])
        .integers(&["logged_in_at", "renewing_until"])
        .bytes(&["sealed"]),
    Table::new("tokens", &["id"])
        .texts(&["id", "hash", "kind", "tenant", "role", "name", "person", "device", "issuer"])
        .integers(&["created_at", "last_used_at", "expires_at", "revoked_at"]),
    Table::new("people", &["id"])
        .texts(&["id", "tenant", "login", "name", "email", "role", "password_hash", "roles"])
        .integers(&["created_at", "disabled_at"]),
    Table::new("visitors", &["id"])
        .texts(&["id", "tenant", "project", "origin", "subject", "name"])
        .integers(&["created_at"]),
    Table::new("identities", &["tenant", "provider", "subject"])
        .texts(&["tenant", "provider", "subject", "person"])
        .integers(&["created_at"]),
    Table::new("invitations", &["hash"])
        .texts(&["hash", "tenant", "role", "email", "invited_by", "person"])
        .integers(&["created_at", "expires_at", "used_at"]),
    Table::new("blocked_inputs", &["id"])
        .texts(&[
            "id", "tenant", "project", "session", "rule", "category", "action", "view", "hash",
            "excerpt", "person",
        ])
        .integers(&["at"]),
    Table::new("turn_figures", &["tenant", "hour", "project", "figure", "shard"])
        .texts(&["tenant", "project", "figure"])
        .integers(&["hour", "shard", "amount"]),
    Table::new("admin_acts", &["id"])
        .texts(&["id", "tenant", "session", "name", "person", "act", "subject", "subject_name"])
        .integers(&["at"]),
    Table::new("push_keys", &["one"]).integers(&["one", "made_at"]).bytes(&["sealed"]),
    Table::new("push_subscriptions", &["session"])
        .texts(&["session", "tenant", "endpoint_hash", "language"])
        .integers(&["created_at", "failures"])
        .bytes(&["sealed"]),
    Table::new("push_messages", &["session", "subject"])
        .texts(&["session", "subject", "kind", "conversation_id"])
        .integers(&["at", "due_at", "claimed_until", "attempts", "sent_at"]),
    Table::new("audit_entries", &["tenant", "seq"])
        .texts(&["tenant", "kind", "id", "digest", "previous", "hash", "public_key", "signature"])
        .integers(&["seq", "sealed_at"]),
    Table::new("audit_records", &["tenant", "seq"])
        .texts(&["tenant", "salt", "record"])
        .integers(&["seq"]),
    Table::new("audit_heads", &["tenant"]).texts(&["tenant", "hash"]).integers(&["seq"]),
    Table::new("quotas", &["sender"]).texts(&["sender"]).integers(&["rested_at"]),
    Table::new("webhook_messages", &["tenant", "webhook", "subject", "event"])
        .texts(&["tenant", "webhook", "subject", "event", "project", "conversation_id", "problem"])
        .integers(&["at", "due_at", "claimed_until", "attempts"]),
    Table::new("usage", &["tenant", "period", "scope", "subject"])
        .texts(&["tenant", "period", "scope", "subject"])
        .integers(&["messages", "tokens", "cost_micros", "agent_ms"]),
];

/// Only `decisions` outlive their conversation.
const RULES: &[Rule] = &[
    of_a_conversation!("turns", "every turn belongs to a conversation"),
    of_a_conversation!("events", "every event belongs to a conversation"),
    of_a_conversation!("deltas", "all streamed text belongs to a conversation"),
    of_a_conversation!("messages", "every message belongs to a conversation"),
    of_a_conversation!("history", "the raw history belongs to a conversation"),
    of_a_conversation!("images", "every image belongs to a conversation"),
    of_a_conversation!("prompts", "every prompt belongs to a conversation"),
    of_a_conversation!("tool_runs", "every tool run belongs to a conversation"),
    of_a_conversation!("allowances", "every allowance belongs to a conversation"),
    of_a_conversation!("external_conversations", "every external id names a conversation"),
    of_a_conversation!("share_links", "every link to share belongs to a conversation"),
    Rule {
        rule: "every push subscription belongs to a session",
        broken: "FROM push_subscriptions s WHERE NOT EXISTS \
                 (SELECT 1 FROM tokens t WHERE t.id = s.session)",
    },
    of_a_conversation!("list_places", "every place in a list is that of a conversation"),
    of_a_person!("identities", "every identity belongs to a person"),
    of_a_person!("mcp_person_logins", "every login of a person to a server belongs to one"),
    of_a_person!("tokens", "every session and key of a person belongs to one"),
    of_a_person!("conversations", "every conversation of a person belongs to one"),
    Rule {
        rule: "a conversation has one running turn at most",
        broken: "FROM (SELECT 1 FROM turns WHERE status = 'running' \
                 GROUP BY conversation_id HAVING COUNT(*) > 1) several",
    },
    Rule {
        rule: "the next event's number is above all that were used",
        broken: "FROM conversations c WHERE EXISTS \
                 (SELECT 1 FROM events e WHERE e.conversation_id = c.id AND e.seq >= c.next_seq)",
    },
    Rule {
        rule: "the next position of the raw history is above all that were used",
        broken: "FROM conversations c WHERE EXISTS (SELECT 1 FROM history h \
                 WHERE h.conversation_id = c.id AND h.position >= c.next_position)",
    },
    Rule {
        rule: "a turn follows one that began before it",
        broken: "FROM turns t WHERE t.parent IS NOT NULL AND t.parent <> 0 AND (t.parent >= t.start_seq \
                 OR NOT EXISTS (SELECT 1 FROM turns p WHERE p.conversation_id = t.conversation_id \
                 AND p.start_seq = t.parent))",
    },
    Rule {
        rule: "the current path ends in a turn",
        broken: "FROM conversations c WHERE c.leaf IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t \
                 WHERE t.conversation_id = c.id AND t.start_seq = c.leaf)",
    },
    Rule {
        rule: "an event's message exists",
        broken: "FROM events e WHERE e.kind = 'message' AND NOT EXISTS \
                 (SELECT 1 FROM messages m WHERE m.id = e.message_id)",
    },
];

#[cfg(test)]
mod tests {
    use parlor_database::{Connections, Database};

    use super::*;

    /// E-4: every table and column of the schema is copied, or excepted with a reason.
    #[tokio::test]
    async fn the_list_is_the_schema() {
        let dir = tempfile::tempdir().unwrap();
        let location = parlor_test_database::location(&dir.path().join("parlor.db")).await;
        let connections = Connections { sqlite_readers: 1, postgres: 2 };
        let component = component();
        let opened = Database::open(&location, component.migrations, connections).await;
        let schema = opened.unwrap().schema().await.unwrap();
        assert_eq!(component.missing(&schema), [""; 0], "listed, but not as the schema has it");
        assert_eq!(component.unlisted(&schema), [""; 0], "not copied, and no reason is given");
    }
}
