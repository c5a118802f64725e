//! A spec as text (feature `serde`): `"laplace(scale=5/2)"`. So every mechanism of the catalogue has
//! parameters that can be stored and sent.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::Spec;

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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
    use alloc::string::ToString;

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
    }
}
