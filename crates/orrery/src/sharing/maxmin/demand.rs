/// What a flow asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// The links that it uses, each once, with the weight w > 0 of its rate on that link.
    pub links: Vec<(usize, f64)>,
    /// φ > 0: on a contested link rates are as 1/φ.
    pub inverse_weight: f64,
    /// Its highest rate; may be infinite when it uses a link.
    pub bound: f64,
}
