//! A spec as text (feature `serde`): `"laplace(scale=5/2)"`. So every mechanism of the catalogue has parameters that can be stored and sent.

use alloc::string::{String, ToString};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::Spec;

impl Serialize for Spec {
    /// The canonical text, if it is one that is read: a spec's numbers may be longer there than they were written.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.to_string();
        text.parse::<Self>().map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn text_both_ways() {
        let spec: Spec = "laplace(scale=2.5, sensitivity=3)*4".parse().unwrap();
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(text, "\"laplace(scale=5/2, sensitivity=3)*4\"");
        assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
        // Refused as the parser refuses it, in one line.
        let refused = serde_json::from_str::<Spec>("\"laplace(scale=)\"").unwrap_err().to_string();
        assert!(refused.starts_with("laplace: scale:"), "{refused}");
        assert!(serde_json::from_str::<Spec>("3").is_err());
        // 48 kB that are read, and written as 7 MB would not be.
        let list = alloc::format!("[{}]", ["1e900"; 4_000].join(","));
        let long: Spec = alloc::format!("x(a={list}, b={list})").parse().unwrap();
        assert!(serde_json::to_string(&long).is_err());
    }
}
