# SPDX-License-Identifier: BSD-3-Clause
# What the tests of real jobs share: Open MPI runs as root, as in containers, only when told so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failures=0

# fail WORD...: what was seen, and what the last command said.
fail() {
    echo "FAILED: $*"
    [ ! -s err.txt ] || cat err.txt
    failures=$((failures + 1))
}

# die WORD...: the same of what cannot go on, with a folder of make_work's, in which "out" is what was said last.
die() {
    echo "failed: $*"
    cat "$work/out"
    exit 1
}

# no_segments PID WORD...: the lbrun of that process has left none.
no_segments() {
    pid=$1
    shift
    ! ls /dev/shm 2>/dev/null | grep "^lbrun-$(id -u)-$pid-" || fail "$*: segments are left"
}

# beside COMMAND...: in a folder of its own, three such at a time: most of a job that ends badly is waiting, Open MPI's for
# a second. all_ended waits for them, and counts what failed.
begun=0
beside() {
    begun=$((begun + 1))
    rm -rf "beside-$begun"
    (
        failures=0
        mkdir "beside-$begun" && cd "beside-$begun" || exit 1
        "$@"
        echo $failures >failures
    ) &
    [ $((begun % 3)) -ne 0 ] || wait
}

all_ended() {
    wait
    while [ $begun -gt 0 ]; do
        read -r count <"beside-$begun/failures" && failures=$((failures + count)) || fail "job $begun: it did not come to its end"
        rm -rf "beside-$begun"
        begun=$((begun - 1))
    done
}

# Packing frees CPUs wherever loads are asleep, so that other work of this machine does not change them: slower rounds
# are no reason to undo it.
free="--param pack_tolerance=0.2 --param pack_confidence=0.5 --param loss_part=1000"

# $launch: how a program of $mpi is started, with more ranks than there are cores.
set_launch() {
    launch="mpirun.$mpi"
    [ "$mpi" != openmpi ] || launch="$launch --oversubscribe"
}

# $work: a folder that goes with the script.
make_work() {
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
}

needs_two_cpus() {
    [ "$(nproc)" -lt 2 ] || return 0
    echo "needs two CPUs"
    exit 77
}

# Where our code and MPI are in one process: MPI libraries keep memory to the end and are not compiled with
# sanitizers; UCX, under MPICH, hooks calls that end a thread, at which the thread sanitizer crashes.
with_mpi_in_process() {
    export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=66
    export UCX_MEM_MMAP_HOOK_MODE=none UCX_MEM_EVENTS=no
}

shm_of() { # PID: files in /dev/shm of its descendants
    for child in $(pgrep -P "$1"); do
        sed -n 's|.* \(/dev/shm/[^ ]*\)$|\1|p' "/proc/$child/maps" 2>/dev/null
        (shm_of "$child")
    done
}

# leaves_no_files WORD...: $lbrun with these words, interrupted as by a terminal with all its group, leaves none of the
# files that its ranks ($mpi) had in /dev/shm.
leaves_no_files() {
    timeout 120 "$lbrun" "$@" >out.txt 2>err.txt &
    job=$!
    files= look=0
    while [ $look -lt 300 ] && [ -z "$files" ] && kill -0 $job; do
        sleep 0.2
        look=$((look + 1))
        files=$(shm_of $job)
        [ "$mpi" = openmpi ] || [ $look -lt 10 ] || break
    done
    [ "$mpi" != openmpi ] || [ -n "$files" ] || fail "interrupted: no files of Open MPI in /dev/shm were seen"
    sleep 0.5
    kill -INT $job
    wait $job && fail "interrupted: exit code 0"
    for file in $files; do
        [ ! -e "$file" ] || fail "interrupted: '$file' is left"
    done
}
