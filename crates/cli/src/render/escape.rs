//! Texts from outside, made harmless: a name or an event may hold anything, `<script>` too.

/// The longest text from outside that a page shows, in characters.
const LONGEST: usize = 600;

/// Whether XML 1.0 has the character (§2.2 of it): no control characters but tab, line feed and carriage
/// return, no U+FFFE, no U+FFFF. The C1 controls and the marks that turn the direction of writing, which
/// would let a name pose as another, are left out too.
fn is_plain(character: char) -> bool {
    !(matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}'))
}

/// As text or as the value of a quoted attribute, in HTML and in XML. What neither can hold is left out.
pub(super) fn markup(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars().filter(|character| is_plain(*character)) {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            character => safe.push(character),
        }
    }
    safe
}

/// As the value of a quoted attribute of XML, where a plain line break would be read as a space.
pub(super) fn attribute(text: &str) -> String {
    markup(text).replace('\t', "&#9;").replace('\n', "&#10;").replace('\r', "&#13;")
}

/// As [`markup`], cut where it is long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            format!("{}… <small>(cut; in full in the JSON)</small>", markup(text.get(..end).unwrap_or_default()))
        }
        None => markup(text),
    }
}

/// A path as a URI reference (RFC 3986): what is not unreserved is written as its bytes. A backslash
/// separates folders where this runs on Windows.
pub(super) fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// A name as [`markup`], with places where it may be broken: after what parts its words.
pub(super) fn breakable(name: &str) -> String {
    name.split_inclusive(['_', '(', ',', '=', '.', '/', '-']).map(markup).collect::<Vec<_>>().join("<wbr>")
}
