#!/usr/bin/env bash
# Measures the testbed of testbed/examples/six.toml with Open MPI, and sets models against scatter and gather: with and
# without thresholds of linear operations. Some ten minutes, on a machine that does nothing else.
# usage: study.sh TESTBED ORRERY [FOLDER]   (programs: the testbed, and orrery built with the feature mpi; as root)
set -euo pipefail
testbed=$1 orrery=$2 out=${3:-$(dirname "$0")}
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
models=$(mktemp -d)
"$testbed" up "$here/testbed/examples/six.toml"
trap 'rm -r "$models"; "$testbed" down six' EXIT
"$testbed" check six | tee "$out/check.txt"
measure() { # NAME CAMPAIGN…
  local name=$1 begin=$SECONDS; shift
  "$testbed" run six --accurate -- mpirun -n 6 "$orrery" measure "$@" -o "$out/$name.csv.zst" --force --quiet
  echo "$name: $((SECONDS - begin)) s" | tee -a "$out/times.txt"
}
: > "$out/times.txt"
measure comm comm
measure overheads overheads --pairs ring
measure thresholds thresholds --root all --sizes adaptive:0..128K:1K --max-reps 20
measure collectives collectives --algorithms linear --operations scatter,gather --root all --sizes 1K..256K --max-reps 20
# Thresholds are of the operations that are predicted, but not of the same readings.
"$orrery" fit "$out/comm.csv.zst" "$out/overheads.csv.zst" -o "$models/without.json" --quiet
"$orrery" fit "$out/comm.csv.zst" "$out/overheads.csv.zst" "$out/thresholds.csv.zst" -o "$models/with.json" --quiet
for which in without with; do
  printf '%s thresholds\n\n' "${which^}"
  "$orrery" validate "$models/$which.json" "$out/collectives.csv.zst"
  echo
done | tee "$out/validate.txt"
