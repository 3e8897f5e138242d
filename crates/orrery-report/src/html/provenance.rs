//! Where everything comes from, and how to read the page.

use maud::{Markup, html};

use orrery::model::Model;
use orrery::run::Runs;
use orrery::sample::{Provenance, Samples, Timings};

pub(super) fn render(model: &Model, samples: &Samples) -> Markup {
    let same = model.provenance == samples.provenance;
    html! {
        section id="provenance" {
            h2 { "Provenance" }
            @if same { (table("Model and samples", &model.provenance)) } @else {
                (table("Samples", &samples.provenance))
                (table("Model", &model.provenance))
            }
            @if !samples.unknown.is_empty() {
                p { "Kinds of experiments that this version does not know, kept aside: "
                    @for (place, unknown) in samples.unknown.iter().enumerate() {
                        @if place > 0 { ", " } code { (unknown.experiment) } " (" (unknown.rows) " rows)"
                    } "." }
            }
        }
    }
}

/// That of runs and the model of their application.
pub(super) fn of_runs(model: &Model, runs: &Runs) -> Markup {
    html! {
        section id="provenance" {
            h2 { "Provenance" }
            (table("Runs", &runs.provenance))
            (table("Model", &model.provenance))
        }
    }
}

/// That of timings and the model of the laws.
pub(super) fn of_timings(model: &Model, timings: &Timings) -> Markup {
    let same = model.provenance == timings.provenance;
    html! {
        section id="provenance" {
            h2 { "Provenance" }
            @if same { (table("Model and timings", &model.provenance)) } @else {
                (table("Timings", &timings.provenance))
                (table("Model", &model.provenance))
            }
        }
    }
}

fn table(title: &str, provenance: &Provenance) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table.provenance {
                caption { (title) }
                tbody {
                    @for (key, value) in provenance.iter() { tr { th.word scope="row" { (key) } td.word { (value) } } }
                    @if provenance.iter().next().is_none() { tr { td.word { "Nothing is known." } } }
                }
            }
        }
    }
}

pub(super) fn how_to_read() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read this page" }
            dl.reading {
                dt { "Observed" }
                dd { "The median of repeated readings of one experiment, with the interval that covers the true median." }
                dt { "Predicted" }
                dd { "What a model says of the same experiment. The models were fitted to point-to-point experiments; "
                    "collective operations are predictions, not fits." }
                dt { "Error" }
                dd { "(predicted − observed) / observed: +10 % means that the model says 10 % more than was observed." }
                dt { "S, M1, M2" }
                dd { "Sizes of blocks at which a linear scatter (S) or gather (M1, M2) changes its ways. From M1 to M2 a gather "
                    "escalates now and then, so that its time is not one number." }
                dt { "Cannot be told apart" }
                dd { "Student's test of the paired differences of the errors of two models, at 5 %, finds no difference between "
                    "them." }
                dt { "Sizes" }
                dd { "In bytes; K and M are powers of 1024. In a collective operation: the block of one processor. "
                    "Rates are in powers of 1000: 1 MB/s is a million bytes per second." }
            }
        }
    }
}

pub(super) fn how_to_read_runs() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read this page" }
            dl.reading {
                dt { "Measured" }
                dd { "The median of the runs of one point: one size, one configuration." }
                dt { "Estimate" }
                dd { "What the model says of that point. Where its band or interval is shown, a single run lies in it with the "
                    "probability that is told." }
                dt { "Configuration" }
                dd { "kind=elements×processes on each, such as athlon=1x2; or the process grid, rows×columns." }
                dt { "Error" }
                dd { "(estimate − measured) / measured: +10 % means that the model says 10 % more than was measured." }
                dt { "Loss" }
                dd { "How much longer than the best measured configuration the one takes that the model holds to be best: what a "
                    "decision by the model costs." }
            }
        }
    }
}
