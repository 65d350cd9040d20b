#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CHAMELEON on the command line: every workload, wrong values, a strategy from a shared object. Usage:
# cli_chameleon.sh LBSIM POLICY.so WRONG.so
. "$(dirname "$0")/cli.sh"
plugin=$2 wrong=$3
scenario >tiny.json
cham="--set system.name=chameleon --quiet --no-figure --format csv"

# On every model, beside the other systems, on nodes of 6 cores.
for model in synthetic phases micropp nbody matmul mesh limiter; do
        expect 0 '' "$lbsim" tiny.json --set platform.cores_per_node=6 $(small $model) --quiet --no-figure --format csv \
            --set 'sweep={"graph.degree":[2,3],"system.name":["baseline","dlb","local","global","chameleon"]}' \
            --out out_$model
done

# Nothing to do, one rank.
expect 0 '' "$lbsim" tiny.json --set sweep={} $cham --set workload.model=matmul --set workload.matmul_tasks=0 --out zero
expect 0 '' "$lbsim" tiny.json $cham --set platform.nodes=1 --set workload.imbalance=1 --out one

# What is out of range, of another kind, or leaves no core for work.
expect 2 'allowed is' "$lbsim" tiny.json $cham --set system.migrate_min_rel=1.5
expect 2 'allowed is' "$lbsim" tiny.json $cham --set system.migrate_at_once=0
expect 2 'allowed is' "$lbsim" tiny.json $cham --set system.turn_us=0
expect 2 'one of' "$lbsim" tiny.json $cham --set system.migrate=nobody
expect 2 'allowed' "$lbsim" tiny.json $cham --set workload.task_bytes=-1
expect 2 'at least 2 for each, one of them for its communication thread' "$lbsim" tiny.json $cham \
    --set platform.cores_per_node=1 --out no_core

# The figure: a line for each system, and nothing to compare with is refused.
expect 0 '' "$lbsim" tiny.json --set 'sweep.system.name=["baseline","chameleon"]' --set 'sweep.workload.imbalance=[1,2]' \
    --set 'sweep.graph.degree=[2]' --set output.figure=migration --out figure --quiet
grep -q '^"workload.imbalance|.*|chameleon|.*chameleon"' figure/migration.dat || fail "no line of chameleon"
expect 2 'system baseline is not in sweep' "$lbsim" tiny.json --out alone \
    --set system.name=chameleon --set output.figure=migration

# Whose calls are logged is asked every time, otherwise only who may push: the same in every detail.
for strategy in pairs least; do
        for log in "" "--decisions $strategy.log"; do
                expect 0 'wrote' "$lbsim" trace tiny.json "trace${log:+_logged}.json" $log --set sweep={} --set system.name=chameleon \
                    --set platform.nodes=70 --set platform.cores_per_node=3 --set system.migrate=$strategy \
                    --set workload.iterations=1 --set workload.tasks_per_core=4 --set system.replicate_share=0.3
        done
        cmp trace.json trace_logged.json || fail "$strategy differs where its calls are logged"
done

# Where the NICs of all nodes have a tenth of the bandwidth it is as if the network had, under every system that sends anything.
cat >links.json <<'END'
{ "name": "links", "platform": { "nodes": 2, "cores_per_node": 4, "network": { "bandwidth_GBps": 0.1 } }, "graph": { "degree": 2 },
  "workload": { "model": "multizone", "multizone_class": "W", "iterations": 6, "task_bytes": 100000 },
  "sweep": { "system.name": ["chameleon", "dpb", "local"] } }
END
links="--quiet --no-figure --format csv"
for change in 'name="as_it_is"' 'platform.speed=[{"node":0,"every":1,"factor":1,"link":0.1}]' platform.network.bandwidth_GBps=0.01; do
    expect 0 '' "$lbsim" links.json $links --set "$change"
    case $change in
        name*) cp out.txt wide.csv ;;
        platform.speed*) cp out.txt narrow.csv ;;
        *) cmp out.txt narrow.csv || fail "narrow links are not a narrow network" ;;
    esac
done
sort wide.csv narrow.csv | uniq -d | grep -q '[0-9]' && fail "a narrow link changes nothing: $(cat narrow.csv)"

# Load metric and strategy of one's own, with a parameter of its own.
expect 0 '' "$lbsim" --policy "$plugin" tiny.json $cham --set 'sweep.system.name=["chameleon","steady"]' \
    --set system.steady_margin=0.2 --out steady
cut -d, -f2- steady/results.csv | sort -u | wc -l | grep -q 3 || fail "both strategies decide alike"
expect 2 'allowed is' "$lbsim" --policy "$plugin" tiny.json $cham --set system.name=steady \
    --set system.steady_at_once=0

# One that answers what cannot be is named, with when and in which point.
expect 1 "^lbsim: point [0-9]*: .*system.name wrong; replicate [0-9]*: at [0-9.]* s, iteration 0: policy 'wrong-push': rank [0-9]* moves 1 tasks to rank [0-9]*, allowed is " \
    "$lbsim" --policy "$wrong" tiny.json $cham --set 'sweep.system.name=["chameleon","wrong"]'
finish
