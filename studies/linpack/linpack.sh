#!/usr/bin/env bash
# Runs HPL with the tracer, and measures what a replay of it needs. Each step takes some minutes on a machine that does nothing else.
# usage: linpack.sh STEP TESTBED ORRERY TRACER HPL FOLDER   (programs and the library of the tracer; the testbed of equal.toml is up; as root)
#   network     messages between hosts of the testbed, and within one
#   placements  three traced runs of each placement, shuffled
#   tracing     PAIRS runs with and without the tracer on the testbed, shuffled
#   memory      messages between two cores of this machine, and three traced runs on them
#   memory-tracing   PAIRS runs with and without the tracer on two cores, shuffled
set -euo pipefail
step=$1 testbed=$2 orrery=$(realpath "$3") tracer=$(realpath "$4") hpl=$(realpath "$5") out=$(realpath -m "$6")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$work"
export OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
pairs=${PAIRS:-12}
sizes=0,64,1K,4K,16K,32K,60K,64K,128K,256K,512K,1M

# Writes the input of HPL: order N on Q ranks.
input() { sed "s/@N@/$1/; s/@Q@/$2/" "$here/hpccinf.txt" >hpccinf.txt; }

# The host of each rank.
printf '%s\n' n1 n2 n3 n4 n1 n2 n3 n4 >rrn
printf '%s\n' n1 n1 n2 n2 n3 n3 n4 n4 >rrp
printf '%s\n' n3 n1 n4 n4 n2 n1 n3 n2 >random

# Runs HPL, with the tracer if a folder is named, and prints the time that HPL reports, from its rate, which has more digits:
# hpl LAUNCHER [FOLDER]; the launcher is a function.
hpl() {
  rm -f hpccoutf.txt
  if [ $# -gt 1 ]; then
    "$1" "$orrery" trace run -o "$2" --library "$tracer" --quiet --
  else
    "$1"
  fi >output 2>&1 || { cat output >&2; return 1; }
  grep -q PASSED hpccoutf.txt
  awk '/^WR/ {printf "%.5f\n", (2 / 3 * $2 + 3 / 2) * $2 * $2 / $7 / 1e9}' hpccoutf.txt
}
# Programs on the testbed yield the core while they poll, also if the tracer is loaded. The variables reach all hosts.
on_testbed() {
  "$testbed" run equal -- env LD_PRELOAD=/run/orrery-testbed/equal/idle.so OMPI_MCA_mca_base_env_list=OPENBLAS_NUM_THREADS \
    "$@" mpirun -n 8 --hostfile "$placement" --mca rmaps seq "$hpl"
}
on_cores() { "$@" mpirun.openmpi -n 2 --bind-to core "$hpl"; }

case $step in
  network)
    "$testbed" run equal -- mpirun -n 4 "$orrery" measure comm -o "$out/hosts.csv" --force --quiet --sizes $sizes --max-reps 20
    printf '%s\n' n1 n1 >one
    "$testbed" run equal -- mpirun -n 2 --hostfile one --mca rmaps seq "$orrery" measure comm -o "$out/within.csv" --force --quiet \
      --sizes $sizes --max-reps 20
    ;;
  placements)
    input "${N:-2000}" 8
    rm -rf "$out/runs" && mkdir -p "$out/runs"
    echo placement,run,seconds >"$out/placements.csv"
    for run in 1 2 3; do
      for placement in $(shuf -e rrn rrp random --random-source=<(yes "$run")); do
        echo "$placement,$run,$(hpl on_testbed "$out/runs/$placement-$run")" | tee -a "$out/placements.csv"
      done
    done
    ;;
  memory)
    mpirun.openmpi -n 2 --bind-to core "$orrery" measure comm -o "$out/memory.csv" --force --quiet --sizes $sizes,2M,4M --max-reps 50
    input "${N:-8000}" 2
    rm -rf "$out/memory" && mkdir -p "$out/memory"
    echo placement,run,seconds >"$out/memory-runs.csv"
    for run in 1 2 3; do
      echo "memory,$run,$(hpl on_cores "$out/memory/memory-$run")" | tee -a "$out/memory-runs.csv"
    done
    ;;
  tracing | memory-tracing)
    launcher=on_testbed placement=rrn
    if [ "$step" = tracing ]; then input "${N:-2000}" 8; else input "${N:-8000}" 2; launcher=on_cores; fi
    echo pair,tracer,seconds >"$out/$step.csv"
    for ((pair = 1; pair <= pairs; pair++)); do
      for tracer_word in $(shuf -e with without --random-source=<(yes "$pair")); do
        rm -rf traced
        if [ "$tracer_word" = with ]; then seconds=$(hpl $launcher traced); else seconds=$(hpl $launcher); fi
        echo "$pair,$tracer_word,$seconds" | tee -a "$out/$step.csv"
      done
    done
    ;;
  *)
    echo "linpack.sh: unknown step $step" >&2
    exit 2
    ;;
esac
