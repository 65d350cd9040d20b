#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun advise: a program as it is, measured and advised in one go; and what there is of it without a program.
# Usage: advise.sh MPI LBRUN LBSIM BURN
set -u
mpi=$1 lbrun=$2 lbsim=$3 burn=$4
. "$(dirname "$0")/../job.sh"
unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM # lbrun allows it, as where it balances
set_launch

# Ranks that sleep 1:2 have imbalance 4/3 (a load that waits for nobody is load), and the answer is a page, too.
rm -rf m
timeout 120 "$lbrun" advise --out m -- $launch -n 2 "$burn" 0.2 3 sleep >out.txt 2>err.txt
[ $? -eq 0 ] || fail "exit code"
grep -q '^Imbalance 1\.3[0-9] (max/avg)' out.txt || fail "no verdict: $(cat out.txt)"
grep -q '^2 ranks of 1 thread on 1 node (lbrun measure):' out.txt || fail "not what was measured: $(cat out.txt)"
grep -q '^Next: lbsim gain m ' out.txt || grep -q '^No prediction: ' out.txt || fail "nothing next: $(cat out.txt)"
[ "$(ls m | grep -v windows.csv | tr '\n' ' ')" = 'advice.html loads.csv measured.json talp.json ' ] || fail "left in m: $(ls m)"
grep -q '</html>' m/advice.html || fail "half a page"

# Later, without the program.
"$lbsim" gain m --quiet >again.txt || fail "lbsim gain"
cmp -s out.txt again.txt || fail "another answer later: $(diff out.txt again.txt)"

# The program's exit code passes; what is there already is not touched, nor advised on as if it were new.
rm -rf code
timeout 120 "$lbrun" advise --out code -- $launch -n 2 "$burn" 0.01 2 code >out.txt 2>err.txt
[ $? -eq 3 ] && [ -e code/measured.json ] || fail "exit code 3 does not pass"
cp m/advice.html before.html
timeout 120 "$lbrun" advise --out m -- $launch -n 2 "$burn" 0.01 2 >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'has a measurement already' err.txt || fail "a measurement was there"
[ ! -s out.txt ] && cmp -s before.html m/advice.html || fail "advice on what was not measured now"

# Without a name for it, each has a folder of its own.
rm -rf measured measured-2
for folder in measured measured-2; do
    timeout 120 "$lbrun" advise -- $launch -n 2 "$burn" 0.01 2 >out.txt 2>err.txt
    [ $? -eq 0 ] && [ -e $folder/advice.html ] && grep -q "; in $folder: measured.json" err.txt || fail "no $folder: $(cat out.txt err.txt)"
done
[ ! -e measured-3 ] || fail "a third of two"

# What cannot be measured has no advice.
rm -rf none
timeout 120 "$lbrun" advise --out none -- $launch -n 2 sleep 0.2 >out.txt 2>err.txt
[ $? -eq 125 ] && grep -q 'no MPI call was seen' err.txt && [ ! -s out.txt ] || fail "true: $(cat out.txt err.txt)"
timeout 20 "$lbrun" advise --help >out.txt 2>err.txt && grep -q '^Usage: lbrun advise ' out.txt || fail "no help"
[ "$failures" -eq 0 ]
