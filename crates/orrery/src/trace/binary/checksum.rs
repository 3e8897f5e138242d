/// The checksum of bytes: CRC-32 as in ISO 3309, reflected, with the polynomial 0xEDB88320.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum: u32, &byte| (sum >> 8) ^ TABLE[((sum ^ u32::from(byte)) & 0xFF) as usize])
}

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::checksum;

    /// The check value of CRC-32 in the catalogue of parametrised CRC algorithms (reveng).
    #[test]
    fn the_check_value_is_met() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }
}
