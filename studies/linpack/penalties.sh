#!/usr/bin/env bash
# Measures the schemes that calibrate the laws, and those of schemes.py, on the running testbed of equal.toml: about 20 minutes on a
# machine that does nothing else. An interrupted campaign goes on where it was; MAX_TIME ends it after this time.
# usage: penalties.sh TESTBED ORRERY FOLDER   (programs: the testbed, and orrery built with the feature mpi; as root)
set -euo pipefail
testbed=$1 orrery=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
python3 "$here/schemes.py" "$out/schemes"
measure() { # FILE ARGUMENTS...
  local file=$out/$1 existing=--force
  shift
  [ ! -s "$file" ] || existing=--resume
  "$testbed" run equal -- mpirun -n 6 "$orrery" measure scheme "$@" -o "$file" "$existing" --quiet --nodes processors --min-reps 5 \
    --max-reps 5 ${MAX_TIME:+--max-time "$MAX_TIME"} >"${file%.csv}.txt"
}
measure calibration.csv --calibrate --size 4M
measure schemes.csv "$out"/schemes/*.scheme
