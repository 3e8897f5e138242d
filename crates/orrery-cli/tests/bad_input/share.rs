use crate::refused::cases;

/// Sources and destinations that all hang together, so that their sets are too many to count.
fn crowd() -> String {
    let row =
        |source: u32| (100..140).map(move |destination| format!("{source} -> {destination}\n"));
    (0..40).flat_map(row).collect()
}

const TWO: &str = "0 -> 1 1M\n0 -> 2 2M\n";

cases! {
    no_communication: {"s": "# none\n"} "share s --sharing maxmin"
        => FAILED "s: the scheme has no transfer";
    bandwidth_below_0: {"s": "0 -> 1\n"} "share s --sharing maxmin --bandwidth -1"
        => USAGE "above 0";
    no_arrow: {"s": "a: 0 1 20M\n"} "share s --sharing maxmin" => FAILED "s:1:6: "
        "\"1\" is not \"->\"" "\n  a: 0 1 20M\n       ^";
    binary: {"s": [0xff, 0xfe, 0x00]} "share s --sharing maxmin"
        => FAILED "s: cannot read the scheme";
    absent: {} "share nowhere --sharing maxmin" => FAILED "nowhere: cannot read the scheme"
        "check its name";
    too_large: {"s": crowd()} "share s --sharing myrinet"
        => FAILED "s: 1600 transfers from 40 sources to 40 destinations" "too many to count"
        "--estimate";
    no_network: {"s": TWO} "share s" => USAGE "--sharing";
    unknown_network: {"s": TWO} "share s --sharing quadrics" => USAGE "quadrics"
        "maxmin, gige, myrinet, infiniband";
    no_parameters: {"s": TWO} "share s --sharing gige --beta 0.75" => USAGE "--parameters MODEL"
        "--gamma-out";
    no_parameters_of_infiniband: {"s": TWO} "share s --sharing infiniband"
        => USAGE "--beta-out 0.925";
    model_without_it: {"s": TWO} "share s --sharing gige --parameters truth.json"
        => FAILED "truth.json: " "no parameters of gige";
    parameter_without_sense: {"s": TWO}
        "share s --sharing gige --beta -1 --gamma-out 0 --gamma-in 0" => USAGE "beta is -1"
        "from 0.001 to 1000";
    parameter_of_another: {"s": TWO} "share s --sharing maxmin --beta 1" => USAGE "--beta"
        "--sharing maxmin";
    estimate_of_another: {"s": TWO} "share s --sharing maxmin --estimate" => USAGE "--estimate"
        "--sharing maxmin";
    parameters_for_nothing: {"s": TWO} "share s --sharing maxmin --parameters truth.json"
        => USAGE "--parameters";
    reference_of_two_sizes: {"s": TWO} "share s --sharing maxmin --reference 0.1"
        => USAGE "--reference" "the transfers have different sizes; give the bandwidth";
}
