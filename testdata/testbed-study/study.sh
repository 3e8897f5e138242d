#!/usr/bin/env bash
# Measures a testbed of testbed/examples with Open MPI, and sets models against collective operations from every root.
# Five to ten minutes for each testbed, on a machine that does nothing else.
# usage: study.sh TESTBED ORRERY NAME [FOLDER]   (programs: the testbed, and orrery built with the feature mpi; as root)
set -euo pipefail
testbed=$1 orrery=$2 name=$3 out=${4:-$(dirname "$0")/$3}
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
model=$(mktemp -d)/model.json
"$testbed" up "$here/testbed/examples/$name.toml"
trap 'rm -r "$(dirname "$model")"; "$testbed" down "$name"' EXIT
# Other programs disturb the check; several are allowed.
for _ in 1 2 3; do
  "$testbed" check "$name" > "$out/check.txt" && break
done
hosts=$(grep -c '^\[\[hosts\]\]' "$here/testbed/examples/$name.toml")
measure() { # NAME CAMPAIGN…
  local campaign=$1 begin=$SECONDS; shift
  "$testbed" run "$name" --accurate -- mpirun -n "$hosts" "$orrery" measure "$@" -o "$out/$campaign.csv.zst" --force --quiet
  echo "$campaign: $((SECONDS - begin)) s" | tee -a "$out/times.txt"
}
: > "$out/times.txt"
measure comm comm --sizes 1K,2K,4K,8K,16K,64K,128K,256K
measure overheads overheads --pairs ring --sizes 0,64,1K,4K,16K,32K,60K,64K,65K,68K,128K --max-reps 20 \
  --send-receive 96K,128K,256K,512K
measure collectives collectives --operations scatter,gather,allgather,alltoall --root all --sizes 1K..256K --max-reps 20 \
  --timing global
"$orrery" fit "$out/comm.csv.zst" "$out/overheads.csv.zst" -o "$model" 2> "$out/fit.txt"
COLUMNS=150 "$orrery" validate "$model" "$out/collectives.csv.zst" > "$out/validate.txt"
