#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whoever hangs or crashes a job is named: policies, with function and worker, and tasks, with their code and the
# address; --check finds what tasks touch and do not say. Usage: guard.sh LBRUN SYNTHETIC STUCK.so ACCESSES
set -u
lbrun=$1 synthetic=$2 stuck=$3 accesses=$4
. "$(dirname "$0")/../job.sh"

# expect CODE WORDS COMMAND...: CODE may be "fails"; WORDS are in what it says.
expect() {
    wanted=$1 words=$2
    shift 2
    timeout 60 "$@" >out.txt 2>err.txt
    code=$?
    [ "$wanted" = fails ] && [ $code -ne 0 ] && [ $code -ne 124 ] && wanted=$code
    if [ $code -ne "$wanted" ] || ! grep -q -e "$words" err.txt; then
        echo "FAILED: $*: exit code $code, expected $wanted and '$words'"
        failures=$((failures + 1))
        cat err.txt
    fi
}

policy() { # CODE WORDS WAY
    expect "$1" "$2" "$lbrun" --policy "$stuck" --param "stuck=$3" --param policy_s=3 --param poll_s=0.05 --nodes 2 --cores 2 \
        --degree 2 -- "$synthetic" --iterations 1000 --tasks-per-core 4 --task-ms 2
}
policy 1 "worker [0-3]: policy 'stuck' has not returned from decide() for 3 s" decide
grep -q "worker [0-3]: policy 'stuck' has not returned from decide() for 1 s" err.txt || {
    echo "FAILED: no note before the end"
    failures=$((failures + 1))
}
policy 1 "worker [0-3]: policy 'stuck' has not returned from init() for 3 s" start
policy 1 "worker [0-3]: policy 'stuck' has not returned from place() for 3 s" place
policy 139 "worker [0-3]: policy 'stuck' crashed in decide(): Segmentation fault at address (nil)" crash
policy 139 "worker [0-3]: policy 'stuck' crashed in place(): Segmentation fault" place_crash
policy 1 "policy 'stuck' ended the program in decide()" leave

run="$lbrun --nodes 2 --cores 3 --degree 2 --system local"
expect 139 'helper, node [01]): task uses_private() (.*+0x[0-9a-f]*) crashed: signal 11, .* at address 0x[0-9a-f]*, outside lbrun_alloc memory' \
    $run -- "$accesses" private
expect 139 'task overflows() (.*+0x[0-9a-f]*) crashed: signal 11, Segmentation fault, at address' $run -- "$accesses" overflows
expect 0 '' $run -- "$accesses" right
expect 0 '' $run -- "$accesses" weak

# One task at a time, on every place in turn; a wrong one is named with the address and the block.
for how in right nested weak weak-reduces; do
    expect 0 '' $run --check -- "$accesses" $how
done
expect 139 "--check: task writes_in() .* writes address 0x[0-9a-f]*, .* as one that it writes: byte 5000 of the [0-9]* bytes that lbrun_alloc() gave at" \
    $run --check -- "$accesses" writes-in
expect 139 "--check: task forgets_read() .* reads address 0x[0-9a-f]*, which is not among its accesses: byte 5000 of" \
    $run --check -- "$accesses" forgets-read
expect 139 "--check: task forgets_write() .* writes address 0x[0-9a-f]*, .*: byte 5000 of" $run --check -- "$accesses" forgets-write
expect 139 "--check: task forgets_wait() .* address 0x[0-9a-f]*, which is not among its accesses" $run --check -- "$accesses" forgets-wait
expect 1 "--check: task writes_beside() .* has written address 0x[0-9a-f]*, which is not among its accesses: byte [0-9]* of the" \
    $run --check -- "$accesses" writes-beside
expect 139 'helper, node [01]): task uses_private() .* outside lbrun_alloc memory' $run --check -- "$accesses" private
[ $failures -eq 0 ]
