#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun measure: where a rank is more than one thread that computes. Teams and tasks of OpenMP, threads and processes of
# its own, who waits for them and polls, files.
# Usage: threads.sh MPI LBRUN BURN SOURCE_DIR
set -u
mpi=$1 lbrun=$2 burn=$3 source=$4
. "$(dirname "$0")/../job.sh"
. "$(dirname "$0")/measured.sh"
. "$(dirname "$0")/../../clang.sh"
set_launch

# Threads of a team count in regions, not while they wait or spin after one.
find_clang -fopenmp
teams="gcc $clang"
for compiler in $teams; do
    MPICH_CC=$compiler OMPI_CC=$compiler mpicc.$mpi -O1 -fopenmp "$source/tests/real/measure/team.c" -o team-$compiler || exit 1
    measure 0 $launch -n 2 ./team-$compiler 10
    holds 'm["openmp"] and m["threads"] == [2, 2] and close(m["load_s"][0], 0.4, 0.05) and close(m["load_s"][1], 0.7, 0.05)'
    holds 'close(m["team_s"][0], 0.1, 0.05) and close(m["team_s"][1], 0.2, 0.05)'
    # One region a step, and a step an iteration.
    holds 'm["parallel_regions"] == [10, 10] and m["rows"] == "iterations" and all(close(n, 1, 1e-6) for n in m["alike_regions"])'
    # 10 ms of each step are in none, and regions name their number (of which clang's library says nothing where it is the usual one).
    holds 'all(close(s, 0.1, 0.1) for s in m["serial_s"])'
    [ $compiler != gcc ] || holds 'all(close(f, l - 0.1, 0.05) for f, l in zip(m["fixed_s"], m["load_s"]))'
    # Where they spin on CPUs that others need, what lets them sleep is said.
    if [ $compiler = gcc ]; then
        unbound=$([ "$mpi" != openmpi ] || echo '--bind-to none')
        export GOMP_SPINCOUNT=1000000000
        measure 0 $launch $unbound -n "$(nproc)" ./team-gcc 10
        unset GOMP_SPINCOUNT
        grep -q 'OMP_WAIT_POLICY=passive' err.txt || fail "threads spin on CPUs that others need, and nothing is said"
    fi
    # In regions within regions, too, whichever thread opens them.
    measure 0 $launch -n 2 ./team-$compiler 10 nested
    holds 'm["threads"] == [4, 4] and close(m["load_s"][0], 0.4, 0.05) and close(m["load_s"][1], 0.7, 0.05)'
    holds 'm["parallel_regions"] == [10, 10]'
    # A part begins before the regions that follow have read the clocks, though the next call to MPI is behind them.
    measure 0 --from 0.3 -- $launch -n 2 ./team-$compiler 0 late
    holds 'all(close(cpu, 0.2, 0.1) for cpu in m["cpu_s"]) and m["parallel_regions"] == [10, 10]'
    # Regions of one thread have nobody to wait for: all that they take is work, however small they are.
    for how in single inner; do
        measure 0 $launch -n 2 ./team-$compiler 0 $how
        holds '(used := {int(w[1]): float(w[2]) for w in map(str.split, open("out.txt")) if w[0] == "used"}) and all(close(m["load_s"][i], used[i], 0.05) for i in range(2))'
        # They are counted, some of them for those between, but not within regions; and they are OpenMP's.
        holds 'm["openmp"] and all('"$([ $how = single ] && echo 'close(n, 200000, 0.001)' || echo 'n == 1')"' for n in m["parallel_regions"])'
    done
    # What the measurement takes in regions is in what it says that it takes.
    measure 0 $launch -n 1 ./team-$compiler 0 wait
    holds 'm["overhead_percent"] > (5 if m["runnable_part"] < 0.1 else 1)'
done

# So do tasks, wherever the threads that wait run them, with what they were given; asleep is blocked, which is load.
for how in "gcc barrier" "gcc sleep" "gcc wait" "gcc loop" ${teams#gcc}; do
    compiler=${how%% *}
    [ "$compiler" = "$how" ] && how="$compiler loop"
    MPICH_CC=$compiler OMPI_CC=$compiler mpicc.$mpi -O1 -fopenmp "$source/tests/real/measure/tasks.c" -o tasks-$compiler || exit 1
    measure 0 $launch -n 4 ./tasks-$compiler 10 "${how#* }"
    holds 'close(m["imbalance"]["run"], 1.6, 0.015) and close(m["load_s"][3], 0.8, 0.05) and m["team_s"][3] > 0.2'
    grep -q 'it has OpenMP tasks' err.txt out.txt && fail "$how: tasks were not seen"
done

# Threads of its own, for which the first waits outside MPI, on fewer CPUs than there are threads: waiting is load as far
# as they have a CPU.
mpicc.$mpi -O1 -pthread "$source/tests/real/measure/threads.c" -o threads || exit 1
for how in join pool; do
    measure 0 $launch -n 3 ./threads 12 $how
    holds 'close(m["imbalance"]["run"], 4 / 3, 0.1) and all(close(m["load_s"][i], 0.24 * (i + 2), 0.3) for i in range(3))'
done

# What the first waits for the end of a thread that waits in MPI is no load. Where that polls now and then, and sleeps
# meanwhile, how long is said, since that may be waiting for another rank. What the first waits for threads that
# compute, or for a disk where no other calls MPI, is not.
mpicc.$mpi -O1 -pthread "$source/tests/real/measure/handed.c" -o handed || exit 1
measure 0 $launch -n 2 ./handed receive
holds 'm["unseen_s"][0] > 0.8 * m["load_s"][0] > 0.25 and m["unseen_s"][1] == 0'
grep -q 'in which it may have waited for another' err.txt || fail "not said"
measure 0 $launch -n 2 ./handed spin
holds 'm["load_s"][0] < 0.05 and m["mpi_s"][0] > 0.4 and m["load_s"][1] > 0.4'
measure 0 $launch -n 2 ./handed compute
holds 'm["unseen_s"][0] < 0.3 * m["load_s"][0] and m["load_s"][0] > 0.4'
measure 0 $launch -n 2 "$burn" 0.1 3 sleep
holds 'm["unseen_s"] == [0, 0] and m["files_s"] == [0, 0]'

# A second thread that communicates while the first computes takes nothing from that one's load and adds none; what it
# computes itself is load, wherever the first is. Who ends MPI does not matter. One that polls for seconds beside much
# other work is told to a percent of that.
mpicc.$mpi -O1 -pthread "$source/tests/real/measure/helpers.c" -o helpers || exit 1
for how in talk chat; do
    measure 0 $launch -n 2 ./helpers 30 $how
    holds 'all(close(m["cpu_s"][i], 0.3 * (i + 1), 0.06) for i in range(2)) and all(t < 0.04 for t in m["team_s"])'
    holds 'all(close(m["load_s"][i] - m["unseen_s"][i], m["cpu_s"][i], 0.12) for i in range(2)) and m["threads"] == [1, 1]'
done
measure 0 $launch -n 2 ./helpers 30 work
holds 'all(close(m["load_s"][i] - m["unseen_s"][i], 0.3 * (i + 1) + 0.6 * (2 - i), 0.06 if m["runnable_part"] < 0.45 else 0.12) for i in range(2)) and m["threads"] == [2, 2]'
measure 0 $launch -n 2 ./helpers 30 last
holds 'm["complete"] and all(close(m["load_s"][i] - m["unseen_s"][i], 0.3 * (i + 1), 0.06) for i in range(2))'
grep -q 'ended without' err.txt && fail "MPI ended in another thread"
for how in all rest; do
    measure 0 $launch -n 4 ./helpers 15 $how
    holds 'close(m["imbalance"]["run"], 1.6, 0.015) and all(close(m["load_s"][i], 0.3 * (i + 1), 0.06) for i in range(4)) and max(m["unseen_s"]) < 0.05'
done

# Nor does it matter that a part begins and ends while the first thread waits for the end of others.
measure 0 --from 0.3 --for 2.5 -- $launch -n 4 ./helpers 40 rest
holds 'close(m["imbalance"]["run"], 1.6, 0.25) and m["load_s"] == sorted(m["load_s"]) and m["load_s"][0] > 0.01'
# Where threads are far more than CPUs a wait that ends late may count some of what the other did then as MPI.
holds 'm["mpi_s"][0] > 0.1 and all(2.45 < m["load_s"][i] + m["mpi_s"][i] + m["runnable_s"][i] < 3.5 for i in range(4))'

# What a rank waits for a process that it runs is load, as far as that computes or sleeps, not where it has no CPU; and
# once. What they used the program says; to begin takes some ms.
mpicc.$mpi -O1 "$source/tests/real/measure/runs.c" -o runs || exit 1
used='(used := {int(w[1]): float(w[2]) for w in map(str.split, open("out.txt")) if w[0] == "used"})'
for how in system popen spawn fork poll; do
    measure 0 $launch -n 3 "$PWD/runs" 8 $how
    holds "$used"' and all(0.4 * (i + 1) <= used[i] and close(m["load_s"][i], used[i], 0.06) for i in range(3))'
done
measure 0 $launch -n 3 "$PWD/runs" 8 beside
holds "$used"' and all(0.4 * (i + 2) <= used[i] and close(m["load_s"][i], used[i], 0.06) for i in range(3))'
# Beside other work it is not told from waiting for a CPU.
measure 0 $launch -n 2 "$PWD/runs" 3 sleep
holds 'm["runnable_part"] > 0.1 or all(close(m["load_s"][i], 1.5 * (i + 1), 0.3) for i in range(2))'

# Who polls waits between two polls that find nothing, not who works there.
mpicc.$mpi -O1 "$source/tests/real/measure/polls.c" -o polls || exit 1
./polls part 0 >part.txt 2>&1 # alone it has nobody to send to
[ $? -eq 77 ] && part= || part=part
for how in at-once turn nap status memory $part meanwhile; do
    measure 0 $launch -n 2 ./polls $how 10
    holds 'close(m["imbalance"]["run"], 1.5, 0.07) and all(close(m["load_s"][i], 0.2 * (2 * i + 1), 0.3) for i in range(2))'
done

# Calls on files are in MPI, and told apart.
measure 0 $launch -n 2 ./handed files
holds 'all(0.5 * m["mpi_s"][i] < m["files_s"][i] <= m["mpi_s"][i] for i in range(2))'
grep -q ' % of the time in MPI was in calls on files' err.txt || fail "files are not said"
[ "$failures" -eq 0 ]
