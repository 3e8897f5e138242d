use crate::refused::cases;

const FEW: &str = "size,seconds\n1,1\n2,2\n3,3\n4,4\n";

/// A line of so many points.
fn line(points: u32) -> String {
    (1..=points).fold("size,seconds\n".to_owned(), |text, k| {
        text + &format!("{k},{}\n", f64::from(k * k % 7))
    })
}

cases! {
    absent: {} "breakpoints nowhere --y y" => FAILED "nowhere: cannot read the series"
        "check its name";
    binary: {"s": [0xff, 0xfe, 0x00]} "breakpoints s --y y" => FAILED "s: cannot read the series";
    empty: {"s": ""} "breakpoints s --y y" => FAILED "s:1:1: there is no line of column names";
    no_column: {"s": FEW} "breakpoints s --x size --y time" => FAILED "s:1:1: " "\"time\""
        "size, seconds";
    no_y: {"s": FEW} "breakpoints s --x size" => USAGE "--y";
    words: {"s": "size,seconds\n1,1\n2,much\n"} "breakpoints s --x size --y seconds"
        => FAILED "s:3:3: " "\"much\"";
    short_line: {"s": "size,seconds\n1,1\n2\n"} "breakpoints s --x size --y seconds"
        => FAILED "s:3:1: " "1 fields";
    too_few: {"s": FEW} "breakpoints s --x size --y seconds"
        => FAILED "s: two segments of at least 3 points do not fit into 4";
    constant_x: {"s": "size,seconds\n5,1\n5,2\n5,3\n5,4\n5,5\n5,6\n"}
        "breakpoints s --x size --y seconds" => FAILED "s: x is 5 at every point"
        "constant segments";
    segments_of_two: {"s": line(20)} "breakpoints s --x size --y seconds --min-segment 2"
        => FAILED "the least number of points of a segment is 2; give 3 or more, ";
    many_breaks: {"s": line(20)} "breakpoints s --x size --y seconds --min-segment 5 --breaks 4"
        => FAILED "the number of breaks is 4, but 20 points allow at most 3";
    strange_part: {"s": line(20)} "breakpoints s --y seconds --min-segment 0.7" => USAGE "0.7"
        "up to 0.5";
    strange_segments: {"s": line(20)} "breakpoints s --y seconds --segments cubic"
        => USAGE "linear, constant";
    strange_level: {"s": line(20)} "breakpoints s --y seconds --level 2" => USAGE "--level";
    not_a_number: {"s": "size,seconds\n1,NaN\n"} "breakpoints s --x size --y seconds"
        => FAILED "s:2:3: " "NaN";
}
