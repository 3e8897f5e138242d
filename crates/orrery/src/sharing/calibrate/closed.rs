use crate::numeric::median;
use crate::sharing::{GigabitEthernet, Infiniband, ParameterError};

/// The closed formulas: what is to be measured of simple schemes, all as slowdowns T / T_ref.
///
/// ```
/// use orrery::sharing::calibrate::Calibration;
/// let gige = Calibration::gige(&[(2, 1.5), (3, 2.25)], 0.095 / 0.0477, 0.103 / 0.0475)?;
/// let [beta, gamma_out, gamma_in] = gige.parameters();
/// assert_eq!(beta, 0.75);
/// assert!((gamma_out - 0.115).abs() < 0.001 && (gamma_in - 0.036).abs() < 0.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calibration;

impl Calibration {
    /// Gigabit Ethernet, of `sends` = (k, slowdown of k transfers from one node), and of the slowdowns of a and f in the
    /// scheme a: 0→1, b: 0→2, c: 0→3, d: 4→2, e: 4→3, f: 5→3.
    ///
    /// β = median of slowdown / k, γ_o = 1 − T_a / (3β·T_ref), γ_i = 1 − T_f / (3β·T_ref). Source: as [`GigabitEthernet`].
    ///
    /// # Errors
    ///
    /// When the measurements give parameters without sense.
    pub fn gige(sends: &[(u32, f64)], slowdown_a: f64, slowdown_f: f64) -> Result<GigabitEthernet, ParameterError> {
        let parts: Vec<f64> = sends.iter().map(|&(k, slowdown)| slowdown / f64::from(k)).collect();
        let beta = if parts.is_empty() { f64::NAN } else { median(&parts) };
        let gamma = |slowdown: f64| 1.0 - slowdown / (3.0 * beta);
        GigabitEthernet::new(beta, gamma(slowdown_a), gamma(slowdown_f))
    }

    /// InfiniBand, of the slowdowns of two transfers from one node, of two to one node, and of `crowded` = (k, slowdown of
    /// a transfer that is one of k from its node, while three or more come to its destination).
    ///
    /// β_s = slowdown / 2, β_e = slowdown / 2, γ = slowdown / (k·β_s). Source: as [`Infiniband`]; there γ is divided by
    /// 3·β_e, which does not give back the γ of the model.
    ///
    /// # Errors
    ///
    /// When the measurements give parameters without sense.
    pub fn infiniband(two_sends: f64, two_receptions: f64, crowded: (u32, f64)) -> Result<Infiniband, ParameterError> {
        let (beta_out, beta_in) = (two_sends / 2.0, two_receptions / 2.0);
        Infiniband::new(beta_out, beta_in, crowded.1 / (f64::from(crowded.0) * beta_out))
    }
}
