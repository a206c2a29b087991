//! The cases of the Autobahn test suite that apply to a server that does not echo, under their
//! numbers there: what a client sends, and how the connection ends. Where Autobahn expects an echo,
//! these tests expect that the connection continues. Groups 9 (speed), 10 (fragmented echo), 12 and
//! 13 (compression, which is never negotiated) do not apply.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::sockets::HOME;
use crate::test_app::{ADMIN_KEY, PATIENCE, TestApp};

const FIN: u8 = 0x80;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = FIN | 8;
const PING: u8 = FIN | 9;
const PONG: u8 = FIN | 10;

/// What a client sends, and what it must receive.
struct Case {
    number: String,
    frames: Vec<Vec<u8>>,
    /// The close code of the server; `None` if it sends no close frame.
    closes: Option<u16>,
    /// The number of text frames before it: an error for each message that is not JSON.
    texts: usize,
    /// The payloads of the pongs.
    pongs: Vec<Vec<u8>>,
}

impl Case {
    /// A case whose last frame breaks the protocol.
    fn broken(number: impl Into<String>, frames: &[Vec<u8>]) -> Self {
        Self {
            number: number.into(),
            frames: frames.to_vec(),
            closes: Some(1002),
            texts: 0,
            pongs: vec![],
        }
    }

    /// A valid case, which the client ends with a close frame.
    fn fine(number: impl Into<String>, frames: &[Vec<u8>]) -> Self {
        let frames = [frames, &[close(1000, b"")]].concat();
        Self { closes: Some(1000), ..Self::broken(number, &frames) }
    }

    fn texts(self, texts: usize) -> Self {
        Self { texts, ..self }
    }

    fn pongs(self, pongs: &[&[u8]]) -> Self {
        Self { pongs: pongs.iter().map(|pong| pong.to_vec()).collect(), ..self }
    }

    fn closes(self, code: Option<u16>) -> Self {
        Self { closes: code, ..self }
    }
}

/// A masked frame.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x37, 0xFA, 0x21, 0x3D];
    let mut bytes = vec![first];
    match payload.len() {
        short @ 0..=125 => bytes.push(0x80 | short as u8),
        medium @ 126..=0xFFFF => {
            bytes.push(0x80 | 126);
            bytes.extend((medium as u16).to_be_bytes());
        }
        long => {
            bytes.push(0x80 | 127);
            bytes.extend((long as u64).to_be_bytes());
        }
    }
    bytes.extend(mask);
    bytes.extend(payload.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]));
    bytes
}

fn text(payload: &[u8]) -> Vec<u8> {
    frame(FIN | TEXT, payload)
}

fn close(code: u16, reason: &[u8]) -> Vec<u8> {
    frame(CLOSE, &[&code.to_be_bytes()[..], reason].concat())
}

/// 1: messages of every length, as text and as binary frames, which are refused.
fn framing() -> Vec<Case> {
    let lengths = [0, 125, 126, 127, 128, 65_535, 65_536];
    let case = |(group, opcode): (usize, u8)| {
        lengths.into_iter().enumerate().map(move |(at, length)| {
            let message = frame(FIN | opcode, &vec![b'*'; length]);
            Case::fine(format!("1.{group}.{}", at + 1), &[message]).texts(1)
        })
    };
    [(1, TEXT), (2, BINARY)].into_iter().flat_map(case).collect()
}

/// 2: pings and pongs.
fn pings() -> Vec<Case> {
    let (odd, long) = (b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff", vec![0xFE; 125]);
    let ten: Vec<Vec<u8>> = (0..10).map(|n| format!("payload-{n}").into_bytes()).collect();
    let ten_pings: Vec<Vec<u8>> = ten.iter().map(|payload| frame(PING, payload)).collect();
    let ten_pongs: Vec<&[u8]> = ten.iter().map(Vec::as_slice).collect();
    let unsolicited = frame(PONG, b"unsolicited pong payload");
    vec![
        Case::fine("2.1", &[frame(PING, b"")]).pongs(&[b""]),
        Case::fine("2.2", &[frame(PING, b"Hello, world!")]).pongs(&[b"Hello, world!"]),
        Case::fine("2.3", &[frame(PING, odd)]).pongs(&[odd]),
        Case::fine("2.4", &[frame(PING, &long)]).pongs(&[&long]),
        Case::broken("2.5", &[frame(PING, &[0xFE; 126])]),
        Case::fine("2.7", &[frame(PONG, b"")]),
        Case::fine("2.8", std::slice::from_ref(&unsolicited)),
        Case::fine("2.9", &[unsolicited, frame(PING, b"ping payload")]).pongs(&[b"ping payload"]),
        Case::fine("2.10", &ten_pings).pongs(&ten_pongs),
    ]
}

/// 3: reserved bits, which are invalid without an extension.
fn reserved_bits() -> Vec<Case> {
    let bits = |bits: u8, opcode: u8, payload: &[u8]| frame(opcode | bits << 4, payload);
    vec![
        Case::broken("3.1", &[bits(1, FIN | TEXT, b"*")]),
        Case::broken("3.2", &[text(b"*"), bits(2, FIN | TEXT, b"*"), frame(PING, b"")]).texts(1),
        Case::broken("3.3", &[text(b"*"), bits(3, FIN | TEXT, b"*"), frame(PING, b"")]).texts(1),
        Case::broken("3.4", &[text(b"*"), bits(4, FIN | TEXT, b"*"), frame(PING, b"")]).texts(1),
        Case::broken("3.5", &[bits(5, FIN | BINARY, b"\x00\xff")]),
        Case::broken("3.6", &[bits(6, PING, b"Hello, world!")]),
        Case::broken("3.7", &[bits(7, CLOSE, b"")]),
    ]
}

/// 4: unknown opcodes.
fn opcodes() -> Vec<Case> {
    let groups = [(1, [3, 4, 5, 6, 7]), (2, [11, 12, 13, 14, 15])];
    let case = |(group, opcodes): (usize, [u8; 5])| {
        opcodes.into_iter().enumerate().map(move |(at, opcode)| {
            let number = format!("4.{group}.{}", at + 1);
            let payload: &[u8] = if at % 2 == 0 { b"" } else { b"reserved opcode payload" };
            let unknown = frame(FIN | opcode, payload);
            match at {
                0 | 1 => Case::broken(number, &[unknown]),
                _ => Case::broken(number, &[text(b"*"), unknown, frame(PING, b"")]).texts(1),
            }
        })
    };
    groups.into_iter().flat_map(case).collect()
}

/// 5: fragmented messages.
fn fragments() -> Vec<Case> {
    let (begin, go_on, end) = (frame(TEXT, b"one"), frame(0, b"two"), frame(FIN, b"three"));
    let ping = frame(PING, b"ping");
    let lone = frame(FIN, b"non-continuation payload");
    let lone_begin = frame(0, b"non-continuation payload");
    let in_pieces = [begin.clone(), ping.clone(), go_on.clone(), ping.clone(), end.clone()];
    let mut twice: Vec<Vec<u8>> = in_pieces.to_vec();
    twice.extend(in_pieces.clone());
    let and_text = text(b"Hello, world!");
    vec![
        Case::broken("5.1", &[frame(9, b"fragment1"), frame(FIN, b"fragment2")]),
        Case::broken("5.2", &[frame(10, b"fragment1"), frame(FIN, b"fragment2")]),
        Case::fine("5.3", &[begin.clone(), end.clone()]).texts(1),
        Case::fine("5.6", &[begin.clone(), ping.clone(), end.clone()]).texts(1).pongs(&[b"ping"]),
        Case::broken("5.9", &[lone.clone(), and_text.clone()]),
        Case::broken("5.12", &[lone_begin.clone(), and_text.clone()]),
        Case::broken("5.15", &[begin.clone(), end.clone(), lone_begin.clone(), and_text.clone()])
            .texts(1),
        Case::broken("5.16", &[lone_begin, begin.clone(), end.clone()]),
        Case::broken("5.17", &[lone, begin.clone(), end.clone()]),
        Case::broken("5.18", &[begin.clone(), frame(FIN | TEXT, b"two")]),
        Case::fine("5.19", &in_pieces).texts(1).pongs(&[b"ping", b"ping"]),
        Case::fine("5.20", &twice).texts(2).pongs(&[b"ping", b"ping", b"ping", b"ping"]),
    ]
}

/// 6: valid and invalid UTF-8.
fn utf8() -> Vec<Case> {
    let valid: [&[u8]; 14] = [
        b"",
        "Hello-µ@ßöäüàá-UTF-8!!".as_bytes(),
        "κόσμε".as_bytes(),
        b"\x00",
        b"\xC2\x80",
        b"\xE0\xA0\x80",
        b"\xF0\x90\x80\x80",
        b"\x7F",
        b"\xDF\xBF",
        b"\xEF\xBF\xBF",
        b"\xF4\x8F\xBF\xBF",
        b"\xED\x9F\xBF",
        b"\xEE\x80\x80",
        b"\xEF\xBF\xBE",
    ];
    let invalid: [&[u8]; 27] = [
        b"\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5\xED\xA0\x80edited",
        b"\xF8\x88\x80\x80\x80",
        b"\xFC\x84\x80\x80\x80\x80",
        b"\xF7\xBF\xBF\xBF",
        b"\xFB\xBF\xBF\xBF\xBF",
        b"\xFD\xBF\xBF\xBF\xBF\xBF",
        b"\xF4\x90\x80\x80",
        b"\x80",
        b"\xBF",
        b"\x80\xBF\x80\xBF\x80\xBF\x80",
        b"\xC0 \xC1 \xC2 \xC3 ",
        b"\xE0 \xE1 \xE2 ",
        b"\xF0 \xF1 \xF2 ",
        b"\xF8 \xF9 ",
        b"\xFC \xFD ",
        b"\xC0",
        b"\xE0\x80",
        b"\xF0\x80\x80",
        b"\xFE",
        b"\xFF",
        b"\xFE\xFE\xFF\xFF",
        b"\xC0\xAF",
        b"\xE0\x80\xAF",
        b"\xF0\x80\x80\xAF",
        b"\xED\xA0\x80",
        b"\xED\xBF\xBF",
        b"\xED\xA0\x80\xED\xB0\x80",
    ];
    let mut cases = vec![
        Case::fine("6.1.2", &[frame(TEXT, b""), frame(0, b""), frame(FIN, b"")]).texts(1),
        Case::fine(
            "6.2.3",
            &"κόσμε".bytes().fold(vec![frame(TEXT, b"")], |mut frames, byte| {
                frames.push(frame(0, &[byte]));
                frames
            }),
        ),
        // Refused before the message is complete.
        Case::broken("6.4.1", &[frame(TEXT, "κόσμε".as_bytes()), frame(0, b"\xF4\x90\x80\x80")])
            .closes(Some(1007)),
        Case::broken("6.3.2", &[frame(TEXT, b"\xCE"), frame(FIN, b"\xCE")]).closes(Some(1007)),
        // An incomplete character.
        Case::broken("6.6.1", &[text(b"\xCE")]).closes(Some(1007)),
    ];
    for bytes in valid {
        cases.push(Case::fine(format!("6 {bytes:x?}"), &[text(bytes)]).texts(1));
    }
    for bytes in invalid {
        cases.push(Case::broken(format!("6 {bytes:x?}"), &[text(bytes)]).closes(Some(1007)));
    }
    cases
}

/// 7: close frames.
fn goodbyes() -> Vec<Case> {
    let after = |frame: Vec<u8>| Case::broken("", &[close(1000, b""), frame]).closes(Some(1000));
    let numbered = |number: &str, case: Case| Case { number: number.to_owned(), ..case };
    let mut cases = vec![
        Case::fine("7.1.1", &[text(b"Hello World!")]).texts(1),
        numbered("7.1.2", after(close(1000, b""))),
        numbered("7.1.3", after(frame(PING, b""))),
        numbered("7.1.4", after(text(b"Hello World!"))),
        numbered("7.1.5", after(frame(FIN, b"fragment2"))),
        Case::broken("7.3.1", &[frame(CLOSE, b"")]).closes(None),
        Case::broken("7.3.2", &[frame(CLOSE, b"a")]),
        Case::broken("7.3.3", &[close(1000, b"")]).closes(Some(1000)),
        Case::broken("7.3.4", &[close(1000, b"Hello World!")]).closes(Some(1000)),
        Case::broken("7.3.5", &[close(1000, &[b'*'; 123])]).closes(Some(1000)),
        Case::broken("7.3.6", &[close(1000, &[b'*'; 124])]),
        Case::broken("7.5.1", &[close(1000, b"\xCE\xBA\xE1\xBD\xB9\xED\xA0\x80edited")])
            .closes(Some(1007)),
    ];
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] {
        let case = Case::broken(format!("7.7 {code}"), &[close(code, b"")]);
        cases.push(case.closes(Some(code)));
    }
    for code in [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999] {
        cases.push(Case::broken(format!("7.9 {code}"), &[close(code, b"")]));
    }
    cases
}

/// W-1, W-2: every case ends with its close code, and a client that broke the protocol gets nothing
/// but the code and its reason.
#[tokio::test]
async fn the_cases_of_autobahn_that_apply() {
    let app = TestApp::start().await;
    let groups = [framing(), pings(), reserved_bits(), opcodes(), fragments(), utf8(), goodbyes()];
    for case in groups.into_iter().flatten() {
        // All bytes at once, and byte by byte.
        let bytes = case.frames.concat();
        let small = bytes.len() < 1000;
        for pieces in [bytes.len(), 1].into_iter().take(if small { 2 } else { 1 }) {
            let seen = exchange(&app, &bytes, pieces).await;
            let number = &case.number;
            assert_eq!(seen.closes, case.closes, "{number} in pieces of {pieces}");
            assert_eq!(seen.texts, case.texts, "{number} in pieces of {pieces}");
            assert_eq!(seen.pongs, case.pongs, "{number} in pieces of {pieces}");
        }
    }
}

struct Seen {
    closes: Option<u16>,
    texts: usize,
    pongs: Vec<Vec<u8>>,
}

/// Opens a WebSocket, sends these bytes, and reads until the end.
async fn exchange(app: &TestApp, bytes: &[u8], pieces: usize) -> Seen {
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let head = format!(
        "GET {HOME} HTTP/1.1\r\nHost: {}\r\nX-API-Key: {ADMIN_KEY}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        app.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(timeout(PATIENCE, stream.read_u8()).await.unwrap().unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    let (mut reads, mut writes) = stream.split();
    let send = async {
        for piece in bytes.chunks(pieces) {
            // The server may have closed the connection already.
            if writes.write_all(piece).await.is_err() {
                return;
            }
        }
        let _closed = writes.shutdown().await;
    };
    let mut received = Vec::new();
    let receive = async {
        // A reset after the last frame counts as the end.
        let _end = timeout(PATIENCE, reads.read_to_end(&mut received)).await.expect("it hangs");
    };
    tokio::join!(send, receive);
    read(&received)
}

/// The frames of the server; the last one must be its close frame.
fn read(mut bytes: &[u8]) -> Seen {
    let mut seen = Seen { closes: None, texts: 0, pongs: Vec::new() };
    while let [first, second, rest @ ..] = bytes {
        let (length, rest) = match second {
            126 => (usize::from(u16::from_be_bytes([rest[0], rest[1]])), &rest[2..]),
            short => (usize::from(*short), rest),
        };
        let (payload, rest) = rest.split_at(length);
        match *first {
            PONG => seen.pongs.push(payload.to_vec()),
            first if first == FIN | TEXT => seen.texts += 1,
            CLOSE => {
                assert!(rest.is_empty(), "nothing comes after the goodbye");
                seen.closes = payload.first_chunk().map(|code| u16::from_be_bytes(*code));
                return seen;
            }
            PING => {}
            other => panic!("a frame that no server sends: {other:#x}"),
        }
        bytes = rest;
    }
    panic!("it ended without a goodbye");
}
