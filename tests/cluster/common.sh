# SPDX-License-Identifier: BSD-3-Clause
# For the tests that cluster.py runs: words for a cluster's nodes. Needs BUILD and MPI.
here=$(cd "$(dirname "$0")" && pwd)
lbrun=$BUILD/lbrun
synthetic=$BUILD/real/apps/synthetic-$MPI
plain=$BUILD/real/apps/synthetic-plain-$MPI
failures=0

fail() {
    echo "FAILED: $*"
    cat out err
    failures=$((failures + 1))
}

# on NODE COMMAND...
on() {
    python3 "$here/cluster.py" on "$@"
}

# agent: lbrun's options for MPI's launcher without ssh
agent() {
    if [ "$MPI" = mpich ]; then
        echo "--mpi-option -launcher-exec --mpi-option $here/ssh"
    else
        echo "--mpi-option --mca --mpi-option plm_rsh_agent --mpi-option $here/ssh"
    fi
}

# try CODE NODE COMMAND...: on the node it ends with that exit code, or one of CODE|CODE; what it prints is in out and err
try() {
    expected=$1
    shift
    timeout 120 python3 "$here/cluster.py" on "$@" >out 2>err
    code=$?
    case "|$expected|" in *"|$code|"*) ;; *) fail "$*: exit code $code, not $expected" ;; esac
}

# says TEXT: it was printed, on out or err
says() {
    grep -q -e "$1" out err || fail "no '$1'"
}

# clean NODE...: nothing is left there, neither processes nor files (some ends take a moment; a tree below /tmp is mounted there)
clean() {
    for node; do
        for round in 1 2 3 4 5 6 7 8 9 10; do
            left=$(on $node 'ls /dev/shm; find /tmp -mindepth 1 -maxdepth 1 ! -exec mountpoint -q {} \; -print
                ps -A -o comm= | grep -vE "^(python3|sh|ps|grep|ls|find)$"')
            [ -z "$left" ] && break
            sleep 1
        done
        [ -z "$left" ] || { on $node "find /tmp /dev/shm; ps -A"; fail "left on $node: $left"; }
    done
}

finish() {
    [ $failures -eq 0 ] && echo "all held"
    exit $failures
}
