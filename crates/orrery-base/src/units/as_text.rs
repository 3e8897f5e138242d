/// Writes values of types as their text in JSON and in other formats, and reads them from it.
///
/// ```
/// orrery_base::named_enum! {
///     /// A colour.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Colour: "colour" { Red => "red", Blue => "blue" }
/// }
/// orrery_base::serde_as_text!(Colour);
/// assert_eq!(serde_json::to_string(&Colour::Blue)?, "\"blue\"");
/// assert!(serde_json::from_str::<Colour>("\"green\"").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! serde_as_text {
    ($($type:ty),+) => {
        $(impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text: String = $crate::serde::Deserialize::deserialize(from)?;
                text.parse().map_err($crate::serde::de::Error::custom)
            }
        })+
    };
}
