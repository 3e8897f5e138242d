//! A tree of groups of hosts: a box for each group, joined to the box above by a line as thick as
//! its link is fast.

use std::fmt::Write as _;

use super::chart::escape;

/// A group of a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeGroup {
    /// The number of groups around it; each group follows the one around it, 0 for the root only.
    pub(crate) depth: usize,
    /// The first line of its box, in bold.
    pub(crate) heading: String,
    /// What follows on the first line.
    pub(crate) detail: String,
    /// The second line.
    pub(crate) content: String,
    /// The text that appears when the pointer is over the box.
    pub(crate) tooltip: String,
    /// The rate of its link relative to the fastest one, above 0; `None` for the root and for links
    /// of unknown rate.
    pub(crate) relative_rate: Option<f64>,
}

/// The largest number of groups that are drawn.
pub(crate) const MAX_GROUPS: usize = 80;

/// The largest number of letters of a line in a box.
pub(crate) const MAX_LETTERS: usize = 31;

/// The width of a box.
const BOX_WIDTH: f64 = 232.0;
/// The height of a box.
const BOX_HEIGHT: f64 = 44.0;
/// The distance from the top of a box to that of the next.
const ROW: f64 = 54.0;
/// The distance from the left side of a box to those below it.
const INDENT: f64 = 32.0;
/// The distance from the left side of a box to the line that joins those below it.
const TRUNK: f64 = 12.0;
/// The free space around the drawing.
const MARGIN: f64 = 2.0;
/// The distance from the left side of a box to its text.
const PADDING: f64 = 10.0;
/// The width of the line of the slowest link.
const THIN: f64 = 1.5;
/// The width of the line of the fastest link.
const THICK: f64 = 9.0;

/// The tree as an SVG element with a title and a description; at most [`MAX_GROUPS`] groups are
/// drawn.
pub(crate) fn svg(id: &str, title: &str, description: &str, groups: &[TreeGroup]) -> String {
    let groups = &groups[..groups.len().min(MAX_GROUPS)];
    let (mut lines, mut boxes) = (String::new(), String::new());
    let top = |row: usize| MARGIN + row as f64 * ROW;
    let left = |depth: usize| MARGIN + depth as f64 * INDENT;
    for (row, group) in groups.iter().enumerate() {
        let (x, y) = (left(group.depth), top(row));
        let middle = y + BOX_HEIGHT / 2.0;
        if group.depth > 0 {
            let trunk = left(group.depth - 1) + TRUNK;
            let width = THIN + (THICK - THIN) * group.relative_rate.unwrap_or(0.0).clamp(0.0, 1.0);
            let _ = writeln!(
                lines,
                "<path class=\"link\" d=\"M{trunk:.1} {middle:.1}H{x:.1}\" \
                    stroke-width=\"{width:.1}\"/>"
            );
        }
        let below =
            groups[row + 1..].iter().take_while(|other| other.depth > group.depth).enumerate();
        if let Some((last, _)) = below.filter(|(_, other)| other.depth == group.depth + 1).last() {
            let (trunk, end) = (x + TRUNK, top(row + 1 + last) + BOX_HEIGHT / 2.0);
            let _ = writeln!(
                lines,
                "<path class=\"trunk\" d=\"M{trunk:.1} {:.1}V{end:.1}\"/>",
                y + BOX_HEIGHT
            );
        }
        let _ = writeln!(
            boxes,
            "<g><title>{}</title><rect class=\"group\" x=\"{x:.1}\" y=\"{y:.1}\" \
                width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"6\"/>\
             <text x=\"{text:.1}\" y=\"{:.1}\"><tspan class=\"heading\">{}</tspan> <tspan \
             class=\"label\">{}</tspan></text>\
             <text x=\"{text:.1}\" y=\"{:.1}\">{}</text></g>",
            escape(&group.tooltip),
            y + 17.5,
            escape(&group.heading),
            escape(&group.detail),
            y + 35.5,
            escape(&group.content),
            text = x + PADDING,
        );
    }
    let depth = groups.iter().map(|group| group.depth).max().unwrap_or(0);
    let (width, height) =
        (left(depth) + BOX_WIDTH + MARGIN, top(groups.len()) - ROW + BOX_HEIGHT + MARGIN);
    format!(
        "<svg class=\"map tree\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" \
            width=\"{width}\" height=\"{height}\" viewBox=\"0 0 \
         {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n<title \
         id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n\
         {lines}{boxes}</svg>\n",
        escape(title),
        escape(description)
    )
}

/// `before` with the first of these names and the last one, as many as fit into a number of
/// letters; with the first one alone if no two fit.
pub(crate) fn first_names(before: &str, names: &[String], letters: usize) -> String {
    let text = |shown: usize| match names.last() {
        Some(last) if shown < names.len() => {
            format!("{before}{} … {last}", names[..shown].join(", "))
        }
        _ => format!("{before}{}", names.join(", ")),
    };
    let fits = |shown: &usize| text(*shown).chars().count() <= letters;
    let most = names.len().min(letters);
    (1..=most)
        .rev()
        .find(fits)
        .map_or_else(|| format!("{before}{} …", names.first().map_or("", String::as_str)), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(depth: usize, heading: &str) -> TreeGroup {
        let text = || heading.to_owned();
        let relative_rate = (depth > 0).then_some(0.5);
        TreeGroup {
            depth,
            heading: text(),
            detail: text(),
            content: text(),
            tooltip: text(),
            relative_rate,
        }
    }

    #[test]
    fn each_group_has_a_box_and_a_line_to_the_one_around_it() {
        let svg =
            svg("t", "a < b", "", &[group(0, "a"), group(1, "b"), group(2, "c"), group(1, "d")]);
        assert_eq!((svg.matches("<rect").count(), svg.matches("class=\"link\"").count()), (4, 3));
        // The line below the first box ends at the last box of the next depth.
        assert!(
            svg.contains("a &lt; b") && svg.contains("class=\"trunk\" d=\"M14.0 46.0V186.0\""),
            "{svg}"
        );
        assert!(svg.contains("width=\"300\" height=\"210\""), "{svg}");
    }

    #[test]
    fn large_trees_are_cut_off() {
        let groups = vec![group(0, "a"); 3 * MAX_GROUPS];
        assert_eq!(svg("t", "", "", &groups).matches("<rect").count(), MAX_GROUPS);
        assert!(svg("t", "", "", &[]).starts_with("<svg"));
    }

    #[test]
    fn names_that_do_not_fit_are_left_out() {
        let names: Vec<String> = (0..12).map(|number| format!("n{number}")).collect();
        assert_eq!(first_names("3 hosts: ", &names[..3], 31), "3 hosts: n0, n1, n2");
        assert_eq!(first_names("12 hosts: ", &names, 31), "12 hosts: n0, n1, n2, n3 … n11");
        assert_eq!(first_names("12 hosts: ", &names, 12), "12 hosts: n0 …");
    }
}
