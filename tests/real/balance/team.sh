#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system dpb|dlb: CPUs move among the ranks of hybrid programs that nobody rewrote, whose regions
# have as many threads as they may, and whose results stay right. Decisions are decided again.
#
# team.sh MPI LBRUN LBSIM SOURCE gcc|clang    SOURCE: team.c
mpi=$1 lbrun=$2 lbsim=$3 source=$4 compiler=$5
. "$(dirname "$0")/hybrid.sh"
. "$(dirname "$0")/../../clang.sh"

if [ $compiler = clang ]; then
    find_clang -fopenmp
    compiler=$clang
    [ "$compiler" ] || { echo "no clang that has OpenMP"; exit 77; }
fi
team=$work/team
compile $compiler "$source" "$team"

# Loads 4 to 1 on 4 CPUs each: rank 0 gets more, rank 1 gives, whatever the program asks for.
for way in free asks; do
    balance dpb "$team" $way
    says 0 '[1-7]\.\.7'
    says 1 '[1-3]\.\.7'
    grep -q 'moving .* 4 4 = 1 [5-7] [1-3] ' "$work/log.0" || die "dpb $way moved no CPUs to rank 0"
done
# Nothing moves before iterations of equal parts were timed, from which lbsim predicts.
grep -q 'predicted .* by lbsim from the loads that were measured' "$work/out" ||
    die "dpb: no prediction of lbsim's"
# An iteration of another kind is timed with equal parts as well, before CPUs move again.
# Without the policy's undo, which may have equal parts by chance.
balance dpb --param dpb_undo=off "$team" free 80 20
grep -q 'iterations are others than before' "$work/out" || die "dpb: not timed again"
# The same where they change hands at once, in the middle of regions.
balance dpb --param dpb_when=asynchronous "$team" free
says 0 '[1-7]\.\.7'
grep -q 'moving .* 4 4 = 1 [5-7] [1-3] ' "$work/log.0" || die "dpb at once moved no CPUs to rank 0"
# Who creates tasks and is done before others have begun has a team as large as any.
OMP_WAIT_POLICY=passive balance dpb --param processors=fixed "$team" tasks
says 0 '4\.\.7'
says 1 '4\.\.7'
# Iterations of ranks that never meet are timed by their own calls.
balance dpb "$team" free 160 apart
says 0 '[1-7]\.\.7'
grep -q '"rounds": [1-9]' "$work/report" || die "dpb, apart: no rounds: $(cat "$work/report")"
grep -q 'predicted .* by lbsim from the loads that were measured' "$work/out" || die "dpb, apart: not timed"
# Where nothing times them in a short run, what ranks have measured themselves is enough; and what is too
# short even for that says so.
balance dpb "$team" free 40 apart
grep -q 'moving .* 4 4 = 1 [5-7] [1-3] ' "$work/log.0" || die "dpb, apart: a short run waited for rounds"
balance dpb "$team" free 3 apart
grep -q 'so nothing was tried: let it run for more' "$work/out" || die "dpb, too short: what is said"
# What rank 0 does alone now and then is no loss by balancing, and undoes nothing.
for try in 1 2 3; do # other work of the machine does
    timeout 300 "$lbrun" --system dpb --param node_cpus=4 --report "$work/report" -- $launch -n 2 "$team" writes 130 \
        >"$work/out" 2>&1 || die "dpb writes: exit code $?"
    grep -q '"undone": 0,' "$work/report" && break
    [ $try != 3 ] || die "dpb: undone though it gained"
done
grep -q '"changes": [1-9]' "$work/report" || die "dpb writes: nothing moved: $(cat "$work/report")"
# While rank 1 waits, rank 0 has its CPUs.
balance dlb "$team" parts
grep -q 'CPUs lent *[1-9][0-9]* times, [1-9]' "$work/out" || die "dlb lent no CPUs"
# Work that is divided by a number known before, or by a program that sets it itself, keeps its teams.
for system in dpb dlb; do
    balance $system "$team" fixed
    says 0 "$(first_of $system)"
    says 1 "$(first_of $system)"
    balance $system "$team" sets
    says 0 '3\.\.3'
    says 1 '3\.\.3'
    grep -q ' moving ' "$work/log.0" && die "$system decided for teams that can use no other CPU"
done
# No CPU beyond their own is of use to these.
grep -q 'CPUs lent' "$work/out" && die "dlb lent to teams that stay smaller than what they own"
# Teams whose threads have data of their own stay, and with them the data.
compile $compiler "$source" "$team-keeps" -DKEEPS
for system in dpb dlb auto; do
    balance $system "$team-keeps" keeps
    says 0 "$(first_of $system)"
    says 1 "$(first_of $system)"
done
# The same where each thread has something by its number, of as many as there were once.
for system in dpb dlb auto; do
    balance $system "$team" own
    says 0 "$(first_of $system)"
    says 1 "$(first_of $system)"
done
# What it would gain is simulated from what it does, and it gets the best; and nothing where nothing would.
balance auto "$team" free 160
grep -q 'auto: d[lp]b; predicted of iterations of .*: dlb [-+][0-9.]* %, dpb [-+][0-9.]* %, packing' "$work/out" ||
    die "auto chose nothing"
grep -q '"chosen": "d[lp]b"' "$work/report" || die "auto: $(cat "$work/report")"
says 0 '[1-7]\.\.[78]' # all 8 where the other lends
if [ $compiler = gcc ]; then
    balance auto "$team" free 280 apart
    grep -q '"chosen": "d[lp]b"' "$work/report" || die "auto, apart: $(cat "$work/report")"
    says 0 '[1-7]\.\.[78]'
fi
balance auto "$team" fixed 80
grep -q 'auto: nothing to gain' "$work/out" || die "auto chose something for fixed"
says 0 "$(first_of auto)"
# Packed, what does not stand another number of threads keeps its own. Threads sleep: the ranks share a CPU.
if [ "$(nproc)" -ge 2 ]; then
    for way in own fixed; do
        OMPI_MCA_hwloc_base_binding_policy=none timeout 300 "$lbrun" --system auto $free --param pack_tolerance=0.5 --report "$work/report" -- \
            $launch -n 2 "$team" $way 120 >"$work/out" 2>&1 || die "auto, packed $way: exit code $?"
        grep -q '"chosen": "packing"' "$work/report" || die "auto, packed $way: chosen is another"
        says 0 '\([0-9]*\)\.\.\1'
    done
fi
# That they would not stand another number is found when it is tried.
timeout 300 "$lbrun" doctor -- $launch -n 2 "$team" fixed >"$work/out" 2>&1 && die "doctor: fixed"
grep -q 'BAD *threads *with other numbers of threads .* ends with [1-9][0-9]*, else with 0' "$work/out" ||
    die "doctor: what is said of fixed"
# Nothing that was sized by an answer is too small, whoever asked, and when.
for system in dpb dlb; do
    for way in early procs counts; do
        balance $system "$team" $way
    done
    balance $system "$team" again 80
    balance $system "$team" once
    for way in single some reads; do
        OMP_NUM_THREADS=3 balance $system "$team" $way
        says 0 '[1-3]\.\.3'
    done
done
OMP_NUM_THREADS=3 balance dpb "$team" both
says 0 '[1-3]\.\.[4-7]'
# A user's own number is the most that a program is told.
OMP_NUM_THREADS=3 balance dpb "$team" asks
says 0 '[1-3]\.\.3'
# Nor does it use CPUs beyond a limit of its threads, of which no gain is predicted and nothing is moved.
OMP_THREAD_LIMIT=4 balance dpb "$team" free
[ "$(grep -c '"cpus": 4, "cpus_first": 4, "threads_max": 4,' "$work/report")" -eq 2 ] || die "dpb: a limit of threads: $(cat "$work/report")"
# Where it cannot begin, it goes on as it is, and its exit code is its own.
timeout 300 "$lbrun" --or-run --system dlb --param node_cpus=1 -- $launch -n 2 "$team" free 5 >"$work/out" 2>&1 ||
    die "--or-run: exit code $?"
grep -q 'not balanced: found 2 processes for 1 processors' "$work/out" || die "--or-run: what is said"
# Ranks that are bound beyond the CPUs of the line agree on those of their node.
if taskset -c 0 true && taskset -c 1 true; then
    timeout 300 taskset -c 0 "$lbrun" --system dlb --report "$work/report" -- $launch -n 1 taskset -c 0 "$team" free 5 : \
        -n 1 taskset -c 1 "$team" free 5 >"$work/out" 2>&1 || die "bound beyond: exit code $?"
fi
echo passed
