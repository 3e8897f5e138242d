//! Replays whose messages are larger than those that the model was measured with.

use crate::common::{Folder, Outcome};
use crate::refused::warnings;

/// A trace of three messages: two with this number of elements of 8 bytes, and an empty one.
fn trace(elements: u64) -> String {
    format!(
        "0 send 1 0 {elements}\n1 recv 0 0 {elements}\n0 send 1 0 {elements}\n1 recv 0 0 \
            {elements}\n0 send 1 0 0\n1 recv 0 0 0\n"
    )
}

#[test]
fn simulated_messages_beyond_the_measured_sizes_are_reported() -> Outcome {
    let folder = Folder::new()?;
    folder.done(
        "measure comm --machine sim:truth.json,noise=0.02 --sizes 0,4K --size 4K -o comm.csv",
    )?;
    folder
        .done("measure overheads --machine sim:truth.json,model=lmo --sizes 0,4K -o trains.csv")?;
    folder.done("fit comm.csv trains.csv -o model.json")?;
    folder.write("inside.tit", trace(512))?;
    folder.write("outside.tit", trace(1 << 17))?;
    folder.write(
        "goal.goal",
        "num_ranks 2\nrank 0 {\nl1: send 1048576b to 1 tag 1\n}\nrank 1 {\nl1: recv 1048576b from 0 tag 1\n}\n",
    )?;
    let text = "outside the sizes that model.json was measured with, 0 to 4K, the largest of them \
        1M: these times are extrapolated";
    for network in ["lmo", "hockney", "loggp", "plogp"] {
        let simulate = |trace: &str| {
            format!("simulate {trace} --network {network} --parameters model.json -q")
        };
        assert_eq!(warnings(&folder, &simulate("inside.tit"))?, [""; 0], "{network}");
        assert_eq!(
            warnings(&folder, &simulate("outside.tit"))?,
            [format!("2 of 3 messages are {text}")],
            "{network}"
        );
        assert_eq!(
            warnings(&folder, &simulate("goal.goal"))?,
            [format!("1 of 1 message is {text}")],
            "{network}"
        );
    }
    // A model that was not measured has no range.
    assert_eq!(
        warnings(&folder, "simulate outside.tit --network lmo --parameters truth.json")?,
        [""; 0]
    );
    Ok(())
}
