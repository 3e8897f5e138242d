/// Defines an enum whose values have names: the list of all values, and the name of each, which
/// [`Display`](std::fmt::Display) writes. With a description of the set, its values are parsed from
/// their names.
///
/// ```
/// orrery_base::named_enum! {
///     /// A colour.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Colour: "colour" {
///         /// Red.
///         Red => "red",
///         /// Blue, whose number is 7.
///         Blue = 7 => "blue",
///     }
/// }
/// assert_eq!((Colour::ALL[1].to_string(), "red".parse()), ("blue".to_owned(), Ok(Colour::Red)));
/// let error = "green".parse::<Colour>().unwrap_err().to_string();
/// assert_eq!(error, "unknown colour \"green\"; known are red, blue");
/// ```
///
/// With a description of each value it is [`Described`](crate::units::Described), and JSON has its
/// names.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $set:literal {
            $($(#[$of_variant:meta])* $variant:ident => $text:literal: $about:literal),+ $(,)?
        }
    ) => {
        $crate::named_enum! {
            $(#[$meta])*
            pub enum $name: $set { $($(#[$of_variant])* $variant => $text),+ }
        }

        $crate::serde_as_text!($name);

        impl $crate::units::Described for $name {
            const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
                &[$(($text, $about)),+];
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $set:literal { $($variants:tt)+ }
    ) => {
        $crate::named_enum! {
            $(#[$meta])*
            pub enum $name { $($variants)+ }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::units::UnknownName;

            fn from_str(text: &str) -> Result<Self, $crate::units::UnknownName> {
                $crate::units::UnknownName::find($set, text, &Self::ALL, |one| one.name())
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident $(= $number:literal)? => $text:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$of_variant])* $variant $(= $number)?),+
        }

        impl $name {
            /// All values.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
