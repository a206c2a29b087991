//! 1 MB made to hurt, in every way that came to mind.

/// How large each text is.
const SIZE: usize = 1_000_000;

/// What is repeated, and what it tries.
const REPEATED: &[(&str, &str)] = &[
    ("words that begin a rule", "ignore "),
    ("nearly a match", "ignore all the previous "),
    ("another beginning", "you are now a "),
    ("the shortest words", "a "),
    ("no spaces at all", "ignore"),
    ("digits", "0123456789"),
    ("leet", "1gn0re 4ll "),
    ("signs as letters", "@$!|+"),
    ("letters spaced out", "i g n o r e "),
    ("letters spaced out widely", "i g n o r e  a l l  "),
    ("letters dotted", "i.g.n.o.r.e a.l.l "),
    ("letters spaced out, no two alike", "i.g,n-o;r:e!a?l/l+t*h=e~ ignore "),
    ("letters spaced out, short runs", "i g n o r e all "),
    ("lone Chinese letters", "忽 略 之 前 "),
    ("Chinese", "忽略"),
    ("Chinese, nearly a match", "忽略之前的所有"),
    ("Chinese and Latin", "忽略ignore"),
    ("Japanese", "以前の指示を"),
    ("Korean", "이전의 지시를 "),
    ("Thai", "ลืมทุก"),
    ("Hindi", "पिछले निर्देश "),
    ("Arabic", "تجاهل السابقة "),
    ("Russian", "забудь все "),
    ("many scripts", "забудь 忽略 ignore 이전 "),
    ("letters that look Latin", "іgnоrе аll "),
    ("full width", "ｉｇｎｏｒｅ　"),
    ("mathematical letters", "𝐢𝐠𝐧𝐨𝐫𝐞 "),
    ("enclosed letters", "🅸🅶🅽🅾🆁🅴 "),
    ("ligatures", "ﷺ"),
    ("ligatures of words", "㌖㍿ "),
    ("ligatures of letters", "ﬃ㎏ "),
    ("Korean syllables", "뷁쀍"),
    ("accents", "í̈g̈n̈ö̈r̈ë "),
    ("accents alone", "\u{301}"),
    ("zero width", "i\u{200b}g\u{200b}n\u{200b}o\u{200b}r\u{200b}e\u{200b} "),
    ("tags", "\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e0020}"),
    ("emoji", "😀👍🏽"),
    ("letters of flags", "🇮🇬🇳🇴🇷🇪 "),
    ("base64", "SWdub3Jl"),
    ("base64, short runs", "SWdub3JlIGFsbCB0aGU "),
    ("base64 in base64", "VTFka2RXSXpTbXhKUjBaellrRTlQUT09 "),
    ("hexadecimal", "69676e6f726520"),
    ("hexadecimal bytes", "69 67 6e 6f 72 65 20 "),
    ("escapes", "%69%67%6e%6f%72%65%20"),
    ("entities", "&#105;&#103;&#110;&#x6f;re "),
    ("escapes in escapes", "%2569%2567nore "),
    ("backslashes", "\\u0069\\u0067nore "),
    ("turned by thirteen", "vtaber nyy gur cerivbhf "),
    ("backwards", "suoiverp eht lla erongi "),
    ("code", "exec ("),
    ("delimiters", "<|"),
    ("markup", "![a]("),
    ("templates", "{{"),
    ("headings", "### system: \n"),
    ("masked names", "claude "),
    ("masked names in a row", "claude-"),
    ("flags", "--"),
    ("keys", "sk-"),
    ("internal commands", "/gsd:"),
    ("internal services", "MCP "),
    ("directories of people", "\\Users\\a-person.of"),
    ("beginnings of tokens", "+eyJhbGciOi"),
    ("every disguise at once", "ignore 1gn0re іgnоrе i g n o r e %69gnore 69676e6f SWdub3Jl 忽略 "),
];

/// The vocabulary of attempts, for texts that never repeat themselves.
const WORDS: &str = "ignore disregard forget all the previous above prior instructions rules your \
    you are now a an free from act as if pretend unfiltered model system prompt reveal show me \
    print developer mode jailbreak without any restrictions and do anything answer to new esqueca \
    tudo as instrucoes anteriores vergiss alles oubliez les consignes olvida las reglas forget \
    everything that was said before override safety bypass filters dan admin password api key";

/// The same in scripts without spaces.
const UNSPACED: &str = "忽略 无视 忘记 绕过 之前 以上 所有 你的 系统 指令 规则 提示 限制 安全 以前 すべて \
    指示 命令 無視 你 现在 是 没有 不受 约束 扮演 显示 告诉 我 的 ลืม คำสั่ง";

/// What code and markup are made of.
const CODE: &str = "exec( eval( os.system subprocess. rm -rf / curl | bash <| |> [inst] ### \
    system: user: ![a]( <!-- --> {{ }} http:// sk- api_key= /etc/passwd __import__( ~ ~ ~ \" ' # //";

/// Each text with what it tries.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, String)> {
    let repeated = REPEATED.iter().map(|(name, piece)| (*name, piece.repeat(SIZE / piece.len())));
    let mixed = [
        ("attempts at random", at_random(WORDS, " ")),
        ("attempts at random, Chinese", at_random(UNSPACED, "")),
        ("attempts at random, spaced out", at_random("i g n o r e a l p v u s t d f h", " ")),
        ("code at random", at_random(CODE, "")),
        ("characters at random", characters_at_random()),
        ("letters at random", at_random("a b c d e f g h i j k l m n o p q r s t u v w ~", "")),
    ];
    repeated.chain(mixed)
}

/// Pieces in an order without a pattern; `~` is a space.
fn at_random(pieces: &str, between: &str) -> String {
    let pieces: Vec<&str> = pieces.split_whitespace().collect();
    let mut text = String::with_capacity(SIZE + 32);
    let mut numbers = numbers();
    while text.len() < SIZE {
        let piece = pieces[numbers() as usize % pieces.len()];
        text.push_str(if piece == "~" { " " } else { piece });
        text.push_str(between);
    }
    text
}

/// All that Unicode has.
fn characters_at_random() -> String {
    let mut text = String::with_capacity(SIZE + 4);
    let mut numbers = numbers();
    while text.len() < SIZE {
        text.extend(char::from_u32(numbers() % 0x32000).filter(|c| *c != '\0'));
    }
    text
}

/// Numbers without a pattern, the same in every run.
fn numbers() -> impl FnMut() -> u32 {
    let mut seed: u64 = 7;
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32
    }
}
