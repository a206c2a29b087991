//! The log as JSON: an object in each line, with `time`, `level`, `target` and `message`, the fields
//! of the line, and those of the request and the turn that it belongs to.
//!
//! Each text is masked by itself, before it is quoted: quoting could hide a key from the masks, and a
//! mask could end a quotation.

use std::fmt::Debug;
use std::io::Write;
use std::time::SystemTime;

use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::Timestamp;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::timestamp::iso_ms;

/// Writes a line for each event.
#[derive(Debug)]
pub(super) struct JsonLines<W> {
    masks: Sanitizer,
    to: fn() -> W,
}

/// What a span or an event says.
#[derive(Debug, Default)]
struct Fields(Map<String, Value>);

impl<W> JsonLines<W> {
    pub(super) fn new(masks: Sanitizer, to: fn() -> W) -> Self {
        Self { masks, to }
    }

    fn line(&self, event: &Event<'_>, spans: impl Iterator<Item = Map<String, Value>>) -> String {
        let mut line = Map::new();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp(i64::try_from(since.as_millis()).unwrap_or_default());
        line.insert("time".to_owned(), iso_ms(now).into());
        line.insert("level".to_owned(), event.metadata().level().as_str().into());
        line.insert("target".to_owned(), event.metadata().target().into());
        let mut own = Fields::default();
        event.record(&mut own);
        line.insert("message".to_owned(), own.0.shift_remove("message").unwrap_or_default());
        for (name, value) in spans.flatten().chain(own.0) {
            // What every line has keeps its meaning.
            let is_taken = matches!(name.as_str(), "time" | "level" | "target" | "message");
            line.insert(if is_taken { format!("field_{name}") } else { name }, value);
        }
        let masked = line.into_iter().map(|(name, value)| (name, self.masked(value)));
        let mut line = Value::Object(masked.collect()).to_string();
        line.push('\n');
        line
    }

    fn masked(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.masks.sanitize_cow(&text).into_owned()),
            plain => plain,
        }
    }
}

impl<S, W> Layer<S> for JsonLines<W>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: Write + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let spans = context.event_scope(event).into_iter().flat_map(|scope| scope.from_root());
        let fields = spans.map(|span| {
            span.extensions().get::<Fields>().map(|fields| fields.0.clone()).unwrap_or_default()
        });
        let line = self.line(event, fields);
        // Nobody can be told that the log cannot be written.
        let _best_effort = (self.to)().write_all(line.as_bytes());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

    struct Written;

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            WRITTEN.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// O-3, X-3: a line is one object with what its spans say; a key is masked also where quoting
    /// would hide it, and where a mask could end the quotation.
    #[test]
    fn a_line_is_an_object_without_secrets() {
        let masks = Sanitizer::for_log(vec!["a\"secret\\of us".to_owned()]).unwrap();
        let lines = JsonLines::new(masks, || Written);
        let log = tracing_subscriber::registry().with(lines);
        tracing::subscriber::with_default(log, || {
            let request = tracing::error_span!("request", request = 7_u64);
            let turn = tracing::error_span!(parent: &request, "turn", tenant = "home", turn = "t");
            let said = "api_key=sk-proj-abc123\" a\"secret\\of us\nnext";
            turn.in_scope(|| tracing::warn!(said, level = 3, ok = true, "a line"));
            tracing::info!("alone");
        });
        let written = String::from_utf8(WRITTEN.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> =
            written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [line, alone] = lines.as_slice() else { panic!("{written}") };
        assert_eq!(line["message"], "a line");
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["field_level"], 3);
        assert_eq!((&line["request"], &line["turn"]), (&7.into(), &"t".into()));
        assert_eq!((&line["tenant"], &line["ok"]), (&"home".into(), &true.into()));
        let time = line["time"].as_str().unwrap();
        assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
        assert!(!written.contains("abc123") && !written.contains("secret"), "{written}");
        assert!(line["said"].as_str().unwrap().ends_with("\nnext"));
        assert_eq!(alone["message"], "alone");
        assert!(alone.get("tenant").is_none());
    }
}
