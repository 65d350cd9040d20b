#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A cluster with Slurm, its daemons those of the distribution: lbrun in an allocation of unequal nodes
# needs no option; what is measured outlives scancel and preemption, after which the job runs anew; a node
# that goes down is named. 77: Slurm is not installed.
set -u
. "$(dirname "$0")/common.sh"
export PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd srun; do
    command -v $program >/dev/null || {
        echo "skipped: no $program: install slurmctld, slurmd and slurm-client"
        exit 77
    }
done

# The spool directory's name is short: PMIx' socket is in it.
configure() {
    cat <<EOC
ClusterName=emulated
SlurmctldHost=n1
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=/tmp/%n
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd-%n.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdTimeout=10
KillWait=15
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=n[1,2,5] CPUs=4 State=UNKNOWN
NodeName=n3 CPUs=6 State=UNKNOWN
NodeName=n4 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=n[1-5] Default=YES PriorityTier=1 GraceTime=15 State=UP
PartitionName=urgent Nodes=n[1-5] PriorityTier=10 PreemptMode=OFF State=UP
EOC
}

# slurm COMMAND...: on the first node
slurm() {
    on n1 "export SLURM_CONF=$CLUSTER/slurm.conf; $*"
}

# await SECONDS COMMAND...: until it holds
await() {
    limit=$1
    shift
    for round in $(seq $limit); do
        eval "$*" && return
        sleep 1
    done
    fail "$* does not hold"
}

script() {
    cat <<EOC
#!/bin/sh
echo begins
$lbrun --degree 2 --system global --quiet --report $PWD/$1 --param finalize_s=2 -- $synthetic $2
echo code \$?
${3:-}
EOC
}

mkdir "$CLUSTER/state"
configure >"$CLUSTER/slurm.conf"
slurm 'slurmctld -c'
for node in n1 n2 n3 n4 n5; do
    on $node "SLURM_CONF=$CLUSTER/slurm.conf slurmd"
done
await 30 '[ "$(slurm "sinfo -h -o %D -t idle -p main")" = 5 ]'

# In an allocation, no option: the cores of each node.
slurm "timeout 100 salloc -Q -N4 -w n[1-4] --exclusive $lbrun --param finalize_s=2 -- $synthetic --iterations 2 --tasks-per-core 10" >out 2>err || fail "exit code $?"
says '4 nodes x 2 to 6 cores, 4 appranks'

# What the doctor says of it is so, by either launcher.
for launcher in auto srun; do
    slurm "timeout 100 salloc -Q -N4 -w n[1-4] --exclusive $lbrun doctor --launcher $launcher $synthetic" >out 2>err || fail "doctor, $launcher: exit code $?"
    says 'a message to each node and back'
    says 'program of nodes   the same program everywhere'
done

# lbrun as a step of its own, which has the processors: mpirun's step shares them.
slurm "timeout 100 salloc -Q -N2 -w n[1-2] --exclusive srun -N1 -n1 $lbrun --degree 2 --quiet --param finalize_s=2 -- $synthetic --iterations 2 --tasks-per-core 10" >out 2>err || fail "lbrun by srun: exit code $?"
says 'iteration 1'

# Started by srun: nodes with unequal numbers of ranks, too; a rank that is killed is named.
slurm "timeout 100 salloc -Q -N4 -w n[1-4] --exclusive $lbrun --launcher srun --degree 2 --param finalize_s=2 -- $synthetic --iterations 2 --tasks-per-core 10" >out 2>err || fail "srun: exit code $?"
says '4 nodes x 2 to 6 cores, 4 appranks'
cat >uneven.json <<EOC
{"appranks": 3, "nodes": 3, "degree": 2, "graph": [[0, 1], [1], [2, 1]]}
EOC
slurm "timeout 100 salloc -Q -N3 -w n[1-3] --exclusive $lbrun --launcher srun --graph uneven.json --param finalize_s=2 -- $synthetic --iterations 2 --tasks-per-core 10" >out 2>err || fail "srun, uneven: exit code $?"
says '3 nodes x 4 to 6 cores, 3 appranks'
slurm "timeout 100 salloc -Q -N4 -w n[1-4] --exclusive sh -c '($lbrun --launcher srun --degree 2 -- $synthetic --iterations 2000 --tasks-per-core 10; echo code \$?) & sleep 8; pkill -9 -n synthetic; wait'" >out 2>err
says 'on host n1, node 0, was ended by signal 9'
says 'code 137'

type=pmix
[ "$MPI" = mpich ] && type=pmi2
# Scripts that are submitted with --export=NONE: what lbrun starts has its environment, and a line's ranks what they need.
slurm "timeout 100 salloc -Q -N2 -w n[1-2] --exclusive env SLURM_EXPORT_ENV=NONE $lbrun --launcher srun --quiet --degree 2 --param finalize_s=2 -- $synthetic --iterations 2 --tasks-per-core 10" >out 2>err || fail "no exports: exit code $?"
says 'iteration 1'
slurm "timeout 60 salloc -Q -N2 -n4 -w n[1-2] --exclusive env SLURM_EXPORT_ENV=NONE $lbrun measure --mpi $MPI --out alone -- srun --export=NONE --mpi=$type --overcommit $plain --iterations 3 --tasks-per-core 10" >out 2>err
says '^4 ranks on 2 nodes'
rm -rf alone

# A part of a heterogeneous job is not taken for all of it.
slurm "salloc -Q -N1 -w n1 : -N1 -w n2 $lbrun -- $synthetic" >out 2>err
[ $? -eq 2 ] || fail 'heterogeneous: not refused'
says 'heterogeneous job of 2 parts'

# Who shares memory is the machine's to say: MPICH takes each rank of such a list for alone.
slurm "timeout 100 salloc -Q -N1 -w n1 --exclusive $lbrun calibrate --out $PWD/one.json --mpi $MPI -- srun --mpi=$type --overcommit -n 2 -m arbitrary -w n1,n1" >out 2>err || fail "calibrate: exit code $?"
says 'two ranks of one node'

# Ranks in an order of the user's: those of a program as it is are where the file has them, and lbrun's own, which come
# node by node, are not moved by a file that the environment has for other steps. MPICH may not come out of MPI_Finalize().
printf 'n2\nn1\nn2\nn1\n' >order
ordered() {
    slurm "timeout 30 salloc -Q -N2 -w n[1-2] --exclusive sh -c 'export SLURM_HOSTFILE=$PWD/order; exec $lbrun $*'" >out 2>err
    code=$?
    case $MPI.$code in *.0 | mpich.124) ;; *) fail "ordered, $*: exit code $code" ;; esac
}
rm -rf measured
line="srun --mpi=$type --overcommit -n 4 -m arbitrary $plain --iterations 3 --tasks-per-core 10"
ordered measure --mpi $MPI --out measured -- $line
says '^4 ranks on 2 nodes'
ordered --mpi $MPI --system dlb -- $line
says 'dlb: 4 ranks on 8 CPUs of 2 nodes'
ordered --mpi $MPI --system packing -- $line
says 'packing: 4 ranks on 8 CPUs of 2 nodes'
ordered --launcher srun --quiet --degree 2 -- $BUILD/tests/real/launch/probe-$MPI none
says 'rank 0 of 4 .* host n1 '
says 'rank 1 of 4 .* host n1 '
says 'rank 2 of 4 .* host n2 '
says 'rank 3 of 4 .* host n2 '

long="--iterations 100000 --tasks-per-core 10"
script cancelled.json "$long" >cancelled.sh
# What ends within its grace time is done for Slurm, and not requeued: the script waits.
script preempted.json "$long" 'sleep 60' >preempted.sh
script lost.json "$long" >lost.sh
rm -f *.json cancelled.log preempted.log lost.log
chmod +x *.sh
report() {
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["iterations"]' $1
}

# scancel: SIGTERM to the step and to the script.
slurm "sbatch --parsable -N4 -w n[1-4] --exclusive -o cancelled.log ./cancelled.sh" >id
await 60 'grep -q "iteration 3" cancelled.log'
slurm "scancel $(cat id)"
await 60 '[ -z "$(slurm "squeue -h")" ]'
cp cancelled.log out
report cancelled.json || fail "no report after scancel"

# Preemption: told to end, and requeued (Slurm begins it anew some minutes later, which is not waited for).
slurm "sbatch --parsable -N4 -w n[1-4] --exclusive --requeue -o preempted.log --open-mode=append ./preempted.sh" >id
await 60 'grep -q "iteration 3" preempted.log'
slurm "timeout 60 srun -Q -p urgent -N4 -w n[1-4] --exclusive true" >out 2>err || fail "urgent job: exit code $?"
await 60 'slurm "scontrol show job $(cat id)" | grep -q "Restarts=1"'
cp preempted.log out
report preempted.json || fail "no report after preemption"
slurm "scancel $(cat id)"
await 60 '[ -z "$(slurm "squeue -h")" ]'

# A node goes down: lbrun names it. Slurm may end the job before, which it does not know of first.
slurm "sbatch --parsable -N3 -w n[1,2,5] --exclusive --no-kill -o lost.log ./lost.sh" >id
await 60 'grep -q "iteration 3" lost.log'
python3 "$here/cluster.py" fail n5
await 60 'grep -q "code" lost.log'
cp lost.log out
says 'host n5, node 2'
clean_slurm() {
    for node; do
        for round in 1 2 3 4 5 6 7 8; do
            left=$(on $node 'ls /dev/shm; ps -A -o comm= | grep -E "lbrun|synthetic|orted|hydra"')
            [ -z "$left" ] && break
            sleep 1
        done
        [ -z "$left" ] || fail "left on $node: $left"
    done
}
clean_slurm n1 n2 n3 n4
finish
