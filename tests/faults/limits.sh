#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# limits.sh BUILD MPI: limits that a job cannot live within are said at once, where MPI's launcher would
# wait for ever; a full disk is an error that is said, and no half a report is left. A program on a launch line that
# writes beyond the limit on files ends as without lbrun.
set -u
lbrun=$1/lbrun
program=$1/real/apps/synthetic-$2
failures=0

# try CODE TEXT WORD...: a shell's command before lbrun, and what comes of it
try() {
    code=$1 text=$2 before=$3
    shift 3
    said=$(timeout 60 "$@" bash -c "$before exec $lbrun --quiet --nodes 2 --cores 2 --degree 2 --report report.json -- $program --iterations 2 --tasks-per-core 5" 2>&1) # by a pipe, which has no limit
    found=$?
    if [ $found -ne "$code" ] || ! echo "$said" | grep -q "$text"; then
        echo "FAILED: $before exit code $found, not $code, or no '$text'"
        echo "$said"
        failures=$((failures + 1))
    fi
}

try 125 'open files are limited to 24 here, and this job needs' 'ulimit -n 24;' env
try 125 'bytes of a file are limited to 0 here' 'ulimit -f 0;' env
if [ "$(id -u)" != 0 ]; then
    try 125 'processes and threads are limited to 7 here' 'ulimit -u 7;' env
elif setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$program" 2>/dev/null; then
    mkdir -p nobody && chmod 777 nobody
    try 125 'processes and threads are limited to 7 here' 'cd nobody; ulimit -u 7;' setpriv --reuid 65534 --regid 65534 --clear-groups
fi
if unshare -m true 2>/dev/null; then
    mkdir -p full
    try 1 "report.json': No space left on device" 'mount -t tmpfs -o size=16k tmpfs full && cd full && head -c 16384 /dev/zero >all;' unshare -m
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# beyond WORD...: the exit code, after these words, of a rank that writes a larger file than it may
beyond() {
    (ulimit -f 16000 && timeout 60 "$@" "mpirun.$mpi" -n 1 sh -c 'head -c 20000000 /dev/zero >beyond' </dev/null >said 2>&1)
}
mpi=$2
beyond env
alone=$?
beyond "$lbrun" measure --out measured --
found=$?
if [ $alone -eq 0 ] || [ $found -ne $alone ]; then
    echo "FAILED: a file beyond the limit: exit code $found, $alone without lbrun"
    cat said
    failures=$((failures + 1))
fi
rm -rf beyond measured said
[ -e full/report.json ] && failures=$((failures + 1))
[ $failures -eq 0 ] && echo "all held"
exit $failures
