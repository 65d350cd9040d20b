#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Live jobs over DLB: random tasks and the synthetic example, for all systems and sizes, as with the built-in
# manager; where DLB does not work they run with that; ranks that are killed leave nothing behind. With the
# stand-in, whose folder is STAND_INS, or, where that is "real", with the library that LBRUN_DLB_LIB names.
# Usage: live.sh LBRUN RANDOM_TASKS SYNTHETIC DIES STAND_INS|real
set -u
lbrun=$1 random=$2 synthetic=$3 dies=$4 stand_ins=$5
. "$(dirname "$0")/../job.sh"
# As in tests/real/runtime/live.sh.
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=66
export UCX_MEM_MMAP_HOOK_MODE=none UCX_MEM_EVENTS=no
seed=100

if [ "$stand_ins" = real ]; then
    [ -n "${LBRUN_DLB_LIB:-}" ] || { echo "no LBRUN_DLB_LIB: skipped"; exit 77; }
    good=$LBRUN_DLB_LIB
else
    good=$stand_ins/libdlb.so
fi

fail() {
    echo "FAILED: $*"
    cat out.txt err.txt
    failures=$((failures + 1))
}

# job WORDS LIBRARY LBRUN_OPTIONS... -- PROGRAM...: ends well, and reports a core manager of these words; it leaves
# nothing.
job() {
    words=$1 library=$2
    shift 2
    LBRUN_DLB_LIB=$library "$lbrun" "$@" >out.txt 2>err.txt &
    pid=$!
    wait $pid || fail "$*: exit code $?"
    grep -q "core manager $words\$" out.txt || fail "$*: core manager is not $words"
    nothing_left "$*"
}

nothing_left() {
    ! ls /dev/shm 2>/dev/null | grep -e "^lbrun-$(id -u)-$pid-" -e "^DLB_.*_lb$pid-" || fail "$*: segments are left"
}

# random LBRUN_OPTIONS...: the same results as a serial run
random() {
    seed=$((seed + 1))
    job dlb "$good" --cores-by dlb "$@" -- "$random" $seed 3
}

random --nodes 1 --cores 1 --degree 1 --system baseline
random --nodes 1 --cores 4 --degree 1 --system dlb --appranks-per-node 2 --param poll_s=0.01
random --nodes 2 --cores 4 --degree 2 --system global --param poll_s=0.02 --param period_s=0.05
random --nodes 3 --cores 4 --degree 3 --system local --param poll_s=0.01
random --nodes 2 --cores 8 --degree 2 --system global --appranks-per-node 2 --param poll_s=0.02 --param ownership=boundary
random --nodes 4 --cores 6 --degree 4 --system global --lewi off --param poll_s=0.05 --param period_s=0.1
random --nodes 2 --cores 48 --degree 2 --system local --drom off --param poll_s=0.02

job dlb "$good" --cores-by auto --nodes 4 --cores 8 --degree 3 --param poll_s=0.02 --param period_s=0.04 -- \
    "$synthetic" --iterations 10 --tasks-per-core 10 --task-ms 2 --imbalance 2
grep -q 'cores lent  *[1-9]' out.txt || fail "no core was lent"
grep -q 'ownership changes  *[1-9]' out.txt || fail "no core changed owner"
job builtin "$good" --nodes 2 --cores 4 --degree 2 -- "$synthetic" --iterations 2 --tasks-per-core 5 --task-ms 1

# A rank is killed somewhere in the job, perhaps with DLB's lock: the job ends, and nothing is left of it.
for delay_ms in 1 40 80 130 210 300 450 700; do
    rank=$(((delay_ms / 10 + 1) % 4))
    LBRUN_DLB_LIB=$good "$lbrun" --cores-by dlb --nodes 2 --cores 4 --degree 2 --param poll_s=0.01 -- \
        "$dies" $rank $delay_ms >out.txt 2>err.txt &
    pid=$!
    wait $pid
    nothing_left "rank $rank dies after $delay_ms ms"
done
[ "$stand_ins" != real ] || exit $((failures > 0))

# said WORDS: in one line, of each node
said() {
    [ "$(grep -c "^lbrun: node [01]: cores are managed by the built-in manager, not by DLB: .*$1" err.txt)" -eq 2 ] ||
        fail "not said: $1"
}

small() {
    words=$1 library=$2
    shift 2
    job "$words" "$library" --nodes 2 --cores 4 --degree 2 "$@" -- "$synthetic" --iterations 2 --tasks-per-core 5 --task-ms 1
}

small builtin "$stand_ins/none.so" --cores-by dlb
said 'LBRUN_DLB_LIB'
small builtin "$stand_ins/libdlb-intels.so" --cores-by auto
said 'is not the DLB of BSC'
LB_DLB_QUIRK=no-start-first small builtin "$good" --cores-by dlb
said 'does not start: DLB_ERR_PERM'
LD_PRELOAD=$good small dlb "$stand_ins/none.so" --cores-by dlb # a copy that is there comes first

LB_DLB_QUIRK=hang LBRUN_DLB_LIB=$good timeout 60 "$lbrun" --cores-by dlb --nodes 2 --cores 4 --degree 2 -- \
    "$synthetic" --iterations 2 --tasks-per-core 5 --task-ms 1 >out.txt 2>err.txt
code=$?
[ $code -ne 0 ] && [ $code -ne 124 ] || fail "DLB hangs: exit code $code"
grep -q 'DLB has not returned from a call for 10 s' err.txt || fail "DLB hangs: no hint"

"$lbrun" --cores-by brick --nodes 1 --cores 1 -- "$synthetic" >out.txt 2>err.txt
[ $? -eq 2 ] || fail "--cores-by brick: exit code"
grep -q "cores-by: .*found 'brick', allowed is one of builtin, dlb, auto" err.txt || fail "--cores-by brick: message"
[ "$failures" -eq 0 ]
