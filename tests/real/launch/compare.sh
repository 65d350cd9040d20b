#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --compare: after a job, what lbsim gives for the same system on the loads it had; nothing stays behind, what the
# options name does; what no simulation has is refused. Usage: compare.sh LBRUN PROGRAM POLICY.so
set -u
lbrun=$1 program=$2 policy=$3
. "$(dirname "$0")/../job.sh"
rm -rf compare_work
mkdir -p compare_work/tmp
cd compare_work || exit 1
TMPDIR=$PWD/tmp
[ ${#TMPDIR} -lt 40 ] || TMPDIR=$(mktemp -d)
export TMPDIR

# job OPTION...: at imbalance 1.5 the busier of two appranks has 4 x 1.5 tasks of 30 ms on each of its cores
job() {
    timeout 300 "$lbrun" --quiet --virtual --nodes 2 --cores 2 --compare "$@" -- \
        "$program" --imbalance 1.5 --iterations 4 --tasks-per-core 4 --task-ms 30 >out.txt 2>err.txt
}
# compared LEAST: both times were found, and neither is less than the work allows; an iteration's mark that comes late
# beside load shortens the next one, live
compared() {
    awk -v least="$1" '/^lbrun: simulated .* s, live .* s, difference .* %, an iteration$/ { simulated = $3; live = $6; at = $9 }
        END { off = 100 * (live / (simulated > 0 ? simulated : 1) - 1)
              exit !(simulated >= least && live >= 0.8 * least && at - off < 1 && off - at < 1) }' err.txt || fail "at least $1 s an iteration"
}
job --system baseline || fail "baseline"
compared 0.175 # 0.18, less what the mark of an iteration jitters
[ -z "$(ls -A "$TMPDIR" | grep '^lbrun-')" ] || fail "left behind: $(ls "$TMPDIR")"
job --system local --degree 2 --param poll_s=0.02 --param comm_core=shared --lewi on --loads loads.csv --report report.json ||
    fail "local"
compared 0.115
[ "$(wc -l <loads.csv)" -eq 9 ] && grep -q '"iterations": *4' report.json || fail "loads and report are kept"
job --system global --degree 2 --lewi off || fail "global"
compared 0.115
# chameleon has no polls of cores
job --system chameleon --param poll_s=0.02 || fail "chameleon"
compared 0.115
# A policy of the user's own, on nodes of which one is slow: simulated and live, in one figure.
job --policy "$policy" --degree 2 --speed 1:0.5 --html page.html --report own.json || fail "a policy of one's own"
compared 0.115 # tasks sleep as long on the slow node, where that is half of the work
grep -q '"system": *"latest"' own.json && grep -q '>simulated<' page.html || fail "a policy of one's own is not on the page"
# What only another system's policies have is no matter of this one's simulation, either.
job --system baseline --param period_s=0.5 --param grow_degree=2 || fail "another system's parameters"
compared 0.175
# What the runtime is told live and the system has simulated.
job --system chameleon --param migrate=none --param comm_core=taken || fail "no migration"
compared 0.34 # 0.36 of one core, as the other has the messages
job --system chameleon --param exchange_us=1e8 || fail "late loads"
compared 0.175 # nobody hears of it before the end
# Tasks' data, as much as moved live, over a network on which it takes 50 ms.
echo '{ "platform": { "network": { "bandwidth_GBps": 0.02 } } }' >slow.json
LBSIM_MACHINE=$PWD/slow.json timeout 300 "$lbrun" --quiet --virtual --nodes 2 --cores 2 --system chameleon --compare -- \
    "$program" --imbalance 1.5 --iterations 4 --tasks-per-core 4 --task-ms 30 --bytes 1000000 >out.txt 2>err.txt || fail "data"
compared 0.15 # 0.135 without
job --system baseline --speed 1:0.5 || fail "a slow node"
compared 0.16
job --system baseline --speed 2:0.5
[ $? -eq 2 ] && grep -q -e '--speed: found .2:0.5., allowed is NODE:FACTOR, nodes 0 to 1' err.txt || fail "no such node"
# Whatever is simulated: tasks take up to 45 ms, and an iteration 180.
mkdir fake
cp "$lbrun" fake/lbrun
task='they differ by no more than one task, which takes 0\.04[0-9]* s: '
moments='simulated at other moments it takes 0\.3 to 0\.35 s: '
said() { # SIMULATED_S AGAIN_S COUNT LINE: in one of three jobs, as other work of the machine lengthens some
    for try in 1 2 3; do
        [ "$(told "$1" "$2" "$4")" -eq "$3" ] && return 0
    done
    return 1
}
told() { # again: at the last of the other moments that are asked for
    printf '#!/bin/sh\ntime_s=%s\ncase $* in *seed=4*) time_s=%s ;; esac\n' "$1" "$2" >fake/lbsim
    echo 'echo "\"system\": \"baseline\", \"time_per_iteration_s\": $time_s"' >>fake/lbsim
    chmod +x fake/lbsim
    (lbrun=fake/lbrun && job --system baseline)
    grep -c "^lbrun: $3" err.txt
}
said 0.22 0.22 1 "$task" || fail "less than a task is a matter of who comes first"
said 0.18 0.18 0 "$task" || fail "hardly anything"
said 0.3 0.3 0 "$task" || fail "more than a task"
said 0.3 0.35 1 "$moments" || fail "it is a matter of moments"
said 0.3 0.31 0 "simulated at other moments" || fail "moments hardly matter"
said 0.18 0.35 0 "simulated at other moments" || fail "as simulated, it is not simulated again"
job --system global --graph x.json
[ $? -eq 2 ] && grep -q -e '--compare does not go with --graph' err.txt || fail "--graph"
"$lbrun" --watch --system packing -- mpirun -n 2 true >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'is for programs that are linked' err.txt || fail "a launcher"
[ $failures -eq 0 ] || exit 1
