#!/usr/bin/env bash
# Measures four clusters under SMPI, fits models and validates them on scatters and gathers.
# usage: run.sh ORRERY FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) orrery=$1 folder=$2
mkdir -p "$folder"
python3 "$here/platforms.py" "$folder"
smpicc -O2 "$here/campaign.c" -o "$folder/campaign"
sizes=0,1024,2048,4096,8192,12288,16384,24576,32768,49152
for name in heterogeneous one-slow backbone duplex; do
  ranks=$(wc -l < "$folder/$name.hosts")
  smpirun -np "$ranks" -platform "$folder/$name.xml" -hostfile "$folder/$name.hosts" --cfg=smpi/async-small-thresh:65536 \
    --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf --log=root.thres:warning "$folder/campaign" "$sizes" 1 \
    > "$folder/$name.rows" 2> "$folder/$name.log"
  for part in comm collectives; do
    pattern='^(roundtrip|one-to-two|two-to-one|exchanges),'; [ $part = comm ] || pattern='^(scatter|gather)/'
    { echo '# format: orrery-samples 1'
      echo 'experiment,i,j,k,procs,size,reply,segment,count,delay,set,launch,rep,seconds'
      grep -E "$pattern" "$folder/$name.rows"; } > "$folder/$name-$part.csv"
  done
  "$orrery" -q fit "$folder/$name-comm.csv" -o "$folder/$name.json" --models lmo,ports --force
  printf '\n%s\n' "$name"
  "$orrery" -q validate "$folder/$name.json" "$folder/$name-collectives.csv" | sed -n '/^Errors of the models/,/^$/p'
done
