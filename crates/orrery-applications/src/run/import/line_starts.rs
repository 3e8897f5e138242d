/// The offsets of the lines of a text, for line numbers of many bytes.
pub(super) struct LineStarts {
    starts: Vec<usize>,
}

impl LineStarts {
    /// The offsets of the lines of a text.
    pub(super) fn new(text: &str) -> Self {
        Self {
            starts: std::iter::once(0)
                .chain(text.match_indices('\n').map(|(byte, _)| byte + 1))
                .collect(),
        }
    }

    /// The number of the line with a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_lines() {
        let text = "a\nµb\r\n\nc";
        let starts = LineStarts::new(text);
        assert_eq!([0, 2, 4, 7, text.len()].map(|byte| starts.line(byte)), [1, 2, 2, 3, 4]);
    }
}
