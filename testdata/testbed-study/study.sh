#!/usr/bin/env bash
# Measures the testbed of testbed/examples/six.toml with Open MPI and sets models against scatter and gather.
# usage: study.sh TESTBED ORRERY [FOLDER]   (programs: the testbed, and orrery built with the feature mpi; as root)
set -euo pipefail
testbed=$1 orrery=$2 out=${3:-$(dirname "$0")}
here=$(cd "$(dirname "$0")/../.." && pwd)
"$testbed" up "$here/testbed/examples/six.toml"
trap '"$testbed" down six' EXIT
"$testbed" check six | tee "$out/check.txt"
measure() { # NAME CAMPAIGN…
  local name=$1; shift
  "$testbed" run six --accurate -- mpirun -n 6 "$orrery" measure "$@" -o "$out/$name.csv" --force --quiet
}
measure comm comm
measure overheads overheads --pairs ring
measure collectives collectives --algorithms linear --operations scatter,gather --root all --sizes 1K..256K --max-reps 20
"$orrery" fit "$out/comm.csv" "$out/overheads.csv" -o "$out/model.json"
"$orrery" validate "$out/model.json" "$out/collectives.csv" | tee "$out/validate.txt"
