//! Reads two columns of a CSV text as points.

use super::file::table::{Field, split};
use orrery_base::file::{Fault, Result, lines};
use orrery_base::names::advice;

/// Points (x, y), sorted by x.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    /// The x of each point.
    pub x: Vec<f64>,
    /// The y of each point.
    pub y: Vec<f64>,
    /// True if the text has them in another order.
    pub were_reordered: bool,
}

/// Reads the columns `x` and `y` of a CSV text whose first line names the columns; without `x`,
/// points are numbered from 1.
///
/// Empty lines and lines that begin with `#` are ignored. Points are sorted by x; points with equal
/// x keep their order.
///
/// # Errors
///
/// Returns an error if a column is missing, a line has another number of fields, or a value is not
/// a finite number.
///
/// ```
/// use orrery_measure::sample::points;
/// let points = points::parse("size,seconds\n2048,0.002\n1024,0.001\n", Some("size"), "seconds")?;
/// assert_eq!((points.x, points.y, points.were_reordered), (vec![1024.0, 2048.0], vec![0.001, 0.002], true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(text: &str, x: Option<&str>, y: &str) -> Result<Points> {
    let mut lines = lines(text)
        .map(|(start, line, _)| match line.strip_prefix('\u{feff}') {
            Some(rest) if start == 0 => (start + line.len() - rest.len(), rest),
            _ => (start, line),
        })
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let Some((first, names)) = lines.next() else {
        let message = "there is no line of column names; begin with one such as size,seconds";
        return Err(Fault::new(message).at(0));
    };
    let names = fields(first, names)?;
    let place = |name: &str| {
        names.iter().position(|field| field.text == name).ok_or_else(|| {
            let advice = advice(name, "the columns", names.iter().map(|field| &*field.text));
            Fault::new(format!("there is no column {name:?}; {advice}")).at(first)
        })
    };
    let (x, y) = (x.map(place).transpose()?, place(y)?);
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (start, content) in lines {
        let fields = fields(start, content)?;
        if fields.len() != names.len() {
            let (found, expected) = (fields.len(), names.len());
            let message = format!(
                "the line has {found} fields, but there are {expected} columns; correct or remove it"
            );
            return Err(Fault::new(message).at(start));
        }
        let number = |place: usize| {
            let Field { text, start: within } = &fields[place];
            text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
                let message = format!(
                    "{text:?} is not a finite number; remove the line, or name another column"
                );
                Fault::new(message).at(start + within)
            })
        };
        let x = x.map(number).transpose()?.unwrap_or(pairs.len() as f64 + 1.0);
        pairs.push((x, number(y)?));
    }
    let were_reordered = !pairs.is_sorted_by(|a, b| a.0 <= b.0);
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (x, y) = pairs.into_iter().unzip();
    Ok(Points { x, y, were_reordered })
}

/// Splits the line that begins at a byte of the text into fields.
fn fields(start: usize, content: &str) -> Result<Vec<Field<'_>>> {
    split(content).map_err(|(byte, fault)| fault.at(start + byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::file::Position;

    #[test]
    fn faults_have_their_positions() {
        let fault = |text: &str| {
            let fault = parse(text, Some("x"), "y").unwrap_err();
            format!("{}: {fault}", Position::of(text, fault.byte().unwrap()))
        };
        assert_eq!(
            fault("# nothing\n"),
            "1:1: there is no line of column names; begin with one such as size,seconds"
        );
        assert_eq!(fault("a,y\n1,2\n"), "1:1: there is no column \"x\"; the columns are a, y");
        assert_eq!(
            fault("x,y\n1,2\n3\n"),
            "3:1: the line has 1 fields, but there are 2 columns; correct or remove it"
        );
        let number = "is not a finite number; remove the line, or name another column";
        assert_eq!(fault("x,y\n\n1,NaN\n"), format!("3:3: \"NaN\" {number}"));
        assert_eq!(fault("x,y\n 1, é\n"), format!("2:5: \"é\" {number}"));
        assert!(fault("x,y\n\"1,2\n").starts_with("2:1: "));
    }

    #[test]
    fn points_are_numbered_without_x() {
        let points = parse("\u{feff}y,z\n5,a\n7,\"b,c\"\n", None, "y").unwrap();
        assert_eq!(
            (points.x, points.y, points.were_reordered),
            (vec![1.0, 2.0], vec![5.0, 7.0], false)
        );
    }
}
