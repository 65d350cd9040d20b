#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --virtual-cpus: cores that compute, in control groups that are gone at every end. Skipped
# (77) with lbrun's own line where control groups cannot be had.
#
# virtual_cpus.sh LBRUN PROGRAM PRODUCTS    PROGRAM: the synthetic example; PRODUCTS: the matrix products
lbrun=$1 program=$2 products=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

die() {
    echo "failed: $*"
    cat "$work"/err "$work"/out 2>/dev/null
    exit 1
}

# Groups of jobs whose lbrun was process $1.
groups() {
    find /sys/fs/cgroup -maxdepth 6 -type d -name "lbrun-*-$1-*" 2>/dev/null
}

# Are there some (-n), or none (-z), of process $2, within half a minute?
await() {
    tries=0
    while [ $tries -lt 300 ]; do
        test "$1" "$(groups "$2")" && return 0
        tries=$((tries + 1))
        sleep 0.1
    done
    return 1
}

two="--virtual --nodes 2 --cores 2 --degree 2 --virtual-cpus"

# What cannot be: one line, 2, and nothing is started.
$lbrun $two --param cpu_speed=0.999 --nodes 64 -- "$program" >"$work/out" 2>"$work/err"
code=$?
if grep -q "control group" "$work/err"; then
    cat "$work/err"
    exit 77
fi
[ $code = 2 ] || die "too fast: exit code $code"
grep -q "cpu_speed: found 0.999, allowed is at most" "$work/err" || die "too fast: what is said"
echo "localhost slots=2" >"$work/hosts"
$lbrun --hostfile "$work/hosts" --virtual-cpus -- "$program" >"$work/out" 2>"$work/err"
[ $? = 2 ] || die "host file: exit code"
grep -q "virtual-cpus: found nodes of a host file" "$work/err" || die "host file: what is said"

# A run. The shell's exec makes its number lbrun's.
sh -c 'echo $$ >"$0/pid"; exec "$@"' "$work" $lbrun $two --report "$work/report" -- "$program" \
    --spin --iterations 2 --tasks-per-core 4 --task-ms 10 >"$work/out" 2>"$work/err"
code=$?
if [ $code = 2 ] && grep -q "control groups with a quota cannot be" "$work/err"; then
    cat "$work/err"
    exit 77
fi
[ $code = 0 ] || die "a run: exit code $code"
grep -q '"virtual_cpus": { "speed": 0\.[0-9]' "$work/report" || die "no speed in the report"
grep -q '"valid": ' "$work/report" || die "no validity in the report"
grep -q '"periods": [1-9]' "$work/report" || die "nobody was in a group"
grep -q "speed of virtual CPUs" "$work/out" || die "no speed in the table"
[ -z "$(groups "$(cat "$work/pid")")" ] || die "groups are left after a run"

# Tasks far shorter than a quota end before it is used up, and take what they would on a CPU as slow as that: even
# work takes about its bound. A machine with other work has longer iterations, so the best of three.
even=no
for run in 1 2 3; do
    $lbrun --virtual --nodes 2 --cores 2 --virtual-cpus --system baseline --report "$work/report" -- "$products" --size 100 \
        --tasks 400,400 --iterations 5 >"$work/out" 2>"$work/err" || die "short tasks: exit code $?"
    awk '/"ratio_to_optimal"/ { ratio = $2 + 0 } END { exit !(ratio > 0.9 && ratio < 1.5) }' "$work/report" && even=yes
    [ $even = no ] || break
done
[ $even = yes ] || die "short tasks: $(grep ratio_to_optimal "$work/report")"

# Killed: the janitor removes them when the ranks are gone.
$lbrun $two -- "$program" --spin --iterations 1000 --task-ms 10 >"$work/out" 2>"$work/err" &
pid=$!
await -n $pid || die "no groups while it runs"
sleep 1
kill -9 $pid
wait $pid 2>/dev/null
await -z $pid || die "groups are left after kill -9"
echo "passed"
