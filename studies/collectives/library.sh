#!/usr/bin/env bash
# Compares the algorithms that models choose with the best one of Open MPI, on a testbed of testbed/examples.
# About five minutes, on a machine that does nothing else.
# usage: library.sh TESTBED ORRERY NAME FOLDER   (programs: the testbed, and orrery built with the feature mpi; as root)
set -euo pipefail
testbed=$1 orrery=$2 name=$3 out=$4
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
"$testbed" up "$here/testbed/examples/$name.toml"
trap '"$testbed" down "$name"' EXIT
# Other programs disturb the check; several are allowed.
for _ in 1 2 3; do
  "$testbed" check "$name" > "$out/check.txt" && break
done
hosts=$(grep -c '^\[\[hosts\]\]' "$here/testbed/examples/$name.toml")
measure() { # NAME CAMPAIGN…
  local campaign=$1; shift
  "$testbed" run "$name" --accurate -- mpirun -n "$hosts" "$orrery" measure "$@" -o "$out/$campaign.csv.zst" --force --quiet
}
measure comm comm --sizes 1K,4K,16K,64K,128K,256K,1M --max-reps 20
measure overheads overheads --pairs ring --sizes 0,64,1K,4K,16K,32K,60K,64K,65K,68K,128K --max-reps 20
measure combination collectives --operations allreduce --algorithms ring --sizes 1K,4K,16K,64K,256K,1M --max-reps 5
measure library collectives --native --operations bcast,scatter,gather,allreduce,allgather,alltoall \
  --sizes 1K,4K,16K,64K,256K,1M --min-reps 5 --max-reps 10
"$orrery" fit "$out"/{comm,overheads,combination}.csv.zst -o "$out/model.json" --force
python3 "$here/studies/collectives/regrets.py" "$orrery" "$out/model.json" "$out/library.csv.zst"
