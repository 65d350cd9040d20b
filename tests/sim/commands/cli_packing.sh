#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Task Packing on the command line: every workload, wrong values, its workloads under other systems. Usage:
# cli_packing.sh LBSIM
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
pack="--set system.name=packing --quiet --no-figure --format csv"

# On every model, single-threaded processes or several cores each, with time series or without.
for model in synthetic phases micropp nbody matmul mesh limiter ft minife; do
    for appranks in 1 3 4; do
        expect 0 '' "$lbsim" tiny.json --set sweep={} $pack $(small $model) --set platform.appranks_per_node=$appranks \
            --set output.series_s=0.5 --out out_${model}_$appranks
    done
done
printf 'iteration,apprank,work_s,tasks\n0,0,1,10\n0,1,2,10\n0,2,0,0\n0,3,4,1\n' >loads.csv
expect 0 '' "$lbsim" tiny.json --set sweep={} $pack --set workload.model=trace --set workload.file=loads.csv --out trace

# Its workloads under all systems.
for model in ft minife; do
    expect 0 '' "$lbsim" tiny.json --quiet --no-figure --format csv --set platform.cores_per_node=8 $(small $model) \
        --set platform.appranks_per_node=2 --out all_$model \
        --set 'sweep={"graph.degree":[2,3],"system.name":["baseline","dlb","local","global","chameleon","packing"]}'
done

# One rank, no work, every second node slow with a slow link.
expect 0 '' "$lbsim" tiny.json $pack --set platform.nodes=1 --set workload.imbalance=1 --out one
expect 0 '' "$lbsim" tiny.json $pack --set workload.task_ms=0 --out zero
grep -q -i -e 'nan' -e 'inf,' -e ',-inf' zero/results.csv && fail "a metric of no work is not a number"
expect 0 '' "$lbsim" tiny.json $pack --set platform.appranks_per_node=4 --out slow \
    --set 'platform.speed=[{"node": 1, "every": 2, "factor": 0.25, "link": 0.1}]' --set system.pack=exact

# What is out of range or of another kind; more processes than CPUs.
expect 2 'allowed is' "$lbsim" tiny.json $pack --set system.pack_confidence=1.5
expect 2 'allowed is' "$lbsim" tiny.json $pack --set system.pack_tolerance=-0.1
expect 2 'allowed is' "$lbsim" tiny.json $pack --set system.pack_slice_ms=0
expect 2 'allowed is' "$lbsim" tiny.json $pack --set system.pack_after=2
expect 2 'allowed is' "$lbsim" tiny.json $pack --set system.pack_domains=0
expect 2 'allowed is' "$lbsim" tiny.json $pack --set platform.power.off_W=-1
expect 2 'one of' "$lbsim" tiny.json $pack --set system.pack=tight
expect 2 'one of' "$lbsim" tiny.json --set sweep={} $pack $(small ft) --set workload.ft_class=Z
expect 2 'the 5 appranks of a node' "$lbsim" tiny.json $pack --set platform.appranks_per_node=5
expect 2 'found 0, allowed is a number from 1e-06' "$lbsim" tiny.json $pack \
    --set 'platform.speed=[{"node": 1, "factor": 0.25, "link": 0}]'
expect 2 'more than a cube of 2 points' "$lbsim" tiny.json --set sweep={} $pack --set workload.model=minife \
    --set workload.minife_elements=1 --set platform.appranks_per_node=4 --out cube
finish
