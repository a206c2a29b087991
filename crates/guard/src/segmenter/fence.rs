//! Code fences: where a line begins, which fence opens with it, and where the
//! fence closes.

/// The languages that JSON is written in.
const LABELS: [&str; 4] = ["", "json", "jsonc", "json5"];

/// The line of a fence, and the blank lines after it, are no longer than this.
const OPENING_AT_MOST: usize = 128;

/// How far a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Line {
    /// Nothing but a margin: white space and quote marks. A fence may close here.
    #[default]
    Margin,
    /// And the mark of a list item. A fence may open here.
    Item,
    /// Something else.
    Words,
}

impl Line {
    /// Follows text that has been passed on.
    pub(super) fn follow(&mut self, text: &str) {
        let line = match text.rfind('\n') {
            Some(at) => {
                *self = Self::Margin;
                &text[at + 1..]
            }
            None => text,
        };
        for byte in line.bytes() {
            self.feed(byte);
            if *self == Self::Words {
                return;
            }
        }
    }

    fn feed(&mut self, byte: u8) {
        *self = match (*self, byte) {
            (_, b'\n') => Self::Margin,
            (Self::Words, _) => Self::Words,
            (line, b' ' | b'\t' | b'\r' | b'>') => line,
            (_, b'-' | b'*' | b'+' | b'0'..=b'9' | b'.' | b')') => Self::Item,
            _ => Self::Words,
        };
    }
}

/// What the beginning of a fence turned out to be.
#[derive(Debug)]
pub(super) enum Step {
    /// Not decided yet.
    More,
    /// An object begins with this byte.
    Object(Fence),
    /// A code block, with something else in it.
    Code(Fence),
    /// No fence.
    Prose,
}

/// The beginning of a fence, as far as it was read.
#[derive(Debug)]
pub(super) struct Opening {
    /// It begins its line. Where it does not, it is a fence only for structure.
    proper: bool,
    length: usize,
    ticks: usize,
    label: String,
    /// A white space after the label, and then whatever else there is.
    labelled: bool,
    /// The line is over.
    inside: bool,
}

impl Opening {
    pub(super) fn new(line: Line) -> Self {
        Self {
            proper: line != Line::Words,
            length: 0,
            ticks: 0,
            label: String::new(),
            labelled: false,
            inside: false,
        }
    }

    pub(super) fn feed(&mut self, byte: u8) -> Step {
        match self.read(byte) {
            Step::Code(_) if !self.proper => Step::Prose,
            step => step,
        }
    }

    fn read(&mut self, byte: u8) -> Step {
        self.length += 1;
        if self.inside {
            return self.read_inside(byte);
        }
        match byte {
            b'`' if self.label.is_empty() && !self.labelled => self.ticks += 1,
            _ if self.ticks < 3 => return Step::Prose,
            // A fence's own line has no backticks: this is code within a line.
            b'`' => return Step::Prose,
            b'\n' => return self.end_of_line(),
            b' ' | b'\t' | b'\r' => self.labelled = !self.label.is_empty(),
            _ if self.labelled && byte.is_ascii() => {}
            _ if self.labelled => return Step::Code(Fence::on_its_line(self.ticks)),
            _ => self.label.push(char::from(byte.to_ascii_lowercase())),
        }
        if self.length > OPENING_AT_MOST || !self.may_be_json() {
            return Step::Code(Fence::on_its_line(self.ticks));
        }
        Step::More
    }

    fn read_inside(&mut self, byte: u8) -> Step {
        match byte {
            b'{' => Step::Object(Fence::new(self.ticks)),
            _ if byte.is_ascii_whitespace() && self.length <= OPENING_AT_MOST => Step::More,
            _ => Step::Code(Fence::new(self.ticks)),
        }
    }

    fn end_of_line(&mut self) -> Step {
        if !LABELS.contains(&self.label.as_str()) {
            return Step::Code(Fence::on_its_line(self.ticks));
        }
        self.inside = true;
        Step::More
    }

    fn may_be_json(&self) -> bool {
        LABELS.iter().any(|label| label.starts_with(&self.label))
    }
}

/// An open code block.
#[derive(Debug)]
pub(super) struct Fence {
    ticks: usize,
    /// Backticks in a row, as of now.
    run: usize,
    line: Line,
    /// The line of the fence itself is not over yet.
    own_line: bool,
}

impl Fence {
    fn new(ticks: usize) -> Self {
        Self { ticks, run: 0, line: Line::Margin, own_line: false }
    }

    fn on_its_line(ticks: usize) -> Self {
        Self { own_line: true, ..Self::new(ticks) }
    }

    /// The same block, behind text in it that ends in no backtick.
    pub(super) fn after(mut self, text: &str) -> Self {
        self.line.follow(text);
        self
    }

    /// Reads on in the block; true if the block was over before this byte.
    pub(super) fn ends_before(&mut self, byte: u8) -> bool {
        if self.own_line {
            self.own_line = byte != b'\n';
            return byte == b'`';
        }
        if byte == b'`' {
            if self.run > 0 || self.line == Line::Margin {
                self.run += 1;
            }
            self.line = Line::Words;
            return false;
        }
        let over = self.run >= self.ticks;
        self.run = 0;
        self.line.feed(byte);
        over
    }

    /// Reads on behind an object; true if this byte closes the fence.
    pub(super) fn closes_with(&mut self, byte: u8) -> bool {
        self.run = if byte == b'`' { self.run + 1 } else { 0 };
        self.line.feed(byte);
        self.run >= self.ticks
    }
}
