//! What a case gives.

use std::collections::BTreeMap;

use crate::Plot;

/// What a case gives: blocks in reading order, what it found, and its numbers by name.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// Text, tables and pictures in reading order. The first text says what the attacker sees, what he gets, and what noise changes.
    pub blocks: Vec<Block>,
    /// Every number and claim of the documents that the case meets.
    pub findings: Vec<Finding>,
    /// Named numbers: what tests assert on, and the page's data.
    pub figures: BTreeMap<String, f64>,
}

/// A piece of a study.
#[derive(Clone, Debug)]
pub enum Block {
    /// Paragraphs, an empty line between them; `code` in backticks.
    Text(String),
    /// A table.
    Table(Table),
    /// A picture.
    Plot(Plot),
}

/// A table of texts.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The heads of its columns.
    pub header: Vec<String>,
    /// Its rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(caption: &str, header: &[&str]) -> Self {
        Self { caption: caption.into(), header: header.iter().map(|&head| head.into()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[&str]) {
        self.rows.push(cells.iter().map(|&cell| cell.into()).collect());
    }
}

/// A statement of the documents against what was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What the document says, and where.
    pub stated: String,
    /// What was found.
    pub found: String,
    /// Whether the document is right.
    pub agrees: bool,
}

impl Study {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds paragraphs.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds a picture.
    pub fn plot(&mut self, plot: Plot) {
        self.blocks.push(Block::Plot(plot));
    }

    /// A statement that holds.
    pub fn agrees(&mut self, stated: impl Into<String>, found: impl Into<String>) {
        self.finding(stated, found, true);
    }

    /// A statement that does not.
    pub fn differs(&mut self, stated: impl Into<String>, found: impl Into<String>) {
        self.finding(stated, found, false);
    }

    /// A statement that holds or not, as it was found out.
    pub fn finding(&mut self, stated: impl Into<String>, found: impl Into<String>, agrees: bool) {
        self.findings.push(Finding { stated: stated.into(), found: found.into(), agrees });
    }

    /// Names a number.
    pub fn figure(&mut self, name: &str, value: f64) {
        self.figures.insert(name.into(), value);
    }

    /// A named number; NaN, which equals nothing, if there is none of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> f64 {
        self.figures.get(name).copied().unwrap_or(f64::NAN)
    }

    /// Its pictures.
    pub fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.blocks.iter().filter_map(|block| if let Block::Plot(plot) = block { Some(plot) } else { None })
    }

    /// Its tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks.iter().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
    }
}
