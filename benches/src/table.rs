//! The rows, for people and for programs.

use std::io::{self, Write};

use crate::{
    group::Group,
    measure::{self, Times},
    peers::{BASELINE, Peer, Preparation, Sampler},
};

/// One sampler in one group.
pub struct Row {
    group: String,
    peer: &'static Peer,
    min: f64,
    median: f64,
    /// Against the baseline of the group: of the minima, and the median over the rounds.
    ratios: [f64; 2],
    /// OpenDP's minimum over this one, where OpenDP was measured.
    opendp: Option<f64>,
    /// What the sampler prepared, and how long that took.
    preparation: Option<(Preparation, Times)>,
}

impl Row {
    /// The rows of a group.
    pub fn of(group: &Group, peers: &[&'static Peer], times: &[Times], samplers: &[Box<dyn Sampler>]) -> Vec<Self> {
        let named = |wanted: fn(&str) -> bool| peers.iter().position(|peer| wanted(peer.name)).map(|at| &times[at]);
        let baseline = named(|name| name == BASELINE).expect("the baseline is in every selection");
        let opendp = named(|name| name.starts_with("opendp"));
        let row = |at: usize| Self {
            group: group.to_string(),
            peer: peers[at],
            min: times[at].min(),
            median: times[at].median(),
            ratios: [times[at].min() / baseline.min(), times[at].median_ratio(baseline)],
            opendp: opendp.map(|opendp| opendp.min() / times[at].min()),
            preparation: samplers[at].preparation().map(|held| (held, measure::building(peers[at], group))),
        };
        (0..peers.len()).map(row).collect()
    }

    /// The row as a JSON object. No string in it needs an escape.
    fn json(&self) -> String {
        let Self { group, peer, min, median, ratios: [ratio_min, ratio_median], .. } = self;
        let preparation = self.preparation.as_ref().map_or_else(String::new, |(preparation, building)| {
            format!(
                ",\"construction\":\"{}\",\"bytes\":{},\"build_ns_min\":{:.0},\"build_ns_median\":{:.0}",
                preparation.construction,
                preparation.bytes,
                building.min(),
                building.median()
            )
        });
        format!(
            "{{\"group\":\"{group}\",\"sampler\":\"{}\",\"ns_min\":{min:.3},\"ns_median\":{median:.3},\
             \"ratio_min\":{ratio_min:.4},\"ratio_median\":{ratio_median:.4}{preparation}}}",
            peer.name
        )
    }
}

/// The head of the table.
pub fn write_head(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "nanoseconds a sample; × is the ratio to {BASELINE} of the same group, opendp ÷ how many times faster than it\n"
    )?;
    writeln!(
        out,
        "{:<17} {:<17} {:>10} {:>10} {:>9} {:>9} {:>9}",
        "group", "sampler", "min", "median", "× min", "× median", "opendp ÷"
    )
}

/// The rows of a group, with a space before them.
pub fn write_rows(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    writeln!(out)?;
    for Row { group, peer, min, median, ratios: [ratio_min, ratio_median], opendp, .. } in rows {
        let opendp = opendp.map_or_else(|| "–".into(), |ratio| format!("{ratio:.1}"));
        let line = format!(
            "{group:<17} {:<17} {min:>10.1} {median:>10.1} {ratio_min:>9.2} {ratio_median:>9.2} {opendp:>9}  {}",
            peer.name, peer.note
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()
}

/// What the prepared samplers among the rows hold, and how long that took. Nothing if there are none.
pub fn write_preparations(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    if rows.iter().all(|row| row.preparation.is_none()) {
        return Ok(());
    }
    writeln!(out, "\nbuilding a prepared sampler: microseconds, and the memory of its tables\n")?;
    writeln!(
        out,
        "{:<17} {:<17} {:<12} {:>10} {:>10} {:>9}",
        "group", "sampler", "construction", "min", "median", "bytes"
    )?;
    for row in rows {
        if let Some((Preparation { construction, bytes }, building)) = &row.preparation {
            let [min, median] = [building.min(), building.median()].map(|nanoseconds| nanoseconds / 1e3);
            writeln!(
                out,
                "{:<17} {:<17} {construction:<12} {min:>10.1} {median:>10.1} {bytes:>9}",
                row.group, row.peer.name
            )?;
        }
    }
    Ok(())
}

/// All rows as one JSON array.
pub fn write_json(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let rows: Vec<String> = rows.iter().map(Row::json).collect();
    writeln!(out, "[\n{}\n]", rows.join(",\n"))
}
