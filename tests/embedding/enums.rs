//! Which public enums may grow.

/// Enums that may be matched in full: two sides, two orientations, three verdicts, what the audit's search is made of,
/// and what certificates and devices read of the samplers.
const CLOSED: &[&str] = &[
    "Verdict",
    "Side",
    "Shape",
    "Reading",
    "Orientation",
    "Goal",
    "Within",
    "Family",
    "Part",
    "Claimant",
    "Place",
    "Construction",
    "Decay",
    "View",
    "Kernel",
    "PilotError",
];

/// Every public enum is `#[non_exhaustive]`, or listed here as closed.
#[test]
fn an_enum_that_will_grow_says_so() {
    let mut open = Vec::new();
    for (file, text) in crate::sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(name) = line.strip_prefix("pub enum ") else { continue };
            let name = name.split([' ', '<']).next().unwrap();
            let attributes = lines[..at]
                .iter()
                .rev()
                .take_while(|line| line.starts_with("#[") || line.starts_with("    ") || line.starts_with(")]"));
            if !attributes.into_iter().any(|line| line.contains("non_exhaustive")) && !CLOSED.contains(&name) {
                open.push(format!("{file}: {name}"));
            }
        }
    }
    assert!(open.is_empty(), "neither non_exhaustive nor closed: {open:?}");
}
