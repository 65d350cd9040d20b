#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A control group's memory is full, and Linux kills ranks: lbrun says why; the doctor knows of the limit.
# Needs the right to make a control group; 77 without. Usage: memory.sh LBRUN MATMUL
set -u
lbrun=$1 matmul=$2
. "$(dirname "$0")/../job.sh"
for root in /sys/fs/cgroup/memory:memory.limit_in_bytes /sys/fs/cgroup:memory.max; do
    group=${root%:*}/lbrun-test-$$
    file=$group/${root#*:}
    mkdir "$group" 2>/dev/null || continue
    echo 120M >"$file" 2>/dev/null && break
    rmdir "$group"
done
[ -e "$file" ] || { echo "skipped: no control group for memory can be made here"; exit 77; }
sh -c 'echo $$ >"$0/cgroup.procs"' "$group" 2>/dev/null || { rmdir "$group"; echo "skipped: no process can be moved into a group"; exit 77; }
echo 120M >"$group/memory.memsw.limit_in_bytes" 2>/dev/null || echo 0 >"$group/memory.swap.max" 2>/dev/null # no way out by swapping
trap 'for i in 1 2 3 4 5; do rmdir "$group" 2>/dev/null && break; sleep 1; done' EXIT

# limited COMMAND: in the group
limited() {
    timeout 100 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" </dev/null >out.txt 2>err.txt
}

limited "$lbrun" --nodes 2 --cores 1 --system local -- "$matmul" --size 2500 --tasks 4,4 --iterations 2
[ $? -eq 137 ] || fail "exit code of a job that is too large: $(tail -5 err.txt)"
grep -q "memory of the job's control group, 0.117 GiB with shared memory, was full" err.txt || fail "no reason"
limited "$lbrun" doctor
grep -q 'memory  .*limited to 0.117 GiB' out.txt || fail "the doctor does not see the limit: $(cat out.txt)"
"$lbrun" --nodes 2 --cores 1 --system local -- "$matmul" --size 50 --tasks 4,4 --iterations 2 >out.txt 2>err.txt || fail "without a limit"
! grep -q 'control group' err.txt || fail "named without cause"
exit $failures
