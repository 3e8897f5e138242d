//! Tables of cases as texts.

/// The rows of a table, whose cells are divided by ` => `. An indented line continues the one
/// before, and `\n` in a cell is a line break.
pub fn rows<const CELLS: usize>(table: &str) -> Vec<[String; CELLS]> {
    let lines = table.trim_matches('\n').replace("\n    ", " ");
    let cells = |line: &str| {
        let cells: Vec<_> = line.split(" => ").map(|cell| cell.replace("\\n", "\n")).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("not {CELLS} cells: {cells:?}"))
    };
    lines.lines().map(cells).collect()
}

/// Checks that each change of a valid text has its error. Cells are the replaced text, its
/// replacement and the beginning of the error.
#[allow(dead_code, reason = "some tests have further cells")]
pub fn assert_errors(valid: &str, table: &str, error: impl Fn(&str) -> String) {
    for [from, to, message] in rows(table) {
        assert!(valid.contains(&from), "{from}");
        let error = error(&valid.replacen(&from, &to, 1));
        assert!(error.starts_with(&message), "{error}\nfor {message}");
    }
}
