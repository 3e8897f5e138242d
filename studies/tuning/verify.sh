#!/usr/bin/env bash
# Writes rules for Open MPI from the samples of the study of collectives, and verifies them on a testbed of testbed/examples.
# About a minute, on a machine that does nothing else.
# usage: verify.sh TESTBED ORRERY NAME FOLDER   (programs: the testbed, and orrery built with the feature mpi; as root)
set -euo pipefail
testbed=$1 orrery=$2 name=$3 out=$4
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
"$testbed" up "$here/testbed/examples/$name.toml"
trap '"$testbed" down "$name"' EXIT
"$testbed" check "$name" >"$out/check.txt" || true
hosts=$(grep -c '^\[\[hosts\]\]' "$here/testbed/examples/$name.toml")
"$orrery" tune write "$here/studies/collectives/$name/library.csv.zst" --for openmpi-4.1 -o "$out/rules.conf" --force
"$orrery" tune verify "$out/rules.conf" --for openmpi-4.1 -o "$out/times" --force --operation bcast,allgather,allreduce,alltoall \
  --sizes 1K,4K,16K,64K,256K --launches 4 --max-reps 7 --run "$testbed run $name -- mpirun -n $hosts"
