# SPDX-License-Identifier: BSD-3-Clause
# What the tests of real jobs share: Open MPI runs as root, as in containers, only when told so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Where our code and MPI are in one process: MPI libraries keep memory to the end and are not compiled with
# sanitizers; UCX, under MPICH, hooks calls that end a thread, at which the thread sanitizer crashes.
with_mpi_in_process() {
    export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=66
    export UCX_MEM_MMAP_HOOK_MODE=none UCX_MEM_EVENTS=no
}
