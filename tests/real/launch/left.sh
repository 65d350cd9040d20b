#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What lbrun does to streams, files and the machine around a job: output that cannot be written, its session, Ctrl-Z, two jobs with
# one log, temporaries of an mpirun that was killed here or on another node, root. Usage: left.sh LBRUN PROBE PROGRAM MPI
set -u
lbrun=$1 probe=$2 program=$3 mpi=$4
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
rm -rf tmp d.0 d.1 && mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR

# until_true COMMAND...: within a minute.
until_true() {
    for round in $(seq 600); do
        eval "$*" && return 0
        sleep 0.1
    done
    return 1
}

long() { # a job that would last for very long
    rm -f out.txt err.txt
    "$lbrun" --nodes 2 --cores 2 --degree 2 "$@" -- "$program" --iterations 100000 --tasks-per-core 10 --task-ms 4 \
        >out.txt 2>err.txt &
    lbrun_pid=$!
    until_true 'grep -q "iteration 1:" out.txt' || fail "the job does not start"
}

mpirun_of() { # of the lbrun of that process
    cat "/proc/$1/task/$1/children"
}

state_of() {
    sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"
}

session_of() {
    sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 4
}

# Output that nobody can have is an error; output that nobody wants is none.
"$lbrun" --cores 2 -- "$program" --iterations 2 >/dev/full 2>err.txt
[ $? -eq 125 ] && grep -q 'cannot write to standard output: No space' err.txt || fail "/dev/full"
"$lbrun" --quiet --cores 2 -- "$probe" none >/dev/full 2>err.txt
[ $? -eq 125 ] || fail "/dev/full, the program's output alone"
{ "$lbrun" --cores 2 -- "$program" --iterations 2 2>err.txt; echo $? >code.txt; } | head -n 1 >head.txt
[ "$(cat code.txt)" = 0 ] || fail "a reader that leaves: exit code $(cat code.txt)"

# What binds the program's threads binds no process of lbrun's, and so no job.
[ $mpi != openmpi ] || unbound="--bind-to none"
cpus() {
    env "$@" "$lbrun" measure -- mpirun.$mpi ${unbound-} -n 1 grep Cpus_allowed_list /proc/self/status 2>err.txt
}
for binding in OMP_PROC_BIND=true OMP_PLACES=threads GOMP_CPU_AFFINITY=0; do
    [ "$(cpus $binding)" = "$(cpus -u OMP_PROC_BIND)" ] || fail "$binding: $(cpus $binding), not $(cpus -u OMP_PROC_BIND)"
done

# Ctrl-Z stops all of the job, fg lets it go on.
long
processes="$lbrun_pid $(mpirun_of $lbrun_pid) $(for p in /proc/[0-9]*; do
    [ "$(tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -c "TMPDIR=$TMPDIR\$")" -gt 0 ] &&
        [ "$(readlink "$p/exe" 2>/dev/null)" = "$program" ] && echo "${p#/proc/}"
done)"
[ "$(echo $processes | wc -w)" -eq 6 ] || fail "not all ranks are found: $processes"
[ "$(session_of $(mpirun_of $lbrun_pid))" = $(mpirun_of $lbrun_pid) ] || fail "the job is no session of its own"
kill -TSTP $lbrun_pid
for process in $processes; do
    until_true "[ \"\$(state_of $process)\" = T ]" || fail "SIGTSTP: process $process is not stopped"
done
before=$(wc -l <out.txt)
kill -CONT $lbrun_pid
until_true "[ \$(wc -l <out.txt) -gt $((before + 2)) ]" || fail "SIGCONT: the job does not go on"
kill -TERM $lbrun_pid
wait $lbrun_pid
[ $? -eq 143 ] || fail "SIGTERM after SIGCONT: exit code $?"

# One log, one job: who comes second is told.
long --decisions d
"$lbrun" --nodes 2 --cores 2 --degree 2 --decisions ./d -- "$program" --iterations 2 >out2.txt 2>err2.txt
code=$?
[ $code -eq 2 ] && grep -q -e "--decisions: another job is writing '.*/d'" err2.txt || fail "--decisions twice: exit code $code"
mkdir -p log.1
"$lbrun" --nodes 2 --cores 2 --degree 2 --decisions ./log -- "$program" --iterations 2 >out2.txt 2>err2.txt
code=$?
[ $code -eq 2 ] && grep -q -e "--decisions: cannot write '.*/log.1': Is a directory" err2.txt || fail "--decisions into a directory: exit code $code"
rmdir log.1

# mpirun is killed: its directories go with the job.
[ $mpi != openmpi ] || [ -n "$(find tmp -name 'pid.*')" ] || fail "Open MPI's directory is not where it is looked for"
kill -KILL $(mpirun_of $lbrun_pid)
wait $lbrun_pid
[ -z "$(ls tmp)" ] || fail "left in the temporary directory: $(ls -R tmp)"

# mpirun is stopped, and the ranks end: what it has not passed on yet is printed.
rm -f out.txt err.txt
"$lbrun" --nodes 2 --cores 2 --degree 2 --param finalize_s=2 -- "$program" --iterations 30 --tasks-per-core 10 \
    >out.txt 2>err.txt &
lbrun_pid=$!
until_true 'grep -q "iteration 3:" out.txt' || fail "the job does not start"
kill -STOP $(mpirun_of $lbrun_pid)
wait $lbrun_pid
code=$?
[ $code -eq 0 ] && grep -q 'iteration 29:' out.txt || fail "a stopped mpirun: exit code $code: $(tail -n 1 out.txt)"

# Where it still does not end, it is killed, which is said, and the ranks' end counts.
cat >stays.sh <<END
#!/bin/sh
mpirun.$mpi "\$@"
exec sleep 100
END
mkdir -p stays
mv stays.sh stays/mpirun.$mpi
sed -i "s|^mpirun.$mpi|$(command -v mpirun.$mpi)|" stays/mpirun.$mpi
chmod +x stays/mpirun.$mpi
PATH=$PWD/stays:$PATH "$lbrun" --nodes 2 --cores 2 --degree 2 -- "$program" --iterations 2 --tasks-per-core 10 >out.txt 2>err.txt
code=$?
[ $code -eq 0 ] && grep -q 'mpirun has not ended, long after all ranks had: it is killed' err.txt || fail "an mpirun that stays: exit code $code"
grep -q 'iteration 1:' out.txt || fail "an mpirun that stays: no output"
rm -r stays

# A process of somebody else has mpirun's output: it is not waited for, and what was printed is there.
"$lbrun" --nodes 2 --cores 2 --degree 2 -- "$program" --iterations 30 --tasks-per-core 10 >out.txt 2>err.txt &
lbrun_pid=$!
until_true 'grep -q "iteration 3:" out.txt' || fail "the job does not start"
sh -c "echo from without; exec sleep 60" >/proc/$(mpirun_of $lbrun_pid | cut -d' ' -f1)/fd/1 2>/dev/null &
holder=$!
wait $lbrun_pid
code=$?
kill $holder
wait $holder 2>/dev/null
[ $code -eq 0 ] && grep -q 'not of the job holds its output open' err.txt || fail "output that is held open: exit code $code"
grep -q 'from without' out.txt && grep -q 'time per iteration' out.txt || fail "output that is held open: $(cat out.txt)"

# lbrun and mpirun are killed at once: somebody else sees to it.
long
kill -KILL $lbrun_pid $(mpirun_of $lbrun_pid)
wait $lbrun_pid
until_true '[ -z "$(ls tmp)" ]' || fail "lbrun is killed: left in the temporary directory: $(ls -R tmp)"

# Another node: no lbrun there, and a daemon (here: a shell) that is killed with its rank.
job=$("$lbrun" --quiet --cores 1 --degree 1 --nodes 1 -- "$probe" none 2>err.txt | sed -n 's/.* job //p')
mkdir -p tmp/ompi.other.0/jf.7/1/0
shared=/dev/shm/vader_segment.left-$$ # in use while the rank lives: else another job's janitor may take it
cat >daemon.sh <<END
export LBRUN_JOB='$job' PMIX_RANK=0 OMPI_MCA_orte_jobfam_session_dir=$TMPDIR/ompi.other.0/jf.7
unset OMPI_COMM_WORLD_RANK PMI_RANK
"$lbrun" --keep /bin/sh -c 'exec 9>$shared; echo up >up.txt; exec sleep 600'
true
END
rm -f up.txt
sh daemon.sh &
daemon=$!
until_true '[ -s up.txt ]' || fail "the keeper of another node"
[ -e $shared ] && [ -d tmp/ompi.other.0/jf.7 ] || fail "another node: cleaned up too early"
kill -KILL $daemon $(cat /proc/$daemon/task/$daemon/children)
wait $daemon 2>/dev/null
until_true "[ ! -e $shared ] && [ ! -d tmp/ompi.other.0/jf.7 ]" || fail "another node: left behind: $shared $(ls -R tmp)"
rm -rf $shared tmp/ompi.other.0

# lbrun itself is the only rank of some job, of whichever MPI: which rank that is says nothing of ours.
env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 PMIX_RANK=0 PMI_RANK=0 PMI_SIZE=1 PMI_FD=99 \
    "$lbrun" --nodes 2 --cores 2 --degree 2 -- "$program" --iterations 2 >out.txt 2>err.txt || fail "a rank of another job: exit code $?"

# As root it works, and says once what it did about it.
unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
"$lbrun" --nodes 2 --cores 2 --degree 2 -- "$program" --iterations 2 >out.txt 2>err.txt || fail "as $(id -un): exit code $?"
expected=0
[ $mpi = openmpi ] && [ "$(id -u)" -eq 0 ] && expected=1
[ "$(grep -c OMPI_ALLOW_RUN_AS_ROOT err.txt)" -eq $expected ] || fail "as $(id -un)"
"$lbrun" doctor "$program" >out.txt 2>err.txt || fail "doctor, as $(id -un): $(cat out.txt)"

# What is offered can be had, some with a launch line alone.
for system in $("$lbrun" --help | sed -n '/--system NAME/,/--nodes N/p' | sed -n 's/^ \{27\}\([a-z][a-z]*\)  .*/\1/p'); do
    "$lbrun" --dry-run --nodes 2 --cores 2 --system $system -- "$program" >out.txt 2>err.txt ||
        grep -q -e "--system $system: .* is no launcher: write the line that starts the program" err.txt || fail "--system $system"
done
[ "${system:-}" ] || fail "--help offers no system"
rm -rf tmp
[ $failures -eq 0 ]
