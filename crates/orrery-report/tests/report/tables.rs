use std::fs;
use std::path::Path;

use orrery::model::{
    Alarm, FailedPart, Model, ModelKind, Prediction, Query, Uncertainty, Validation,
};
use orrery::platform::Processor;
use orrery::run::Metric;
use orrery::units::{Bytes, Seconds};
use orrery_report::tables::{
    advised_runs, choices, critical_path, decisions, fit_diagnostics, forecasts, optimality_proofs,
    parameters, predictions, ranking, validation,
};
use orrery_report::{Cell, Column, Table, json_document};

use crate::cluster::{KINDS, measured, model};

/// Compares with a file of `tests/golden`; with ORRERY_BLESS=1 it writes the file instead.
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("ORRERY_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; ORRERY_BLESS=1 accepts it");
}

fn in_three_formats(name: &str, table: &Table) {
    golden(&format!("{name}.txt"), &table.terminal(120));
    golden(&format!("{name}-60.txt"), &table.terminal(60));
    golden(&format!("{name}.csv"), &table.csv());
    golden(&format!("{name}.json"), &table.json());
}

fn message(to: u32, size: u64, interval: bool, extrapolated: bool) -> Prediction {
    let query =
        Query::PointToPoint { from: Processor(0), to: Processor(to), size: Bytes::new(size) };
    let measured = (Bytes::new(1024), Bytes::new(65536));
    let alarm = Alarm::Size { sizes: (Bytes::new(size), Bytes::new(size)), measured };
    let alarms = extrapolated.then_some(alarm).into_iter().collect();
    let interval = interval.then(|| (Seconds::new(1.25e-4), Seconds::new(1.75e-4)));
    Prediction {
        query,
        model: ModelKind::Lmo,
        seconds: Seconds::new(1.5e-4),
        interval,
        uncertainty: Uncertainty::default(),
        escalation: None,
        alarms,
    }
}

/// Two sizes of one operation, all models.
fn small_validation() -> Validation {
    let (_, mut validation) = measured(&model(3));
    validation.rows.retain(|row| {
        let size = row.experiment.size().get();
        row.experiment.name().starts_with("scatter/") && (size == 1024 || size == 1 << 20)
    });
    validation.summary = crate::cluster::summaries(&validation.rows);
    validation
}

/// Tables of many rows and columns.
fn large_tables() -> Vec<Table> {
    let (rows, summary) = validation(&measured(&model(4)).1);
    parameters(&model(20)).into_iter().chain([rows, summary]).collect()
}

#[test]
fn predictions_in_three_formats() {
    let (_, validation) = measured(&model(4));
    let collective = validation.rows[0].predicted.clone();
    let table =
        predictions(&[message(1, 1024, true, false), message(2, 1000, false, true), collective]);
    in_three_formats("predictions", &table);
}

#[test]
fn parameters_in_three_formats() {
    for table in parameters(&model(3)) {
        in_three_formats(&format!("parameters-{}", table.name), &table);
    }
}

#[test]
fn many_pairs_are_shown_as_quantiles() {
    let tables = parameters(&model(20));
    let pairs = tables.iter().find(|table| table.name == "pairs").unwrap();
    golden("parameters-many-pairs.txt", &pairs.terminal(100));
    assert_eq!(pairs.csv().lines().count(), 1 + 190);
    assert_eq!(pairs.json().lines().count(), 2 + 190);
}

#[test]
fn validation_in_three_formats() {
    let (rows, summary) = validation(&small_validation());
    in_three_formats("validation-rows", &rows);
    in_three_formats("validation-summary", &summary);
    let document = json_document([&rows, &summary]);
    let value: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!(value["rows"].as_array().map(Vec::len), Some(48));
    assert_eq!(value["summary"].as_array().map(Vec::len), Some(12));
}

#[test]
fn ranks_in_three_formats() {
    let validation = small_validation();
    in_three_formats("validation-ranking", &ranking(&validation));
    let one = ranking(&Validation::default());
    assert_eq!((one.rows().len(), one.name.as_str()), (0, "ranking"));
}

/// Errors of 0.1 and 0.2 in every experiment differ significantly; errors whose order alternates do
/// not.
#[test]
fn models_without_significant_difference_share_a_rank() {
    let mut validation = small_validation();
    for (place, row) in validation.rows.iter_mut().enumerate() {
        let even = (place / KINDS.len()).is_multiple_of(2);
        row.error = match row.predicted.model {
            ModelKind::Hockney => 0.4,
            ModelKind::HockneyMean => -0.4,
            ModelKind::Lom if even => 0.10,
            ModelKind::Lom => -0.21,
            _ if even => 0.20,
            _ => -0.10,
        };
    }
    let ranked = validation.ranking(|_| true);
    let ranks: Vec<_> = ranked.iter().map(|one| (one.model, one.rank)).collect();
    let [lmo, lom] = [ModelKind::Lmo, ModelKind::Lom];
    assert_eq!(ranks, [(lmo, 1), (lom, 1), (ModelKind::Hockney, 3), (ModelKind::HockneyMean, 3)]);
    assert!((ranked[2].max_error - 0.4).abs() < 1e-12);
    for row in validation.rows.iter_mut().filter(|row| row.predicted.model == lom) {
        row.error = row.error.abs() + 0.05 + row.error.abs() * 0.01;
    }
    for row in validation.rows.iter_mut().filter(|row| row.predicted.model == lmo) {
        row.error = 0.05;
    }
    let ranks: Vec<_> = validation.ranking(|_| true).iter().map(|one| one.rank).collect();
    assert_eq!(ranks, [1, 2, 3, 3]);
    let first = validation.rows[0].experiment;
    let of_one: Vec<_> =
        validation.ranking(|row| row.experiment == first).iter().map(|one| one.rank).collect();
    assert_eq!(of_one, [1; 4], "one experiment shows no significant difference");
}

/// At any width no word of a heading is broken.
#[test]
fn headings_break_at_spaces_only() {
    let measured = measured(&model(4)).1;
    let (rows, summary) = validation(&measured);
    for table in parameters(&model(20)).into_iter().chain([rows, summary, ranking(&measured)]) {
        for width in [20, 40, 60, 80] {
            let text = table.terminal(width);
            let grid: Vec<&str> = text.lines().collect();
            let rule = grid.iter().position(|line| line.starts_with('─')).unwrap();
            let heading: Vec<&str> =
                grid[..rule].iter().flat_map(|line| line.split_whitespace()).collect();
            let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let absent = flowing.split("Not shown at this width: ").nth(1).unwrap_or_default();
            let absent: Vec<&str> =
                absent.split('.').next().unwrap_or_default().split(", ").collect();
            for column in table
                .display_table()
                .columns()
                .iter()
                .filter(|column| !absent.contains(&column.title.as_str()))
            {
                for word in column.title.split(' ') {
                    assert!(heading.contains(&word), "{word} is not whole at {width}:\n{text}");
                }
            }
        }
    }
}

#[test]
fn keys_of_predictions_and_validations_are_stable() {
    let key = |table: &Table| {
        table.columns().iter().map(|column| column.key.clone()).collect::<Vec<_>>().join(" ")
    };
    let (rows, summary) = validation(&Validation::default());
    assert_eq!(
        key(&rows),
        "operation algorithm i j k root procs size reply count measured measured_low measured_high \
            model predicted low high from_readings from_model error alarms seen"
    );
    assert_eq!(
        key(&ranking(&Validation::default())),
        "rank model over experiments mean_error max_error seen"
    );
    assert_eq!(
        key(&summary),
        "model operation experiments mean_error median_error max_error inside seen"
    );
    let of_predictions = "operation algorithm model root procs size seconds low high from_readings \
        from_model extrapolated alarms";
    assert_eq!(key(&predictions(&[])), of_predictions);
}

#[test]
fn csv_numbers_are_read_back_exactly() {
    let tables = parameters(&model(5));
    assert!(!tables.is_empty());
    let mut numbers = 0;
    for table in tables {
        let text = table.csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), table.rows().len(), "{}", table.name);
        for (record, row) in records.iter().zip(table.rows()) {
            assert_eq!(record.len(), row.len(), "{}", table.name);
            for (field, cell) in record.iter().zip(row) {
                if let Cell::Number { value, .. } = cell {
                    assert_eq!(field.parse::<f64>().unwrap().to_bits(), value.to_bits());
                    numbers += 1;
                }
            }
        }
    }
    assert!(numbers > 50, "only {numbers} numbers compared");
}

#[test]
fn lists_are_arrays_in_json() {
    let columns = [Column::text("culprits"), Column::text("conflicts")];
    let mut table = Table::new("conflicts", "", columns);
    let culprit = |sender, lost, display: &str| Cell::Record {
        fields: vec![("sender", Cell::integer(sender)), ("lost", Cell::number(lost, "8.00 ms"))],
        display: display.to_owned(),
    };
    let culprits = vec![culprit(2, 0.008, "2→0 8.00 ms"), culprit(3, 0.003, "3→0 3.00 ms")];
    table.push([Cell::List(culprits), Cell::texts(["outgoing", "income"])]);
    table.push([Cell::List(Vec::new()), Cell::Null]);
    let rows: serde_json::Value = serde_json::from_str(&table.json()).unwrap();
    let first = serde_json::json!({
        "culprits": [{"sender": 2, "lost": 0.008}, {"sender": 3, "lost": 0.003}],
        "conflicts": ["outgoing", "income"],
    });
    assert_eq!(rows, serde_json::json!([first, {"culprits": [], "conflicts": null}]));
    let csv = "culprits,conflicts\nsender=2 lost=0.008; sender=3 lost=0.003,outgoing; income\n,\n";
    assert_eq!(table.csv(), csv);
    assert!(
        table.full_text().contains("2→0 8.00 ms; 3→0 3.00 ms  outgoing, income"),
        "{}",
        table.full_text()
    );
}

#[test]
fn full_text_has_all_columns() {
    for table in large_tables() {
        let text = table.full_text();
        let heading = text.lines().take_while(|line| !line.starts_with('─')).last().unwrap();
        for column in table.display_table().columns() {
            assert!(heading.contains(&column.title), "{} is not in {heading}", column.title);
        }
        assert!(!text.contains("Not shown"));
    }
}

/// A key is the title in snake case; a time in seconds has the key `seconds`.
#[test]
fn keys_are_titles_in_snake_case() {
    let (rows, summary) = validation(&measured(&model(4)).1);
    let scaling = [
        forecasts(&Metric::default(), &[]),
        advised_runs(&[]),
        decisions(&[]),
        choices(&[]),
        optimality_proofs(&[]),
    ];
    let tables = parameters(&model(4)).into_iter().chain([
        rows,
        summary,
        predictions(&[]),
        critical_path(&[]),
    ]);
    for table in tables.chain(scaling) {
        for column in table.columns() {
            let title = column.title.to_lowercase().replace([' ', '-'], "_");
            let key = if title == "time" { "seconds" } else { title.as_str() };
            assert_eq!(column.key, key, "in {}", table.name);
        }
    }
}

/// Columns become narrow on narrow terminals, but the rule below the headings stays on one line.
#[test]
fn tables_fit_the_terminal() {
    for table in large_tables() {
        for width in 0..140 {
            let text = table.terminal(width);
            let rules = text.lines().filter(|line| line.starts_with('─')).count();
            assert_eq!(rules, 1, "{width}:\n{text}");
            let is_wide = |line: &str| line.chars().count() > width.max(60);
            assert!(!text.lines().any(is_wide), "{width}:\n{text}");
        }
    }
}

#[test]
fn unusual_cells_are_written() {
    let mut table =
        Table::new("odd", "Odd", [Column::text("a"), Column::number("b"), Column::text("c")]);
    table.push([Cell::text("a \"quoted\", word"), Cell::number(f64::NAN, "NaN")]);
    table.push([Cell::text("x"), Cell::number(0.1, "0.1 s"), Cell::Flag(true), Cell::integer(9)]);
    assert_eq!(table.csv(), "a,b,c\n\"a \"\"quoted\"\", word\",,\nx,0.1,true\n");
    let rows = "{\"a\":\"a \\\"quoted\\\", word\",\"b\":null,\"c\":null},\n{\"a\":\"x\",\"b\":0.1,\"c\":true}";
    assert_eq!(table.json(), format!("[\n{rows}\n]\n"));
    assert_eq!(predictions(&[]).json(), "[]\n");
    assert_eq!(predictions(&[]).terminal(80), "(no rows)\n");
    assert!(parameters(&Model::default()).is_empty());
}

/// A column that is never dropped is drawn even if words must be broken.
#[test]
fn long_words_are_broken_inside_their_column() {
    let columns = [Column::text("file"), Column::number("size")];
    let mut table = Table::new("files", "", columns);
    table.push([Cell::text("a-very-long-name-without-any-space.json"), Cell::integer(12)]);
    let expected = "\
file                  size
────────────────────  ────
a-very-long-name-wit    12
hout-any-space.json
";
    assert_eq!(table.terminal(26), expected);
}

#[test]
fn a_part_of_a_fit_that_failed_is_a_finding() {
    let failed = FailedPart { part: "eager limit".into(), reason: "no such rank".into() };
    let [.., findings] = fit_diagnostics(&[], &[failed]);
    let row = ",failed,,,,eager limit: not estimated: no such rank\n";
    assert!(findings.csv().ends_with(row), "{}", findings.csv());
}

/// Names of files and hosts may contain line breaks and escape sequences of terminals.
#[test]
fn cells_are_one_line_of_printable_characters() {
    let mut table = Table::new("hosts", "", [Column::text("host"), Column::text("hosts")]);
    table.push([Cell::text("n1\n\x1b[31m"), Cell::texts(["a\tb", "\u{9b}2J"])]);
    for text in [table.full_text(), table.terminal(200)] {
        assert!(text.contains("n1\\n\\u001b[31m  a\\tb, \\u009b2J"), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
    }
    assert!(table.json().contains("n1\\n\\u001b[31m"), "{}", table.json());
}
