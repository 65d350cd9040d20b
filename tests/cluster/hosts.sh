#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nodes of a host file, no Slurm: every live system runs over four nodes that have nothing in common but
# a network and files, and leaves nothing on any; a plain program is measured.
set -u
. "$(dirname "$0")/common.sh"
# MPICH may not come out of MPI_Finalize(): two seconds are enough to wait.
quick="--iterations 2 --tasks-per-core 10"

printf 'n1:4\nn2:4\nn3:4\nn4:4\n' >hosts
for system in baseline dlb local global; do
    degree=2
    case $system in baseline | dlb) degree=1 ;; esac
    try 0 n1 "$lbrun --hostfile hosts --degree $degree --system $system --param finalize_s=2 $(agent) -- $synthetic $quick"
    says '4 nodes x 4 cores, 4 appranks'
done
clean n1 n2 n3 n4

# Unequal nodes: each has the cores that it has, and the small one fewer workers.
printf 'n5:8\nn6:4\nn7:8\nn8:2\n' >hosts
try 0 n5 "$lbrun --hostfile hosts --degree 3 --system global --report unequal.json --param finalize_s=2 $(agent) -- $synthetic $quick"
says '4 nodes x 2 to 8 cores, 4 appranks'
try 0 n5 "$lbrun --hostfile hosts --degree 3 --quiet --dry-run -- $synthetic"
cores=$(awk '$4 ~ /^n[5-8]$/ { sum += $6 } END { print sum }' out)
[ "$cores" = 22 ] || fail "workers own $cores of 22 cores"
clean n5 n6 n7 n8

# The view has the cores of nodes that lbrun is not on; without it they are sent nothing for it.
printf 'n2:4\nn3:4\nn4:4\n' >hosts.seen
try '0|77' n2 "python3 $here/../real/launch/watch.py $lbrun $synthetic nodes 3 --hostfile hosts.seen --param finalize_s=2 $(agent)"
clean n2 n3 n4

# A daemon that a rank leaves behind elsewhere has the ranks' output, for whose end MPI's launcher waits: it is
# killed when the ranks have ended.
try 0 n2 "$lbrun --hostfile hosts.seen --quiet --degree 2 $(agent) -- $BUILD/tests/real/launch/probe-$MPI orphan 3"
says 'lbrun: killed 1 process left behind'
says 'rank 5 of 6'
clean n2 n3 n4

# Each node's log of decisions is where that node's file is, which lbrun says where it does not see it.
try 0 n2 "$lbrun --hostfile hosts.seen --degree 2 --quiet --decisions /tmp/log --param finalize_s=2 $(agent) -- $synthetic $quick"
says "lbrun: --decisions: '/tmp/log.1' of node 1 (n3) is not here, nor are 1 others: name a file that all nodes share"
for node in n2 n3 n4; do on $node "rm /tmp/log.?" || fail "no log on $node"; done
clean n2 n3 n4

# lbrun on a node outside the job: what cannot be written there ends the job at its begin, and what is elsewhere is said.
on n1 "mkdir /tmp/mine"
for option in report loads trace; do
    try 1 n1 "$lbrun --hostfile hosts.seen --quiet --$option /tmp/mine/file.json $(agent) -- $synthetic --iterations 100000 --tasks-per-core 10"
    says "lbrun_start: --$option: cannot write '/tmp/mine/file.json': .* name a file that all nodes share"
done
on n1 "rmdir /tmp/mine"
try 0 n1 "$lbrun --hostfile hosts.seen --quiet --loads /tmp/loads.csv --param finalize_s=2 $(agent) -- $synthetic $quick"
says "lbrun: --loads: '/tmp/loads.csv' is not here, but on host n2"
on n2 'rm /tmp/loads.csv' || fail "no loads on n2"
clean n1 n2 n3 n4

# The doctor looks at every node, as a job is started: a job works where it says so, and not where not.
printf 'n1:4\nn2:4\nn6:4\n' >hosts.doctor
try 0 n1 "$lbrun doctor --hostfile hosts.doctor $(agent) $synthetic"
says 'a message to each node and back'
says 'program of nodes   the same program everywhere'
try 0 n1 "$lbrun --hostfile hosts.doctor --degree 2 --quiet --param finalize_s=2 $(agent) -- $synthetic $quick"
try 125 n1 "ulimit -n 24; exec $lbrun --hostfile hosts.doctor --degree 2 --quiet $(agent) -- $synthetic $quick"
says 'open files are limited to 24 here, and this job needs'
printf 'n1:4\nn6:5\n' >hosts.many
try 1 n1 "$lbrun doctor --hostfile hosts.many $(agent) $synthetic"
says 'cores of nodes     n6: a rank may use fewer'
try 1 n1 "$lbrun --hostfile hosts.many --degree 2 --quiet --param finalize_s=2 $(agent) -- $synthetic $quick"
on n2 "mount --bind /bin/true $lbrun"
try 1 n1 "$lbrun doctor --hostfile hosts.doctor $(agent) $synthetic"
says 'started no rank on n2'
on n2 "umount $lbrun; mount --bind /bin/true $synthetic"
try 1 n1 "$lbrun doctor --hostfile hosts.doctor $(agent) $synthetic"
says 'program of nodes   n2: another program, or none'
# Whoever did not ask the doctor: nobody waits for what is no rank of the job.
try 126 n1 "$lbrun --hostfile hosts.doctor --degree 2 --quiet $(agent) -- $synthetic $quick"
says 'on host n2, node 1: its node has another program at .* than the node of lbrun'
on n2 "umount $synthetic; mount --bind $BUILD/real/apps/nbody-$MPI $synthetic"
try 126 n1 "$lbrun --hostfile hosts.doctor --degree 2 --quiet $(agent) -- $synthetic $quick"
says 'on host n2, node 1: its node has another program at .* than the node of lbrun'
on n2 "umount $synthetic"

# This MPICH (4.0) now and then does not come out of MPI_Finalize(), plain programs neither (docs/reliability.md):
# what was measured until then is there when somebody ends the job.
rm -rf measured
if [ "$MPI" = mpich ]; then
    line="mpiexec.mpich -launcher-exec $here/ssh -hosts n1:1,n2:1 -n 2"
else
    line="mpirun.openmpi --oversubscribe --mca plm_rsh_agent $here/ssh --host n1:1,n2:1 -np 2"
fi
measured() {
    try $1 n1 "${2-} $lbrun measure --out measured -- $line $plain $quick"
    says '^2 ranks on 2 nodes'
    [ -s measured/measured.json ] || fail "no measurement"
}
case $MPI in
mpich) measured '0|124' "timeout 40" ;;
*) measured 0 ;;
esac

# So is that of a program as it is, whose nodes are known when it has ended.
if [ "$MPI" = mpich ]; then
    two="mpiexec.mpich -launcher-exec $here/ssh -hosts n1:2,n2:2 -n 4"
else
    two="mpirun.openmpi --oversubscribe --mca plm_rsh_agent $here/ssh --host n1:2,n2:2 -np 4"
fi
case $MPI in
mpich) try '0|124' n1 "timeout 60 $lbrun --quiet --system packing --decisions /tmp/log -- $two $plain $quick" ;;
*) try 0 n1 "$lbrun --quiet --system packing --decisions /tmp/log -- $two $plain $quick" ;;
esac
says "lbrun: --decisions: '/tmp/log.1' of node 1 (n2) is not here: name a file that all nodes share"
on n1 'rm /tmp/log.0' || fail "no log on n1"
on n2 'rm /tmp/log.1' || fail "no log on n2"

# Two jobs of two machines, one directory: the second is told who has it. What a killed one left is nobody's.
rm -rf shared
here_line="mpirun.$MPI -n 1 $plain --tasks-per-core 5 --iterations"
python3 "$here/cluster.py" on n3 "exec timeout 100 $lbrun measure --out shared -- $here_line 100000" >out3 2>&1 &
for round in $(seq 300); do
    [ -s shared/.lbrun-measured.json ] && grep -q 'iteration 1' out3 && break
    sleep 0.2
done
try 2 n4 "$lbrun measure --out shared -- $here_line 2"
says "--out: another job is writing 'shared/measured.json': process .* on host n3"
try 2 n3 "$lbrun measure --out shared -- $here_line 2"
says "--out: another job is writing 'shared/measured.json': process .* on host n3"
on n3 'kill -KILL $(pgrep -o -x lbrun); pkill synthetic'
wait
[ -s shared/.lbrun-measured.json ] || fail "a killed job leaves what it held"
try 0 n4 "$lbrun measure --out shared -- $here_line 2"
[ -s shared/measured.json ] || fail "no measurement"
[ ! -e shared/.lbrun-measured.json ] || fail "it is held for ever"
clean n3 n4

# What is measured, and what a balanced program reads, lies where all nodes see it: else the job ends at its begin.
try 0 n1 "! timeout 60 $lbrun measure --out /tmp/private -- $line $plain $quick"
# MPICH's launcher may lose what a rank says as it ends: then lbrun knows of a rank that did not report.
says "host n2 does not see '/tmp/private/\|its node does not see the directory of --out"
try 0 n1 "cd /tmp && ! timeout 60 $lbrun --system dlb -- $line $plain $quick"
says 'must be on a file system that all nodes share'
finish
