#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system packing of a program as it is: CPUs are freed, results and exit codes are the program's, decisions
# replay, what cannot be packed is said before it starts, and nothing is left behind. Times are not looked at.
# Usage: packing.sh MPI LBRUN LBSIM LOADS SOURCE_DIR
set -u
mpi=$1 lbrun=$2 lbsim=$3 loads=$4 source=$5
. "$(dirname "$0")/../job.sh"
set_launch

# pack EXPECTED_CODE WORD...
pack() {
    expected=$1
    shift
    rm -f decisions.* report.json
    timeout 120 "$lbrun" --system packing --decisions decisions --report report.json "$@" >out.txt 2>err.txt
    code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code, expected $expected"
    left=$(find . -name '.lbrun-*')
    [ -z "$left" ] || fail "$*: left $left"
}

# holds CLAIM: in Python, of the report r
holds() {
    python3 -c 'import json, sys; r = json.load(open("report.json")); sys.exit(not eval(sys.argv[1]))' "$1" ||
        fail "does not hold: $1: $(cat report.json)"
}

needs_two_cpus

# Two ranks of which one has little to do: one CPU is freed, the sum is the same to the last bit.
timeout 120 $launch -n 2 "$loads" rest+sub 30 0.02 1 0.05 >plain.txt 2>err.txt || fail "plain"
pack 0 $free --compare -- $launch -n 2 "$loads" rest+sub 30 0.02 1 0.05
grep -q 'simulated [0-9.]* s, live [0-9.]* s, difference [-+][0-9.]* %, an iteration' err.txt || fail "what --compare says"
cmp -s plain.txt out.txt || fail "results differ: $(cat plain.txt out.txt)"
holds 'r["changes"] >= 1 and r["freed"] == 1 and r["balanced_s"] > 0 and r["predicted_s"] > 0 and r["predicted_cpus"] == 1'
holds 'r["statistic"] == "median"'
grep -q '^  iterations (median)  *[0-9.]* s balanced, [0-9.]* s before' err.txt || fail "what is said of times"
grep -q 'CPUs freed *1 at the end' err.txt || fail "what is said of freed CPUs"
"$lbsim" replay decisions >replay.txt 2>&1 || fail "replay: $(cat replay.txt)"
grep -q 'subset-sum *packing *1 ' replay.txt || fail "replay: $(cat replay.txt)"

# It is free until the end, not until the last round alone.
pack 0 $free -- $launch -n 2 "$loads" rest+tail 30 0.02 1 0.05
holds 'r["freed"] == 1 and r["freed_cpu_s"] >= 1'

# The freed CPU has a second job and is in a file, which says in the end that none is.
pack 0 $free --freed-cpus freed --fill 'echo filled; for i in 1 2 3 4 5 6 7 8; do [ -s freed ] && cp freed seen; sleep 0.1; done' \
    -- $launch -n 2 "$loads" rest 60 0.02 1 0.05
grep -q filled out.txt || fail "the second job did not run: $(cat out.txt)"
grep -q "$(hostname) [0-9]" seen || fail "freed CPUs: $(cat seen)"
[ -s freed ] && fail "freed CPUs at the end: $(cat freed)"

# So many calls that they pass for most rounds; a CPU is freed by those that are left, or none by the first few.
timeout 120 $launch -n 2 "$loads" rest+chat 80 0.01 1 0.05 >plain.txt 2>err.txt || fail "plain, many calls"
for part in 0.1 0; do
    pack 0 $free --param look_part=$part -- $launch -n 2 "$loads" rest+chat 80 0.01 1 0.05
    cmp -s plain.txt out.txt || fail "look_part=$part: results differ: $(cat plain.txt out.txt)"
    [ $part = 0 ] || holds 'r["changes"] >= 1 and r["freed"] == 1'
done

# What cannot be is said before the program starts.
refused() {
    pattern=$1
    shift
    timeout 120 "$lbrun" "$@" -- $launch -n 2 "$loads" rest 60 0.02 1 0.05 >out.txt 2>err.txt
    code=$?
    [ $code -eq 2 ] && [ ! -s out.txt ] && grep -q -e "$pattern" err.txt || fail "$*: exit code $code, expected 2 and $pattern"
}
refused "fill: program 'no-such' is not found on PATH" --system packing --fill 'no-such -x'
refused "fill: '(' is no command that sh can read" --system packing --fill '('
refused 'fill: system dpb frees no CPUs, allowed are packing and auto' --system dpb --fill true
refused "freed-cpus: cannot write '/proc/x': No such file" --system packing --freed-cpus /proc/x
refused "report: cannot write '.*/none/r': No such file" --system packing --report none/r
refused "out: cannot make directory '/proc/x': No such file" measure --out /proc/x

# A system is chosen by what lbsim makes of the measured loads: packing here; and none where none gains.
auto() {
    rm -f decisions.* report.json
    timeout 120 "$lbrun" --system auto --decisions decisions --report report.json "$@" >out.txt 2>err.txt ||
        fail "auto $*: exit code $?"
}
timeout 120 $launch -n 2 "$loads" rest+sub 120 0.02 1 0.05 >plain.txt 2>err.txt || fail "plain"
auto $free -- $launch -n 2 "$loads" rest+sub 120 0.02 1 0.05
grep -q 'auto: packing; predicted' err.txt || fail "auto chose no packing"
cmp -s plain.txt out.txt || fail "auto: results differ: $(cat plain.txt out.txt)"
holds 'r["chosen"] == "packing" and r["changes"] >= 1 and r["predicted_s"] > 0'
"$lbsim" replay decisions >replay.txt 2>&1 || fail "replay: $(cat replay.txt)"
auto -- $launch -n 2 "$loads" rest 60 0.02 1 0.5
grep -q 'auto: nothing to gain, left as it is: .* are in no OpenMP regions, and take all CPUs' err.txt || fail "auto chose something"
holds 'r["changes"] == 0 and "chosen" not in r'

# Loads change place: they are packed again.
pack 0 $free -- $launch -n 2 "$loads" rest+swap 60 0.02 1 0.05
holds 'r["changes"] >= 1 and r["undone"] == 0'

# They come to other calls: what was packed is measured, and packed, anew.
pack 0 $free -- $launch -n 2 "$loads" rest+phases 120 0.02 1 0.05
holds 'r["changes"] >= 3 and r["undone"] == 0'

# Nothing repeats: no time of an iteration is told.
pack 0 $free --compare -- $launch -n 2 "$loads" rest+mixed 60 0.02 1 0.05
holds 'r["balanced_s"] is None and r["unbalanced_s"] is None and r["predicted_s"] is None'
grep -q 'iterations .*: the collective calls do not repeat' err.txt || fail "mixed: what is said"

# In Fortran, and in Python where mpi4py is of this MPI.
for way in MODULE MODULE_08; do
    command -v mpifort.$mpi >/dev/null && command -v gfortran >/dev/null || break
    mpifort.$mpi -O1 -D$way "$source/tests/real/balance/loads.F90" -o loads-$way || exit 1
    timeout 120 $launch -n 2 ./loads-$way >plain.txt 2>err.txt || fail "plain $way"
    pack 0 $free -- $launch -n 2 ./loads-$way
    cmp -s plain.txt out.txt || fail "$way: results differ: $(cat plain.txt out.txt)"
    holds 'r["changes"] >= 1'
done
cat >loads.py <<'END'
from array import array
from mpi4py import MPI
import time
world, total, got = MPI.COMM_WORLD, 0.0, array("d", [0])
for step in range(40):
    time.sleep(0.001 if world.rank else 0.02)
    world.Allreduce(array("d", [1 / (1 + world.rank + step)]), got)
    total += got[0]
if world.rank == 0:
    print(total.hex())
END
python=/usr/bin/python3
vendor=$($python -c 'from mpi4py import MPI; print(MPI.get_vendor()[0])' 2>/dev/null)
if { [ "$vendor" = "Open MPI" ] && [ $mpi = openmpi ]; } || { [ "$vendor" = MPICH ] && [ $mpi = mpich ]; }; then
    timeout 120 $launch -n 2 $python loads.py >plain.txt 2>err.txt || fail "plain Python"
    pack 0 $free -- $launch -n 2 $python loads.py
    cmp -s plain.txt out.txt || fail "Python: results differ: $(cat plain.txt out.txt)"
    holds 'r["changes"] >= 1'
fi

# Two virtual nodes of three and two virtual CPUs that compute: each node decides for itself, and their logs replay.
pack 0 $free --nodes 2 --virtual-cpus --cores 3 -- $launch -n 5 "$loads" burn 12 0.005 8 0.5 0.5 1 || true
if grep -q "control group" err.txt; then
    failures=$((failures - 1))
else
    holds 'len(r["nodes"]) == 2 and [n["ranks"] for n in r["nodes"]] == [3, 2] and r["changes"] >= 1'
    holds '[n["freed"] for n in r["nodes"]] == [2, 1]' # by the bound of the whole job
    "$lbsim" replay decisions >replay.txt 2>&1 || fail "replay: $(cat replay.txt)"
    grep -q 'subset-sum *packing *2 ' replay.txt || fail "replay of two nodes: $(cat replay.txt)"
fi

# Ranks that do not meet are timed by their own steps; where they meet in the middle, by their meetings again.
timeout 120 $launch -n 2 "$loads" rest+turns 300 0 1 0.05 >plain.txt 2>err.txt || fail "plain, turns"
pack 0 $free -- $launch -n 2 "$loads" rest+turns 300 0.02 1 0.05
cmp -s plain.txt out.txt || fail "turns: results differ: $(cat plain.txt out.txt)"
holds 'r["meetings"] >= 100 and r["rounds"] >= 20 and r["changes"] >= 1 and r["freed_cpu_s"] > 0 and r["predicted_s"] > 0'
"$lbsim" replay decisions >replay.txt 2>&1 || fail "replay: $(cat replay.txt)"
# The same on two nodes, whose ranks share no memory.
pack 0 $free --nodes 2 --virtual-cpus --cores 3 -- $launch -n 5 "$loads" rest+apart 200 0.02 1 0.05 0.05 0.05 1 || true
if grep -q "control group" err.txt; then
    failures=$((failures - 1))
else
    holds 'r["meetings"] == 0 and r["rounds"] >= 3 and r["changes"] >= 1 and all(n["freed_cpu_s"] > 0 for n in r["nodes"])'
fi

# Nothing to do: both have the same.
pack 0 $free -- $launch -n 2 "$loads" rest 12 0.02 1
holds 'r["changes"] == 0 and r["freed"] == 0'

# Nothing can be measured in so short a time: why is said, and the program is as it was.
timeout 120 $launch -n 2 "$loads" rest+apart 30 0.01 1 0.05 >plain.txt 2>err.txt || fail "plain, apart"
for system in packing auto dpb dlb; do
    timeout 120 "$lbrun" --system $system --report report.json -- $launch -n 2 "$loads" rest+apart 30 0.01 1 0.05 >out.txt 2>err.txt ||
        fail "$system, apart: exit code $?"
    cmp -s plain.txt out.txt || fail "$system, apart: results differ"
    grep -q 'iterations *none measured: the ranks never all met' err.txt || fail "$system, apart: why nothing was measured"
    holds 'r["meetings"] == 0 and r["rounds"] == 0 and r["changes"] == 0'
done
pack 0 $free -- $launch -n 2 "$loads" rest 1 0.01 1 0.05 # it has MPI_Comm_split(), too
grep -q 'iterations *none measured: the ranks all met in 2 collective calls only' err.txt || fail "one step: why nothing was measured"
holds 'r["meetings"] == 2 and r["changes"] == 0'

# Exit codes pass, and one that was killed hangs nobody.
pack 3 $free -- $launch -n 2 "$loads" rest+code 4 0.01 1
pack 3 $free -- $launch -n 2 "$loads" rest+abort 12 0.02 1 0.05
pack 7 $free -- $launch -n 2 "$loads" rest+leave 12 0.02 1 0.05

# What cannot be packed ends before it begins, or runs as it is.
many=$(($(nproc) + 1))
pack 2 -- $launch -n $many "$loads" rest 4 0.01 1
grep -q "found $many ranks on $(nproc) CPUs of a node" err.txt || fail "more ranks than CPUs"
grep -q sum out.txt && fail "it ran: $(cat out.txt)"
pack 0 --or-run -- $launch -n $many "$loads" rest 4 0.01 1
grep -q sum out.txt || fail "it did not run"
grep -q "not balanced: found $many ranks" err.txt || fail "more ranks than CPUs, run all the same"
pack 2 -- $launch -n 1 "$loads" rest 4 0.01 1
grep -q "found a program of one rank" err.txt || fail "one rank"
if [ $mpi = openmpi ]; then # which itself gets by with so few files
    timeout 120 "$lbrun" --system dlb -- $launch -n 2 sh -c "ulimit -n 20; exec '$loads' rest 4 0.01 1" >out.txt 2>err.txt
    [ $? -eq 2 ] && grep -q 'lbrun: error: .*: Too many open files' err.txt || fail "why it could not open a file"
    grep -q 'CPUs freed' err.txt && fail "a report of what was not balanced"
fi
# MPICH's mpirun may die of SIGPIPE where a program is over before its proxies have met, with or without lbrun.
pack 125 -- $launch -n 2 sleep 0.2
grep -q "no rank could be balanced" err.txt || fail "no MPI"
# An interpreter's MPI comes late: here it is the other one.
other=openmpi
[ "$mpi" = openmpi ] && other=mpich
if command -v mpicc.$other >/dev/null; then
    cat >module.c <<'END'
#include <mpi.h>
void run(void);
void run(void)
{
    MPI_Init(0, 0);
    MPI_Finalize();
}
END
    cat >late.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *module = dlopen("./module.so", RTLD_NOW);
    void (*run)(void) = module ? (void (*)(void))dlsym(module, "run") : 0;
    if (!run)
        return 3;
    run();
    return 0;
}
END
    mpicc.$other -shared -fPIC module.c -o module.so && cc late.c -o late -ldl || exit 1
    pack 125 -- $launch -n 2 ./late
    grep -q "late' is built with .*, its launcher is that of .*: each rank would run alone" err.txt || fail "the other MPI comes late"
fi
echo 'int main(void) { return 0; }' >static.c
if cc -static static.c -o static 2>/dev/null; then
    pack 2 -- $launch -n 2 ./static
    grep -q "static' is linked statically" err.txt || fail "linked statically"
    pack 0 --or-run -- $launch -n 2 ./static
    grep -q "not balanced: " err.txt || fail "linked statically, run all the same"
fi
pack 2 -- "$loads" rest 4 0.01 1
grep -q "is no launcher" err.txt || fail "no launcher"
pack 2 --degree 2 -- $launch -n 2 "$loads" rest 4 0.01 1
grep -q -e "--degree is for programs that are linked" err.txt || fail "an option of other programs"
pack 2 --param pack_unit=3 -- $launch -n 2 "$loads" rest 4 0.01 1
grep -q "unknown parameter 'pack_unit'" err.txt || fail "an unknown parameter"
timeout 60 "$lbrun" --system global -- $launch -n 2 "$loads" rest 4 0.01 1 >out.txt 2>err.txt
[ $? -eq 2 ] || fail "another system"
mkdir alone && cp "$lbrun" alone && ln -s "$(dirname "$lbrun")/lib" alone/lib
PATH=/usr/bin:/bin timeout 60 alone/lbrun --system auto -- $launch -n 2 "$loads" rest 4 0.01 1 >out.txt 2>err.txt
[ $? -eq 2 ] || fail "auto without lbsim"
grep -q "system auto simulates what it measures: .*lbsim" err.txt || fail "auto without lbsim"
rm -rf alone

# Interrupted it leaves none of the files that its ranks had in /dev/shm.
leaves_no_files --system packing -- $launch -n 2 "$loads" burn 2000 0.02 1 0.05

[ $failures -eq 0 ]
