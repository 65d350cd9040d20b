#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plugins decide on launch lines what packing, dpb and dlb decide, are replayed to the same, and simulated.
# Usage: plugin.sh MPI LBRUN LBSIM LOADS FIRST_FIT SOURCE_DIR
mpi=$1 lbrun=$2 lbsim=$3 loads=$4 first_fit=$5 source=$6
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1
unset OMP_NUM_THREADS OMP_WAIT_POLICY
make_work

# balance PLUGIN WORD...: ends well, and the plugin decides its log again without a difference.
balance() {
    plugin=$1
    shift
    rm -f "$work"/log.*
    timeout 120 "$lbrun" --policy "$plugin" --decisions "$work/log" --param loss_part=1000 "$@" >"$work/out" 2>&1 ||
        die "$plugin $*: exit code $?"
    "$lbsim" --policy "$plugin" replay "$work/log.0" >"$work/replay" 2>&1 || { cat "$work/replay"; die "$plugin: replay"; }
}

compile() {
    cc -O1 -shared -fPIC -I "$source" "$@" 2>"$work/out" || die "cc $*"
}

compile "$source/tests/real/balance/plugin.c" -o "$work/greedy.so"
compile -DWRONG "$source/tests/real/balance/plugin.c" -o "$work/wrong.so"
sed '/\.offloads = true,/d' "$source/policies/examples/latest.c" >"$work/latest.c"
compile "$work/latest.c" -o "$work/latest.so"
compile "$source/policies/examples/latest.c" -o "$work/offloads.so"
mpicc.$mpi -O1 -fopenmp -D_POSIX_C_SOURCE=200809L "$source/tests/real/balance/team.c" -o "$work/team" || die mpicc

if [ "$(nproc)" -ge 2 ]; then
    balance "$first_fit" --param fit_room=3 --param pack_confidence=0.5 -- mpirun.$mpi -n 2 "$loads" rest 30 0.02 1 0.05
    grep -q '^first-fit *packing *1 .* 0$' "$work/replay" || die "first-fit decided nothing: $(cat "$work/replay")"
    grep -q 'CPUs freed *1 at the end' "$work/out" || die "first-fit freed nothing"
    grep -q 'predicted .* on 1 CPUs, by lbsim' "$work/out" || die "first-fit was not simulated"
fi
balance "$work/greedy.so" --param node_cpus=8 -- mpirun.$mpi -n 2 "$work/team" free
grep -q '^greedy *processors *1 .* 0$' "$work/replay" || die "greedy decided nothing: $(cat "$work/replay")"
grep -q 'moving .* 4 4 = 1 7 1 ' "$work/log.0" || die "greedy moved nothing"
balance "$work/latest.so" --param node_cpus=8 --param poll_s=0.1 -- mpirun.$mpi -n 2 "$work/team" free
grep -q '^latest *allocation .* [1-9][0-9]* *0$' "$work/replay" || die "latest decided nothing: $(cat "$work/replay")"
# What adds up to nothing is said, and not done; what needs helper ranks is refused.
timeout 120 "$lbrun" --policy "$work/wrong.so" --param node_cpus=8 --param loss_part=1000 -- mpirun.$mpi -n 2 "$work/team" free >"$work/out" 2>&1 ||
    die "wrong: exit code $?"
grep -q "policy 'greedy': 1 processors more are given than there are: nothing is moved" "$work/out" || die "wrong"

# fails MESSAGE PLUGIN PARAM: the job ends, not with 0, and what the policy did is said. (What it did before is not undone,
# though iterations be longer by what else the machine does: it would not be asked again.)
fails() {
    timeout 60 "$lbrun" --policy "$2" --param node_cpus=8 --param loss_part=1000 --param "$3" -- mpirun.$mpi -n 2 "$work/team" free >"$work/out" 2>&1
    code=$?
    { [ $code -ne 0 ] && [ $code -ne 124 ]; } || die "'$1': exit code $code"
    grep -q "lbrun: rank [01]: policy $1" "$work/out" || die "not said: '$1'"
}

for does in 'for (volatile int i = 0;; i++):has not returned from decide() for 2 s' 'exit(0):ended the program in decide()' \
    'abort():crashed in decide(): aborted'; do
    compile "-DDO=${does%%:*}" "$source/tests/real/balance/plugin.c" -o "$work/does.so"
    fails "'greedy' ${does#*:}" "$work/does.so" policy_s=2
done
sed '/^static void decide/,/^}/s/owned_cores\[w\] = 1/owned_cores[w] = 9/' "$work/latest.c" >"$work/many.c"
compile "$work/many.c" -o "$work/many.so"
fails "'latest': on node 0: .* cores are given out, there are 8" "$work/many.so" poll_s=0.1
timeout 60 "$lbrun" --policy "$work/offloads.so" -- mpirun.$mpi -n 2 "$work/team" free >"$work/out" 2>&1
[ $? -eq 2 ] || die "one that offloads was not refused"
timeout 60 "$lbrun" --policy "$work/none.so" -- mpirun.$mpi -n 2 "$work/team" free >"$work/out" 2>&1
[ $? -eq 2 ] || die "none.so: exit code must be 2"
echo passed
