//! Turns, named after what goes wrong in them.

use std::process::exit;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::stream::{
    SESSION, aborted, answer, begin, end, init, permission, result, say, tool, whole,
};
use crate::{Host, deferral, start, write, write_raw};

const MEGABYTE: usize = 1 << 20;

/// One turn. The first word of the message says what to do.
pub(crate) fn turn(host: &mut Host, message: &str) {
    let mut words = message.split(' ');
    let abuse = words.next().unwrap_or_default();
    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
    match abuse {
        "half_line" => leave(b"{\"type\":\"assistant\",\"mess", 9),
        "half_answer" => leave(b"", 7),
        "exit_zero" => exit(0),
        "hang" => {
            begin();
            say("One moment");
            thread::sleep(Duration::from_secs(3_600));
        }
        "long_line" => long_line(),
        "flood" => flood(),
        "bad_utf8" => write_raw(b"{\"type\":\"assistant\",\"message\":\"\xff\xfe\"}\n"),
        "bad_json" => write_raw(b"{\"type\":\"assistant\",\"message\":{\"content\":}\n"),
        "garbage" => {
            write_raw(b"npm warn deprecated\n\n\x00\x1b[31mred\x1b[0m\n\xff\xfe\xfd\n");
            answer(&["As if nothing had been."]);
        }
        "not_an_object" => {
            write_raw(b"[7, null]\n");
            answer(&["As if nothing had been."]);
        }
        "deep_json" => {
            let deep = "[".repeat(100_000) + &"]".repeat(100_000);
            write_raw(format!("{{\"type\":\"system\",\"deep\":{deep}}}\n").as_bytes());
            answer(&["As if nothing had been."]);
        }
        "unknown_types" => unknown_types(),
        "flood_stderr" => {
            (0..20_000).for_each(|_| eprintln!("{}", "noise ".repeat(100)));
            answer(&["Still here."]);
        }
        "leave_grandchild" => {
            start::leave_grandchild();
            exit(0);
        }
        "interruptible" => {
            begin();
            say("So far");
            host.wait_for_interrupt();
            aborted();
        }
        "ignore_interrupt" => {
            begin();
            say("So far");
            loop {
                host.wait_for_interrupt();
            }
        }
        "secrets" => secrets(),
        "internals" => internals(),
        "defer" => deferral::wants(host),
        "ask" => ask(host, &["p1"]),
        "ask_twice" => ask(host, &["p1", "p1"]),
        "plan" => present_plan(host),
        "ask_oddly" => ask_oddly(host),
        "ask_and_leave" => {
            write(&permission("p1", "Bash", &json!({"command": "make"})));
            leave(b"", 5);
        }
        "ask_and_withdraw" => {
            write(&permission("p1", "Bash", &json!({"command": "make"})));
            write(&json!({"type": "control_cancel_request", "request_id": "p1"}));
            answer(&["Never mind."]);
        }
        "result_twice" => {
            answer(&["Once."]);
            result("Once.");
        }
        "unasked" => {
            answer(&["First."]);
            answer(&["And one more thing."]);
        }
        "unasked_ask" => {
            answer(&["First."]);
            ask(host, &["p1"]);
        }
        "unasked_defer" => {
            answer(&["First."]);
            deferral::wants(host);
        }
        "unasked_defer_later" => {
            answer(&["First."]);
            deferral::wants_later(host);
        }
        "unasked_half" => {
            answer(&["First."]);
            begin();
            say("And one");
            host.wait_for_interrupt();
            aborted();
        }
        "no_pieces" => whole("All at once."),
        "steady" => steady(number(), Duration::from_millis(number())),
        _ => answer(&["You said: ", message]),
    }
}

/// Begins to speak, writes this, and is gone.
fn leave(bytes: &[u8], code: i32) {
    begin();
    say("I was about to");
    write_raw(bytes);
    exit(code);
}

/// 100 MB without the end of a line.
fn long_line() {
    write_raw(b"{\"type\":\"assistant\",\"message\":\"");
    let piece = vec![b'x'; MEGABYTE];
    (0..100).for_each(|_| write_raw(&piece));
    write_raw(b"\"}\n");
}

/// An answer that does not end.
fn flood() {
    begin();
    let piece = "more ".repeat(2_000);
    loop {
        say(&piece);
    }
}

/// What a newer version may say, and what none does; then a good answer.
fn unknown_types() {
    write_raw(b"\n  \n");
    for line in [
        json!({}),
        json!({"type": 7}),
        json!({"type": "telepathy", "content": "Claude Code knows"}),
        json!({"type": "system", "subtype": "moon_phase", "phase": 3}),
        json!({"type": "stream_event", "event": {"type": "content_block_waltz"}}),
        json!({"type": "stream_event"}),
        json!({"type": "assistant", "message": {"content": [{"type": "hologram"}, 7, null]}}),
        json!({"type": "assistant", "message": "not an object"}),
        json!({"type": "user", "message": {"content": [{"type": "tool_result"}]}}),
        json!({"type": "control_response", "response": {"request_id": "never-asked"}}),
        json!({"type": "control_cancel_request", "request_id": "never-asked"}),
    ] {
        write(&line);
    }
    answer(&["All ", "good."]);
}

/// Its environment, in every place that a person could see it.
fn secrets() {
    let environment: Vec<String> =
        std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
    let text = environment.join("\n");
    tool("Bash", &json!({"command": format!("env # {text}")}), &text);
    answer(&["My environment:\n", &text]);
}

/// What a harness tells its model, in colour: where it works, under which session, and a
/// token, which comes in pieces.
fn internals() {
    let dir = std::env::current_dir().unwrap_or_default().display().to_string();
    let slug: String =
        dir.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let token = std::env::var("SITE_TOKEN").unwrap_or_default();
    let output = format!(
        "\u{1B}[32mStarted\u{1B}[0m\u{0} in {slug} for {SESSION}: {dir}/a.txt \
         (file state is current in your context) <system-reminder>Be brief.</system-reminder> {token}\n\
         /tmp/claude-0/{slug}/{SESSION}/tasks/b1.output"
    );
    init();
    tool("Bash", &json!({"command": "make"}), &output);
    let (first, last) = token.split_at(token.len() / 2);
    let session = format!("I am Opus in session {SESSION}");
    let (before, after) = session.split_at(30);
    answer(&[before, after, ", my token is ", first, last, ", txt.\u{202E}gpj"]);
}

/// Asks under each of these ids, and says what was answered to the last.
fn ask(host: &mut Host, ids: &[&str]) {
    let input = json!({"command": "make"});
    for id in &ids[1..] {
        write(&permission(id, "Bash", &input));
    }
    match host.ask(ids[0], "Bash", &input) {
        Some(response) => answer(&[&format!("The answer was {}.", response["behavior"])]),
        None => aborted(),
    }
}

/// Presents a plan in markdown, and says what was answered.
fn present_plan(host: &mut Host) {
    let plan = "# Tidy the pantry\n\nEverything at its place.\n\n1. Take everything out\n\
                2. Wipe the shelves\n3. Put it back, oldest first";
    match host.ask("p1", "ExitPlanMode", &json!({"plan": plan})) {
        Some(response) => answer(&[&format!("The answer was {}.", response["behavior"])]),
        None => aborted(),
    }
}

/// Requests without what makes them one, and of kinds that nobody knows. Each is
/// answered somehow: a program that waits for an answer would hang.
fn ask_oddly(host: &mut Host) {
    let requests = [
        json!({"subtype": "can_use_tool"}),
        json!({"subtype": "can_use_tool", "tool_name": 7, "input": "text"}),
        json!({"subtype": "read_minds"}),
        Value::Null,
    ];
    for (number, request) in requests.iter().enumerate() {
        let id = format!("odd-{number}");
        write(&json!({"type": "control_request", "request_id": id, "request": request}));
    }
    let _first = host.answer_to("odd-2");
    answer(&["Answered."]);
}

/// So many pieces, one in each interval. Each carries its number and its moment.
fn steady(count: u64, every: Duration) {
    begin();
    let (mut text, mut due) = (String::new(), SystemTime::now());
    for number in 0..count {
        due += every;
        thread::sleep(due.duration_since(SystemTime::now()).unwrap_or_default());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let piece = format!("@{number}:{}@ and a few ordinary words ", now.as_nanos());
        say(&piece);
        text.push_str(&piece);
    }
    end(&text);
}
