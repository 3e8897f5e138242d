#!/usr/bin/env bash
# Measures the algorithms of Open MPI in several launches on a testbed of testbed/examples, writes rules from them and from a model,
# and verifies both. About 15 minutes, on a machine that does nothing else.
# usage: verify.sh STEP TESTBED ORRERY NAME FOLDER   (programs: the testbed, and orrery built with the feature mpi; as root)
#   measure   LAUNCHES launches of all algorithms, and one with several roots
#   write     rules from the measured times
#   predict   rules from a model that is fitted with them
#   verify    RULES (measured, predicted), in as many launches
# RELEASE and LAUNCHER take another library or other ranks than openmpi-4.1 with one on each host.
set -euo pipefail
step=$1 testbed=$2 orrery=$3 name=$4 out=$5
here=$(cd "$(dirname "$0")/../.." && pwd)
of_model=$here/studies/collectives/$name # round trips, overheads, own messages
handshakes=$here/testdata/testbed-study/$name/send-receives.csv.zst
operations=${OPERATIONS:-bcast,allgather,allreduce,alltoall} sizes=${SIZES:-1K,4K,16K,64K,256K}
launches=${LAUNCHES:-6}
hosts=$(grep -c '^\[\[hosts\]\]' "$here/testbed/examples/$name.toml")
release=${RELEASE:-openmpi-4.1} launcher=${LAUNCHER:-mpirun -n $hosts}
mkdir -p "$out"

start() {
  "$testbed" up "$here/testbed/examples/$name.toml"
  trap '"$testbed" down "$name"' EXIT
  # What is compared is measured in shuffled launches, so that a check that fails is a remark.
  "$testbed" check "$name" >"$out/check-$step.txt" || true
}
measure() {
  "$testbed" run "$name" -- $launcher "$orrery" measure collectives --native --sizes $sizes --min-reps 5 --max-reps 7 \
    --quiet "$@"
}

case $step in
  measure)
    start
    rm -f "$out/library.csv.zst"
    for _ in $(seq "$launches"); do
      measure --operations $operations -o "$out/library.csv.zst" --resume --new-launch
    done
    measure --operations bcast --root "$((hosts / 2)),$((hosts - 1))" -o "$out/roots.csv.zst" --force
    ;;
  write)
    "$orrery" tune write "$out/library.csv.zst" --for "$release" -o "$out/measured.conf" --force
    ;;
  predict)
    "$orrery" fit "$of_model"/{comm,overheads,combination}.csv.zst "$handshakes" "$out"/{library,roots}.csv.zst -o "$out/model.json" --force
    "$orrery" tune write "$out/model.json" --for "$release" --operation $operations --size 1K..256K -o "$out/predicted.conf" --force
    ;;
  verify)
    start
    for rules in ${RULES:-measured predicted}; do
      "$orrery" tune verify "$out/$rules.conf" --for "$release" -o "$out/$rules" --force --operation $operations --sizes $sizes \
        --launches "$launches" --max-reps 7 --run "$testbed run $name -- $launcher" >"$out/$rules.txt"
    done
    ;;
  *)
    echo "verify.sh: unknown step $step" >&2
    exit 2
    ;;
esac
