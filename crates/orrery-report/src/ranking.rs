use super::format::percent_cell;
use super::table::{Cell, Column, Table};
use super::verdict::is_collective;
use orrery::model::{Ranked, Validation};

const COLLECTIVES: &str = "collectives";

/// All models in one order, and over what: the collective operations if there are some, or else all experiments.
pub(super) fn ranked(validation: &Validation) -> (&'static str, Vec<Ranked>) {
    let collectives = validation.ranking(is_collective);
    if collectives.is_empty() { ("experiments", validation.ranking(|_| true)) } else { (COLLECTIVES, collectives) }
}

/// All models of a validation in one order: over the collective operations if there are some, which no model was made from,
/// or else over all experiments. Keys: rank, model, over (`collectives` or `experiments`), experiments, `mean_error`,
/// `max_error`.
pub fn ranking(validation: &Validation) -> Table {
    let (over, ranking) = ranked(validation);
    let words = if over == COLLECTIVES { "collective operations" } else { "all experiments" };
    let columns = [
        Column::numbers("rank"),
        Column::words("model"),
        Column::words("over"),
        Column::numbers("experiments").dispensable(1),
        Column::numbers("mean_error"),
        Column::numbers("max_error").titled("largest error"),
    ];
    let without =
        |columns: &[Column]| columns.iter().filter(|column| column.key != "over").cloned().collect::<Vec<_>>();
    let title = format!("Models ranked by their mean error over {words}");
    let shared = ranking.windows(2).any(|two| two[0].rank == two[1].rank);
    let note = "Models of the same rank cannot be told apart from the best of them: Student's test of the paired differences \
                of their errors, at 5 %.";
    let mut people = Table::new("ranking", &title, without(&columns)).with_note(if shared { note } else { "" });
    let mut table = Table::new("ranking", title, columns);
    for one in ranking {
        let (rank, model) = (Cell::integer(one.rank as u64), Cell::text(one.model.name()));
        let experiments = Cell::integer(one.experiments as u64);
        let numbers = [experiments, percent_cell(one.mean_error), percent_cell(one.max_error)];
        people.push([rank.clone(), model.clone()].into_iter().chain(numbers.clone()));
        table.push([rank, model, Cell::text(over)].into_iter().chain(numbers));
    }
    table.shown_as(people)
}
