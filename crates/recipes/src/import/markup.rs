//! Pages and the markup in them: where structured data stands, and text without tags.

/// Whether a text is a page, and not words.
pub(super) fn is_page(text: &str) -> bool {
    const BEGINNING: usize = 2_000;
    let head: String = text.chars().take(BEGINNING).collect::<String>().to_ascii_lowercase();
    head.starts_with("<!doctype")
        || ["<html", "<head", "<body", "<script", "<div"].iter().any(|tag| head.contains(tag))
}

/// The contents of the scripts that hold JSON-LD, in their order.
pub(super) fn linked_data(page: &str) -> Vec<&str> {
    // Letters of ASCII alone change, so places are the same in both.
    let lower = page.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = lower[at..].find("<script").map(|place| at + place) {
        let Some(open) = lower[begin..].find('>').map(|place| begin + place + 1) else { break };
        let end = lower[open..].find("</script").map_or(lower.len(), |place| open + place);
        if lower[begin..open].contains("application/ld+json") {
            found.push(without_wrapping(&page[open..end]));
        }
        at = end;
    }
    found
}

/// JSON without the comment or the section that some pages put around it.
fn without_wrapping(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_prefix("<!--").unwrap_or(text).trim_start();
    let text =
        text.strip_prefix("//<![CDATA[").or_else(|| text.strip_prefix("<![CDATA[")).unwrap_or(text);
    let text = text.trim_end().strip_suffix("-->").unwrap_or(text).trim_end();
    let text = text.strip_suffix("//]]>").or_else(|| text.strip_suffix("]]>")).unwrap_or(text);
    text.trim()
}

/// Text without tags and with its entities resolved. The end of a block is a line break.
pub(super) fn plain_text(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        let tail = &rest[at..];
        rest = if tail.starts_with('<') {
            after_tag(tail, &mut text)
        } else {
            after_entity(tail, &mut text)
        };
    }
    text.push_str(rest);
    text
}

/// The longest tag that is taken out; a bare "<" is a sign.
const LONGEST_TAG: usize = 1_000;

fn after_tag<'t>(tail: &'t str, text: &mut String) -> &'t str {
    let begins = tail[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    // The next "<" ends the search, so that all of them together read the text once.
    let end = tail.bytes().skip(1).take(LONGEST_TAG).position(|byte| matches!(byte, b'<' | b'>'));
    let end = end.map(|end| end + 1).filter(|end| tail.as_bytes()[*end] == b'>');
    let (true, Some(end)) = (begins, end) else {
        text.push('<');
        return &tail[1..];
    };
    let name: String = tail[1..end]
        .trim_start_matches('/')
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    if ["br", "p", "li", "div", "ol", "ul", "h1", "h2", "h3", "h4"]
        .contains(&name.to_ascii_lowercase().as_str())
    {
        text.push('\n');
    }
    &tail[end + 1..]
}

/// Longer names of entities are not needed here.
const LONGEST_ENTITY: usize = 12;

fn after_entity<'t>(tail: &'t str, text: &mut String) -> &'t str {
    let end = tail.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';');
    let sign = end.and_then(|end| entity(&tail[1..end]).map(|sign| (sign, end)));
    let Some((sign, end)) = sign else {
        text.push('&');
        return &tail[1..];
    };
    text.push(sign);
    &tail[end + 1..]
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|sign| !sign.is_control());
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" | "rsquo" | "lsquo" => '\'',
        "nbsp" => ' ',
        "deg" => '°',
        "frac12" => '½',
        "frac14" => '¼',
        "frac34" => '¾',
        "frasl" => '/',
        "ndash" => '–',
        "mdash" => '—',
        "aacute" => 'á',
        "acirc" => 'â',
        "agrave" => 'à',
        "atilde" => 'ã',
        "ccedil" => 'ç',
        "eacute" => 'é',
        "ecirc" => 'ê',
        "iacute" => 'í',
        "oacute" => 'ó',
        "ocirc" => 'ô',
        "otilde" => 'õ',
        "uacute" => 'ú',
        _ => return None,
    })
}
