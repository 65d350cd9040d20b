# SPDX-License-Identifier: BSD-3-Clause
# What the tests of hybrid programs share: $mpi, $lbrun and $lbsim are given. Threads sleep, and a node has 8 CPUs: so many
# are at work on any machine.
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
unset OMP_NUM_THREADS OMP_WAIT_POLICY
launch="mpirun.$mpi"
make_work

# balance SYSTEM PROGRAM...: ends well, and its log is decided again without a difference.
balance() {
    system=$1 also=
    shift
    [ "$1" = --param ] && also="$1 $2" && shift 2
    rm -f "$work"/log.*
    timeout 300 "$lbrun" --system "$system" $also --param node_cpus=8 --param loss_part=10 --decisions "$work/log" \
        --report "$work/report" -- $launch -n 2 "$@" >"$work/out" 2>&1 || die "$system $*: exit code $?"
    "$lbsim" replay "$work/log.0" >"$work/replay" 2>&1 || { cat "$work/replay"; die "$system $*: replay"; }
}

# compile COMPILER SOURCE PROGRAM [OPTION]
compile() {
    MPICH_CC=$1 OMPI_CC=$1 mpicc.$mpi -O1 -fopenmp -D_POSIX_C_SOURCE=200809L $4 "$2" -o "$3" || die "$1 $2 $4"
}

# first_of SYSTEM: a team as large as it could ever be; with dlb another may lend its last CPU
first_of() {
    [ $1 = dpb ] && echo '7\.\.7' || echo '8\.\.8'
}

# says RANK PATTERN: what the program found of its teams.
says() {
    grep -q "^rank $1: .*, 0 wrong, teams $2\$" "$work/out" || die "rank $1 has not teams $2"
}
