#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep that is stopped in any way continues where it was, and ends in the same results as one that was not.
. "$(dirname "$0")/cli.sh"
scenario "$slow" "$slow" >slow.json
same() {
    cmp "reference/$2" "$1/$2" || fail "$1/$2 differs from the reference"
}
# Wait until so many runs are in a directory's journal, at most half a minute.
wait_for_runs() {
    for _ in $(seq 1500); do
        [ "$(runs "$1")" -ge "$2" ] && return
        sleep 0.02
    done
    fail "nothing happens in $1"
}

# Results do not depend on the number of threads.
expect 0 '' "$lbsim" slow.json --quiet --out reference --jobs 1
expect 0 '' "$lbsim" slow.json --quiet --out threads --jobs 4
same threads results.csv
same threads summary.csv
expect 0 '' "$lbsim" slow.json --quiet --jobs 3 --format csv
cmp out.txt reference/results.csv || fail "--format csv is not results.csv"

# With everything done nothing is simulated again, and the files are written anew.
rm threads/results.csv
expect 0 '24 of 24 runs' "$lbsim" slow.json --out threads
same threads results.csv

# Nor where metrics are empty for a workload: tasks that wait for each other.
cat >chain.json <<END
{ "name": "chain", "platform": { "nodes": 2, "cores_per_node": 4 }, "graph": { "degree": 2 },
  "workload": { "model": "cholesky", "cholesky_size": 64, "cholesky_block": 16, "cholesky_matrices": 2, "iterations": 6 },
  "system": { "name": "global" }, "sweep": { "workload.imbalance": [1, 1.5] }, "replicates": 1, "seed": 1 }
END
expect 0 '' "$lbsim" chain.json --quiet --out chain
expect 0 'of 9 threads 2 are used, one for each run: a run is not divided' "$lbsim" chain.json --jobs 9 --format csv
cmp out.txt chain/results.csv || fail "9 threads for 2 runs: other results"
[ "$(runs chain)" -eq 2 ] || fail "$(runs chain) runs of tasks that wait for each other can be read again, expected 2"

# Killed without warning, in the middle of a run.
"$lbsim" slow.json --quiet --out killed --jobs 1 >/dev/null 2>&1 &
pid=$!
wait_for_runs killed 2
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[ -e killed/results.csv ] && fail "it was done before it was killed"
for command in show explain; do
    expect 2 "'killed' holds $(runs killed) of 24 runs of a sweep that is not finished, and no results yet: the command that began it goes" \
        "$lbsim" $command killed
done
for option in '--figure own' '--html page.html'; do
    # shellcheck disable=SC2086 # words
    expect 2 "'killed' holds $(runs killed) of 24 runs of a sweep that is not finished" "$lbsim" show killed $option
done
"$lbsim" slow.json --quiet --out precise --jobs 1 --set precision=0.0001 --set replicates_most=50 >/dev/null 2>&1 &
pid=$!
wait_for_runs precise 1
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect 2 "'precise' holds $(runs precise) of at most [0-9]* runs of a sweep that is not finished" "$lbsim" show precise
printf 'LBj2\003' >>killed/runs.journal
expect 0 'of 24 runs' "$lbsim" slow.json --out killed
same killed results.csv
same killed summary.csv
[ "$(runs killed)" -eq 24 ] || fail "$(runs killed) runs in the journal, expected 24"

# A second process is kept out of a directory in use.
"$lbsim" slow.json --quiet --out shared --jobs 1 >/dev/null 2>&1 &
pid=$!
wait_for_runs shared 1
expect 1 'in use' "$lbsim" slow.json --out shared
wait $pid || fail "the first process was disturbed"
same shared results.csv

# Ctrl-C (or SIGTERM) keeps what is finished, says so, and writes it out. (SIGINT is ignored in the background of a
# shell without job control, so that SIGTERM stands for both.)
"$lbsim" slow.json --out stopped --jobs 1 >stopped.txt 2>stopped.err &
pid=$!
wait_for_runs stopped 3
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 130 ] || fail "exit code $code after an interruption, expected 130"
grep -q 'interrupted with [0-9]* of 24 runs' stopped.err || fail "no word of the interruption"
[ ! -e stopped/results.csv ] || fail "results.csv does not say that it is incomplete"
grep -q '"complete": false' stopped/results.partial.json || fail "results.partial.json says that it is complete"
grep -q '^# incomplete: [0-9]* of 24 runs$' stopped.txt || fail "what is printed does not say that it is incomplete"
expect 0 'is of a sweep that is not finished' "$lbsim" show stopped
expect 0 'is of a sweep that is not finished' "$lbsim" explain stopped
grep -q '^slow: \|^tiny: ' out.txt || fail "what is finished is not explained: $(cat out.txt)"
rows=$(($(wc -l <stopped/results.partial.csv) - 1))
expect 0 "'stopped/results.partial.csv' is of a sweep that is not finished: $rows of 24 runs$" "$lbsim" show stopped
expect 2 "'stopped' has $rows of 24 runs: a figure is of a finished sweep; the command" "$lbsim" show stopped --figure own
expect 0 'is of a sweep that is not finished' "$lbsim" show stopped --html stopped.html
grep -q "Not finished: this page is of $rows of 24 runs" stopped.html || fail "the page does not say that it is of a part"
[ $rows -ge 3 ] && [ $rows -lt 24 ] || fail "$rows rows after an interruption"
[ "$(runs stopped)" -eq $rows ] || fail "results.partial.csv does not hold what is finished"
tail -n +2 stopped/results.partial.csv | while read -r row; do
    grep -qxF "$row" reference/results.csv || echo "$row"
done >strange.txt
[ -s strange.txt ] && fail "rows after an interruption that are not in the reference"

# Killed as it goes on: what is shown is what was written before, and of more runs where more are asked for.
"$lbsim" slow.json --quiet --out stopped --jobs 1 --set replicates=3 >/dev/null 2>&1 &
pid=$!
wait_for_runs stopped $((rows + 1))
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[ ! -e stopped/results.csv ] || fail "it was done before it was killed"
expect 0 "is of a sweep that is not finished: $rows of 36 runs; $(runs stopped) are done, and the same sweep writes all$" \
    "$lbsim" show stopped
expect 0 . "$lbsim" slow.json --out stopped
same stopped results.csv
[ ! -e stopped/results.partial.csv ] || fail "results.partial.csv is still there"

# More replicates add to those that are there.
expect 0 '24 of 36 runs' "$lbsim" slow.json --out threads --set replicates=3
expect 0 '' "$lbsim" slow.json --quiet --out reference3 --set replicates=3
cmp threads/results.csv reference3/results.csv || fail "added replicates differ from those of one sweep"
finish
