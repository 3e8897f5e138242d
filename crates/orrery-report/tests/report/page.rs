use orrery::model::file::parse;
use orrery::model::{Model, ModelKind, Query, Validation, validate};
use orrery::platform::Processor;
use orrery::sample::{Experiment, Sample, Samples};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, Seconds};
use orrery_report::pages;

use crate::cluster::{KINDS, measured, model, summaries};

fn sample_page(n: usize) -> String {
    let model = model(n);
    let (samples, validation) = measured(&model);
    pages::communication_page(&model, &samples, &validation)
}

/// Elements that have no end.
const VOID: [&str; 2] = ["meta", "wbr"];

/// Every element that begins also ends, in order, and all attributes are quoted.
fn check_nesting(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a document type");
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>') || open.last() == Some(&"style"),
            "a stray > in {:?}",
            &rest[..start]
        );
        let end = start + rest[start..].find('>').expect("a tag that ends");
        let tag = &rest[start + 1..end];
        assert!(tag.matches('"').count().is_multiple_of(2), "unbalanced quotes in <{tag}>");
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes something else");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

#[test]
fn the_page_is_well_formed() {
    check_nesting(&sample_page(4));
    check_nesting(&sample_page(16));
}

#[test]
fn nothing_is_fetched() {
    let page = sample_page(4).replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for fetch in
        ["http:", "https:", "<script", "<link", "url(", "@import", "<img", "<iframe", "src="]
    {
        assert!(!page.contains(fetch), "the page contains {fetch}");
    }
}

#[test]
fn every_model_and_operation_is_mentioned() {
    let page = sample_page(4);
    for word in KINDS.map(ModelKind::name) {
        assert!(page.contains(&format!(">{word}</th>")), "{word} is not a column");
    }
    for word in ["scatter/linear", "scatter/binomial", "gather/linear", "gather/binomial"] {
        assert!(page.contains(&format!("<h3>{word}, 4 processors</h3>")), "no figure of {word}");
    }
    assert_eq!(page.matches("<svg class=\"figure\"").count(), 8, "times and errors");
    // Four operations and their total, each by all models.
    assert_eq!(page.matches(" inside</span>").count(), 5 * KINDS.len());
    assert_eq!(2 * page.matches("<figure>").count(), page.matches("<desc ").count());
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(sample_page(16), sample_page(16));
}

#[test]
fn hostile_strings_are_only_text() {
    let mut model = model(4);
    let (mut samples, validation) = measured(&model);
    let hostile = "<script>alert(\"1\")</script>&'";
    model.hosts[1] = hostile.into();
    samples.provenance.set("machine", hostile);
    samples.provenance.set(hostile, "value");
    model.provenance.set("command", hostile);
    let page = pages::communication_page(&model, &samples, &validation);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
    check_nesting(&page);
}

#[test]
fn a_clear_winner_is_named_and_equals_are_not_ranked() {
    let page = sample_page(4);
    assert!(
        page.contains("<strong>lmo</strong> predicts collective operations best: over 88"),
        "{page:.3000}"
    );
    let model = model(4);
    let (samples, mut validation) = measured(&model);
    for row in &mut validation.rows {
        row.error = 0.05;
    }
    let page = pages::communication_page(&model, &samples, &validation);
    assert!(page.contains("predict collective operations best without significant difference"));
}

#[test]
fn loopback_is_called_a_demonstration() {
    let note = "Loopback on a shared machine is a demonstration, not a cluster.";
    assert!(!sample_page(4).contains(note));
    let model = model(4);
    let (mut samples, validation) = measured(&model);
    for machine in ["local", "local:4"] {
        samples.provenance.set("machine", machine);
        assert!(pages::communication_page(&model, &samples, &validation).contains(note));
    }
}

/// Times between ranks that share a core are those of its scheduler: the page does not advise to
/// replace a link.
#[test]
fn links_of_ranks_that_share_a_core_are_not_to_be_replaced() {
    let mut model = model(4);
    let (mut samples, validation) = measured(&model);
    // The advice below each bar that names a link.
    let links = |page: &str| -> Vec<String> {
        let section =
            page.split("id=\"made-of\"").nth(1).and_then(|rest| rest.split("</section>").next());
        let advice = section.unwrap_or_default().split("<span class=\"small\">").skip(1);
        let advice = advice.filter_map(|rest| rest.split("</span>").next().map(str::to_owned));
        advice.filter(|advice| advice.contains("link ")).collect()
    };
    let before = pages::communication_page(&model, &samples, &validation);
    assert!(!links(&before).is_empty() && !before.contains("share core"));
    for provenance in [&mut model.provenance, &mut samples.provenance] {
        provenance.set("hosts", "a a a a");
        provenance.set("cores", "0 0 0 0");
    }
    let after = pages::communication_page(&model, &samples, &validation);
    assert!(after.contains(
        "ranks 0 to 3 share core 0: times between them are those of one core's scheduler"
    ));
    assert_eq!(links(&after).len(), links(&before).len());
    for advice in links(&after) {
        assert!(advice.contains("its ranks share a core: no link to replace"), "{advice}");
    }
    check_nesting(&after);
}

#[test]
fn nothing_at_all_is_still_a_page() {
    let page =
        pages::communication_page(&Model::default(), &Samples::default(), &Validation::default());
    check_nesting(&page);
    assert!(page.contains("No measured time was compared with a prediction."));
}

#[test]
fn odd_values_are_left_out_of_figures_without_harm() {
    let model = model(4);
    let (samples, mut validation) = measured(&model);
    for (place, value) in
        [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX].into_iter().enumerate()
    {
        // All models of one experiment observe the same.
        for row in &mut validation.rows[4 * place..4 * place + 4] {
            row.observed.value = value;
            row.observed.interval = None;
            row.error = f64::NAN;
        }
    }
    let page = pages::communication_page(&model, &samples, &validation);
    check_nesting(&page);
    let svg = &page[page.find("<section id=\"curves\"").unwrap()
        ..page.find("<section id=\"errors\"").unwrap()];
    assert!(!svg.contains("\"MNaN") && !svg.contains("inf "));
}

#[test]
fn one_size_only_is_a_line_of_a_table() {
    let model = model(4);
    let (samples, mut validation) = measured(&model);
    validation.rows.truncate(4);
    let page = pages::communication_page(&model, &samples, &validation);
    assert_eq!(page.matches("<svg class=\"figure\"").count(), 0);
    assert!(page.contains("Measured at one or two sizes only"));
    check_nesting(&page);
}

#[test]
fn links_are_maps_with_names_and_alike_processors_side_by_side() {
    let page = sample_page(16);
    let maps = &page[page.find("<section id=\"links\"").unwrap()
        ..page.find("<section id=\"parameters\"").unwrap()];
    assert_eq!(
        maps.matches("<svg class=\"map\"").count(),
        4,
        "latency and rate, of links and of pairs"
    );
    assert!(
        maps.contains("lmo: rate of links [MB/s]")
            && maps.contains("hockney: latency of pairs [µs]")
    );
    assert!(maps.contains("<title>node00–node01 (0–1): "));
    // Every fourth host of this cluster has slow links.
    let place = |name: &str| maps.find(&format!(">{name}</text>")).expect("each host is named");
    let mut slow = [3, 7, 11, 15].map(|host| place(&format!("node{host:02}")));
    slow.sort_unstable();
    let between = (0..16)
        .filter(|host| (slow[0]..slow[3]).contains(&place(&format!("node{host:02}"))))
        .count();
    assert_eq!(between, 3, "others stand among the slow hosts");
}

#[test]
fn hosts_with_several_processors_are_numbered() {
    let mut model = model(4);
    model.hosts[1] = model.hosts[0].clone();
    let page = pages::communication_page(&model, &Samples::default(), &Validation::default());
    assert!(page.contains("<title>0–1: ") && !page.contains("node00–"));
}

#[test]
fn maps_of_many_processors_are_small_or_left_out() {
    let page =
        |n| pages::communication_page(&model(n), &Samples::default(), &Validation::default());
    let (many, too_many) = (page(100), page(257));
    check_nesting(&many);
    assert!(many.contains("Colors are quantiles") && many.contains("The order of the processors"));
    let maps = many.find("<section id=\"parameters\"").unwrap()
        - many.find("<section id=\"links\"").unwrap();
    assert!(maps < 400_000, "{maps} letters");
    assert!(too_many.contains("Maps are drawn for up to 256 processors; this model has 257."));
    assert!(!too_many.contains("<svg class=\"map"));
}

#[test]
fn what_collectives_are_made_of_names_the_slow_link() {
    let page = sample_page(4);
    let made = &page[page.find("<section id=\"made-of\"").unwrap()
        ..page.find("<section id=\"links\"").unwrap()];
    assert_eq!(made.matches("class=\"bar\"").count(), 4 * 3, "operations and sizes");
    assert!(made.contains("% link node") && made.contains("transfer over links: "));
    assert!(
        !pages::communication_page(&model(4), &Samples::default(), &Validation::default())
            .contains("id=\"made-of\"")
    );
}

#[test]
fn residuals_are_those_of_point_to_point_experiments() {
    assert!(!sample_page(4).contains("id=\"residuals\""));
    let page = round_trips();
    assert!(page.contains("id=\"residuals\"") && page.contains("lack of fit"));
    assert!(page.contains("<h2>Residuals of the fit</h2>") && !page.contains("predicts best"));
    assert!(page.contains("The fit has seen all of these experiments: these are residuals"));
}

#[test]
fn launches_are_told_apart_when_there_are_several() {
    let model = model(4);
    let (samples, validation) = measured(&model);
    assert!(!pages::communication_page(&model, &samples, &validation).contains("id=\"launches\""));
    let mut twice = Samples::default();
    for sample in samples.iter() {
        let slower = Seconds::new(sample.seconds.get() * 1.5);
        twice.push(sample);
        twice.push(Sample { launch: 1, seconds: slower, ..sample });
    }
    let page = pages::communication_page(&model, &twice, &validation);
    check_nesting(&page);
    assert!(
        page.contains("(here gather/binomial, gather/linear, scatter/binomial, scatter/linear)")
    );
}

/// Round trips of sizes from 0, with a short and with an equal reply, one host nearly silent.
fn round_trips() -> String {
    let mut model = model(4);
    let (samples, mut validation) = measured(&model);
    model.measured = Some((Bytes::ZERO, Bytes::new(1 << 20)));
    for (place, row) in validation.rows.iter_mut().enumerate() {
        let size = row.experiment.size();
        let size = if size == Bytes::new(1024) { Bytes::ZERO } else { size };
        let reply = if place % 8 < 4 { size } else { Bytes::ZERO };
        row.experiment = Experiment::RoundTrip {
            i: Processor(0),
            j: Processor(1 + place as u32 % 3),
            size,
            reply,
        };
        row.predicted.query = Query::Experiment(row.experiment);
        row.seen = true;
        row.observed.interval = None;
        row.predicted.alarms.clear();
    }
    validation.summary = summaries(&validation.rows);
    pages::communication_page(&model, &samples, &validation)
}

#[test]
fn size_zero_has_a_place_of_its_own() {
    let page = round_trips();
    check_nesting(&page);
    assert!(
        page.contains("<h3>roundtrip</h3>") && page.contains("<h3>roundtrip, short reply</h3>")
    );
    assert!(page.contains(">0</text>"));
}

/// For looking at: `ORRERY_REPORT_DIR=/tmp cargo test -p orrery-report --test report -- --ignored`.
#[test]
#[ignore = "writes pages to look at"]
fn pages_to_look_at() {
    let folder = std::env::var("ORRERY_REPORT_DIR").expect("ORRERY_REPORT_DIR");
    std::fs::write(format!("{folder}/report-0.html"), round_trips()).unwrap();
    for n in [4, 16, 24] {
        std::fs::write(format!("{folder}/report-{n}.html"), sample_page(n)).unwrap();
    }
}

/// The page of a cluster with thresholds, or of the same without, whose gathers were measured from
/// 1K to 128K.
fn page_with_thresholds(model: &Model) -> String {
    let mut samples = Samples::default();
    for (power, kind) in
        (10..=17).flat_map(|power| CollectiveKind::SCATTER_GATHER.map(|kind| (power, kind)))
    {
        let (algorithm, root, size) = (Algorithm::Linear, Processor(0), Bytes::new(1 << power));
        let experiment = Experiment::Collective { kind, algorithm, root, procs: 8, size };
        samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(1e-3) });
    }
    pages::communication_page(
        model,
        &samples,
        &validate(model, &samples, &model.kinds(), 0.95).unwrap(),
    )
}

/// The places on the axis across of a path of `M x yL x yz` or `M x yV y`.
fn across(path: &str) -> Vec<f64> {
    let data = path.split("d=\"M").nth(1).unwrap().split(['"', 'z', 'V']).next().unwrap();
    data.split('L').map(|corner| corner.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn where_a_gather_escalates_a_band_is_drawn_between_its_thresholds() {
    let mut model =
        parse(include_str!("../../../../examples/switched-eight.json"), "m.json").unwrap().model;
    let page = page_with_thresholds(&model);
    check_nesting(&page);
    let figure = |title: &str| {
        page.split("<figure>").find(|figure| figure.contains(title)).unwrap().to_owned()
    };
    let gather = figure("<h3>gather/linear, 8 processors</h3>");
    let chart = gather.split("</svg>").next().unwrap();
    let turns: Vec<f64> = chart.split("<path class=\"mark\"").skip(1).flat_map(across).collect();
    let [small, large] = turns[..] else { panic!("two thresholds in {chart}") };
    let bands: Vec<Vec<f64>> = chart.split("<path class=\"band\" ").skip(1).map(across).collect();
    let [band] = &bands[..] else { panic!("one band in {chart}") };
    let (left, right) =
        band.iter().fold((f64::MAX, f64::MIN), |(left, right), x| (left.min(*x), right.max(*x)));
    assert_eq!((left, right), (small, large));
    for words in [
        ">M1</text>",
        ">M2</text>",
        "95 % of the times by lmo",
        "with a probability of 40.0 %",
        "M1 (5000) and M2 (73000)",
    ] {
        assert!(gather.contains(words), "{words} is not in {gather}");
    }
    let scatter = figure("<h3>scatter/linear, 8 processors</h3>");
    assert!(scatter.contains(">S</text>") && !scatter.contains("class=\"band\""), "{scatter}");
    model.thresholds.clear();
    let calm = page_with_thresholds(&model);
    assert!(!calm.contains("class=\"mark\"") && !calm.contains("class=\"band\""));
}
