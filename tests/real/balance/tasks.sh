#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system ... of a program that hands out tasks, in which nothing repeats: nothing tells whether balancing is a
# loss. One that does so from the start is left as it is; one that comes to it after iterations goes back to how it ran,
# and is balanced again with the iterations that follow; a line says so.
# Usage: tasks.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work
# Slower iterations are no reason to undo: the machine may have other work.
keep="--param loss_part=1000"
lull='no iterations in [0-9.]* s: back to how the program ran before, until they come again'

needs_two_cpus
mpicc.$mpi -O1 -fopenmp "$source" -o "$work/tasks" || exit 1

# run LBRUN_OPTION... -- ARGUMENT...: the program, two ranks
run() {
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    timeout 120 "$lbrun" $options -- $launch -n 2 "$work/tasks" "$@" >"$work/out" 2>"$work/err" ||
        fail "$options: exit code $?"
    grep -q '^all came back$' "$work/out" || fail "$options: results"
}

# said PATTERN: on standard error
said() {
    grep -q "$1" "$work/err"
}

run --system dlb -- 12
said 'dlb: no iterations in 10 s: the ranks neither all met nor repeat their waits' || fail "what is said"
said 'threads *as the program has them' || fail "threads are not the program's"
said 'CPUs lent' && fail "CPUs were lent"

# Both ranks are on one CPU when the tasks come, then where they were at first, then on one again.
run --system packing $keep --param pack_tolerance=0.2 --param pack_confidence=0.5 -- 60 60 home
said "packing: $lull" || fail "packing: what is said"
said '^all at home$' || fail "packing: ranks are not where they were"
for when in before after; do
    places=$(sed -n "s/.*$when: rank [01], first CPU \([0-9]*\), .*/\1/p" "$work/err" | sort -u | wc -l)
    [ "$places" -eq 1 ] && said "$when: rank [01], .* moved" || fail "packing: ranks are on $places CPUs $when the tasks"
done

# The busy rank has a thread on the CPU of the one that waits, and again when iterations come again: all ranks lend then.
run --system dlb $keep -- 10 60
said "dlb: $lull" || fail "dlb: what is said"
for when in before after; do
    said "$when: rank 0, .* 2 threads" || fail "dlb: rank 0 has no second thread $when the tasks"
done

# Threads of a region stay on one CPU each, but for those that open regions within: their teams would all be there.
run --system dlb $keep -- 0 60 nested
said 'before: rank 0, .* 2 threads' || fail "dlb, nested: rank 0 has no second thread"
said 'before: rank 0, inner threads on up to 2 CPUs' || fail "dlb: threads of inner teams are all on one CPU"

# CPUs that changed owner are again whose they were at first: of eight that are not there, for threads that sleep.
run --system dlb $keep --param node_cpus=8 --param poll_s=0.2 --report "$work/report" -- 8 150 silent
said "dlb: $lull" || fail "dlb, owners: what is said"
grep -q '"changes": [1-9]' "$work/report" || fail "dlb, owners: no CPU changed owner"
said 'CPUs of the ranks *4 4; at first 4 4' || fail "dlb: CPUs are not whose they were"

# Threads that were moved among virtual CPUs come back.
timeout 120 "$lbrun" --system dpb --virtual-cpus --cores 4 $keep -- $launch -n 2 "$work/tasks" 10 200 >"$work/out" 2>"$work/err"
code=$?
if ! said 'control group'; then
    [ $code -eq 0 ] || fail "dpb: exit code $code"
    said "dpb: $lull" || fail "dpb: what is said"
fi
[ $failures -eq 0 ] || cat "$work/out" "$work/err"
exit $failures
