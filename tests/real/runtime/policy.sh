#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A policy from a shared object decides in a real job, and decides the same again in lbsim. Tasks are executed as
# if serially. Usage: policy.sh LBRUN LBSIM GRAPHS POLICY.so WRONG.so MAGIC.so...
set -u
lbrun=$1 lbsim=$2 graphs=$3 plugin=$4 wrong=$5
shift 5
. "$(dirname "$0")/../job.sh"

# expect CODE WORDS COMMAND...: WORDS are in what it prints.
expect() {
    wanted=$1 words=$2
    shift 2
    timeout 120 "$@" >out.txt 2>&1
    code=$?
    if [ $code -ne "$wanted" ] || ! grep -q -e "$words" out.txt; then
        echo "FAILED: $*: exit code $code, expected $wanted and '$words'"
        failures=$((failures + 1))
        cat out.txt
    fi
}

rm -f decisions.*
expect 0 'as if serial' "$lbrun" --quiet --policy "$plugin" --nodes 2 --cores 4 --degree 2 --param poll_s=0.01 \
    --param latest_floor_cores=0.25 --decisions decisions -- "$graphs" 3 8
expect 0 '^latest  *allocation .* 0$' "$lbsim" --policy "$plugin" replay decisions
expect 2 'no allocation policy "latest"' "$lbsim" replay decisions
expect 0 'as if serial' "$lbrun" --quiet --policy "$plugin" --system local --nodes 2 --cores 4 --degree 2 -- "$graphs" 4 4
expect 2 "found 'latest', allowed is one of" "$lbrun" --system latest --nodes 2 --cores 4 -- "$graphs"
expect 2 '-policy: .*cannot be found' "$lbrun" --policy none.so --nodes 2 --cores 4 -- "$graphs"
expect 2 '-policy: .*cannot be loaded' "$lbrun" --policy "$0" --nodes 2 --cores 4 -- "$graphs"
expect 2 "policy '.*' crashed in dlopen(): aborted" env WRONG_LOADED=1 "$lbrun" --policy "$wrong" --nodes 2 --cores 4 -- "$graphs"
expect 2 "policy '.*' ended the program in dlopen(): exit()" env WRONG_LOADED=exit "$lbrun" --policy "$wrong" --nodes 2 --cores 4 -- "$graphs"
expect 2 "policy '.*' ended the program in dlopen(): exit()" env WRONG_LOADED=exit "$lbsim" contest "$wrong"
expect 2 "--policy: policy '.*' has not returned from dlopen() for 0.5 s, the limit of --hung-s" env WRONG_LOADED=hang "$lbrun" --policy "$wrong" \
    --hung-s 0.5 --nodes 2 --cores 4 -- "$graphs"
expect 2 "policy '.*' has not returned from dlopen() for 0.5 s, the limit of --hung-s" env WRONG_LOADED=hang "$lbsim" --policy "$wrong" \
    any.json --hung-s=0.5

# What cannot be decided ends the job, and is said.
for how in cores:'cores are given out' no_core:'is given 0 cores' place:'goes to place 2, there are 2' \
    borrower:'borrows, there are 2' action:'lending action 77' reclaimed:'-5 cores are reclaimed' \
    refill:'takes -1 held tasks' start:'does not start'; do
    expect 1 "${how#*:}" "$lbrun" --quiet --policy "$wrong" --nodes 2 --cores 4 --degree 2 --param poll_s=0.01 \
        --param "wrong=${how%%:*}" -- "$graphs" 3 8
done

# Of cores that a policy lends and never takes back the main program has one again, which does all, as in lbsim.
expect 0 'as if serial' "$lbrun" --quiet --policy "$wrong" --nodes 2 --cores 4 --degree 2 --param poll_s=0.01 \
    --param wrong=only_lend -- "$graphs" 3 8

# One that holds all tasks for ever is named, once a rank; the job goes on waiting, and is ended from outside.
timeout 120 "$lbrun" --quiet --policy "$wrong" --nodes 2 --cores 4 --degree 2 --param poll_s=0.01 --param wrong=hold \
    --hung-s 5 -- "$graphs" 3 8 >out.txt 2>&1 &
job=$!
look=0
while [ $look -lt 600 ] && kill -0 $job 2>/dev/null && ! grep -q "policy 'wrong' has held all [0-9]* tasks" out.txt; do
    sleep 0.2
    look=$((look + 1))
done
kill -0 $job 2>/dev/null || echo "the job ended by itself" >>out.txt
kill -TERM $job
wait $job
if ! grep -q "rank [0-9]* .*: policy 'wrong' has held all [0-9]* tasks that are left for 5 s" out.txt || grep -q 'by itself' out.txt; then
    echo "FAILED: a policy that holds all tasks for ever"
    failures=$((failures + 1))
    cat out.txt
fi

# Parameters may be called anything, as in lbsim.
magically() {
    code=$1 words=$2 file=$3
    shift 3
    expect "$code" "$words" "$lbrun" --quiet --policy "$file" --nodes 2 --cores 4 --degree 2 \
        --param runtime.poll_s=0.01 "$@" -- "$graphs" 3 8
}
for magic; do
    magically 0 'as if serial' "$magic"
done
magically 1 'found period_s of value 3.5' "$1" --param magic_period_s=3.5
magically 0 'as if serial' "$1" --param magic_period_s=3.5 --param but=2
magically 0 'as if serial' "$2" --param magic_partition_nodes=off --param but=4
magically 0 'as if serial' "$3" --param magic_solver=lp --param but=3
magically 0 'as if serial' "$3" --param system.poll_s=red --param but=14
magically 2 'found .poll_s., allowed is system.poll_s or runtime.poll_s' "$3" --param poll_s=red
[ $failures -eq 0 ] && echo "all as expected"
