#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system ... of a program as it is that ends badly, or whose launcher or lbrun is ended: nothing hangs, exit
# codes are those of the program without lbrun, and no process, folder, shared memory or control group is left.
# Usage: ends.sh MPI LBRUN SOURCE SYSTEM...
set -u
mpi=$1 lbrun=$2 source=$3
shift 3
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=2
set_launch
rm -rf work && mkdir work && cd work || exit 1
tried=0

needs_two_cpus
mpicc.$mpi -O1 -fopenmp -D_POSIX_C_SOURCE=200809L "$source" -o ends || exit 1

ranks() { # their processes, of which each folder has a program of its own
    find /proc/[0-9]*/exe -maxdepth 0 -lname "$program" 2>/dev/null | cut -d/ -f3
}

# into NAME: a folder with a program of its own
into() {
    mkdir "$1" && cd "$1" || exit 1
    program=$PWD/ends-$$
    cp ../ends "$program" || exit 1
}

groups() { # of lbrun, as a process of its
    find /sys/fs/cgroup -type d -name "lbrun-*$1*" 2>/dev/null
}

# nothing_left PROCESS WHAT: within half a minute, of the lbrun that was this process and its ranks.
nothing_left() {
    for round in $(seq 300); do
        left="$(ranks) $(find . -name '.lbrun-*') $(groups "$1") $(for f in $files; do [ ! -e "$f" ] || echo "$f"; done)"
        [ -n "$(echo $left)" ] || return
        sleep 0.1
    done
    fail "$2: left: $left"
    kill -KILL $(ranks) 2>/dev/null
}

# start HOW ROUNDS: the job, in $job, of which what its ranks have in /dev/shm is in $files
start() {
    : >out.txt
    rm -f r.json
    "$lbrun" --system $system $cpus --report r.json -- $launch -n 2 "$program" "$@" >out.txt 2>err.txt &
    job=$!
    tried=$((tried + 1))
    for round in $(seq 600); do
        grep -q 'round 150:' out.txt && break
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    files=$(shm_of $job | sort -u)
}

# ends CODE WHAT: the job does, by itself, within a minute, with a code among these
ends() {
    for round in $(seq 600); do
        kill -0 $job 2>/dev/null && [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$job/stat")" != Z ] || break
        sleep 0.1
    done
    if [ $round -eq 600 ]; then
        fail "$system $cpus, $2: hangs"
        kill -TERM $job
    fi
    wait $job 2>/dev/null
    code=$?
    case " $1 " in *" $code "*) ;; *) fail "$system $cpus, $2: exit code $code, not $1" ;; esac
    nothing_left $job "$system $cpus, $2"
}

# reported COMPLETE WORDS: the report says whether it is of all of the job, and what ended it (nothing: null)
reported() {
    python3 - "$1" "$2" <<'END' || fail "$system $cpus: complete is not $1, or not ended by '$2': $(grep -s 'complete\|ended_by' r.json)"
import json, re, sys
r = json.load(open("r.json"))
by = r["ended_by"]
sys.exit(r["complete"] is not (sys.argv[1] == "yes") or (by is not None if not sys.argv[2] else not re.search(sys.argv[2], by or "")))
END
}

# What the program's own end gives without lbrun. Where a rank calls exit(0), MPICH's launcher kills the others and ends
# with 0, or, seldom, with 9 for these: of 0 lbrun makes 1, and says whose end it was.
into plain
for how in raise abort quit; do
    timeout 60 $launch -n 2 "$program" $how 10 >out.txt 2>err.txt
    eval "code_$how=$?"
done
[ "$mpi" = openmpi ] || code_quit="1 9"
cd ..

# series SYSTEM OPTIONS: all ends of a job
series() {
    system=$1 cpus=$2
    if [ -n "$cpus" ] && ! timeout 60 "$lbrun" --system $system $cpus -- $launch -n 2 "$program" none 5 >out.txt 2>err.txt; then
        grep -q 'virtual-cpus' err.txt || fail "$system $cpus"
        return # no control groups here
    fi
    for how in raise abort quit; do
        start $how 280
        eval "ends \"\$code_$how\" $how"
        case $how in
        raise) reported no '^rank [01] [(]process [0-9]* on host .*[)].* did not come to MPI_Finalize[(][)]: the launcher ended with exit code' ;;
        abort) reported no '^rank 1 on host .*, ended with exit code 7 [(]process [0-9]*[)]' ;;
        quit) reported no '^rank 1 on host .*, ended with exit code 0 [(]process [0-9]*[)]' ;;
        esac
        [ $how = quit ] && [ "$mpi" = mpich ] && [ $code -eq 1 ] || continue
        grep -q 'lbrun: rank 1 (.*) ended without MPI_Finalize()' err.txt || fail "$system $cpus, quit: who"
    done
    start none 300
    stopped=$(ranks | tail -n 1)
    kill -STOP $stopped
    sleep 1
    kill -CONT $stopped
    ends 0 "a rank that was stopped"
    reported yes ''
    grep -q 'round 299: 2' out.txt || fail "$system $cpus: a rank that was stopped: no result"
    for how in silent quick; do
        timeout 60 $launch -n 2 "$program" $how 10 >out.txt 2>err.txt
        plain=$?
        for try in 1 2 3 4 5 6; do # MPICH's launcher kills the rank that is later than the other, plain too
            timeout 60 "$lbrun" --quiet --system $system $cpus -- $launch -n 2 "$program" $how 20 >out.txt 2>err.txt
            code=$?
            [ $code -ne 0 ] && [ $code -ne $plain ] || break
        done
        [ $code -eq 0 ] || [ $code -eq $plain ] || fail "$system $cpus, $how, all of them: exit code $code, not $plain"
    done
    trap '' HUP # as nohup does
    start none 300
    kill -HUP $job
    ends 0 "a hang-up that is ignored"
    trap - HUP
    start none 100000
    kill -TERM $(pgrep -P $job | while read -r p; do grep -qa "mpirun\|mpiexec" "/proc/$p/cmdline" && echo $p; done)
    ends "143 1 255 15" "SIGTERM to the launcher"
    start none 100000
    kill -KILL $(ranks | head -n 1)
    ends "$code_raise" "SIGKILL to a rank"
    reported no '^rank [01] .* did not come to MPI_Finalize[(][)]'
    start none 100000
    kill -TERM $job
    ends "143 1 255 15" "SIGTERM to lbrun"
    reported no '^lbrun was ended by signal 15, Terminated$'
    if [ -n "$cpus" ] && grep -q '[0-9] s balanced' err.txt && ! grep -q 'equal parts' err.txt; then
        case $system in # what was done is told, though no rank came to its end
        dpb) ! grep -q 'ranks  *2 2;' err.txt || fail "$system: CPUs have moved" ;;
        dlb) grep -q 'CPUs lent  *[1-9]' err.txt || fail "$system: CPUs were lent" ;;
        esac
    fi
    start none 100000
    kill -KILL $job
    ends 137 "SIGKILL to lbrun"
}

# On CPUs of the machine and on virtual ones at the same time, in folders of their own: threads sleep.
for system in "$@"; do
    for cpus in "" "--nodes 1 --virtual-cpus --cores 4"; do
        (
            tried=0 failures=0
            into "$system${cpus:+-virtual}"
            series $system "$cpus"
            echo "tried=\$((tried + $tried)) failures=\$((failures + $failures))" >counted
        ) &
    done
    wait
    for folder in "$system" "$system-virtual"; do
        [ -e "$folder/counted" ] && . "./$folder/counted" || fail "$folder: it did not come to its end"
    done
done

into disk
# A disk on which there is hardly room any more: said before the program begins.
cat >full.sh <<'END'
mount -t tmpfs -o size=200k tmpfs full || exit 77
cd full && head -c "$1"k /dev/zero >all
shift
timeout 120 "$@"
END
mkdir -p full
for system in "$@"; do
    for used in 192 196 200; do
        unshare -m sh full.sh $used "$lbrun" --system $system -- $launch -n 2 "$program" none 5 >out.txt 2>err.txt
        code=$?
        if [ $code -eq 77 ] || grep -q "not permitted" err.txt; then
            echo "full disk: not tried, needs a mount"
            break 2
        fi
        tried=$((tried + 1))
        [ $code -eq 2 ] || [ $code -eq 125 ] || fail "$system, full disk: exit code $code"
        grep -q 'No space left on device' err.txt && ! grep -q 'round' out.txt || fail "$system, full disk: $(cat out.txt)"
    done
done
echo "$tried tried, $failures failed"
[ $failures -eq 0 ]
