#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun measure: known loads are found in C, Fortran and Python; what cannot be measured is said; exit codes pass.
# Usage: measure.sh MPI OTHER_MPI LBRUN LBSIM BURN BURN_OTHER TOOL SOURCE_DIR
set -u
mpi=$1 other=$2 lbrun=$3 lbsim=$4 burn=$5 burn_other=$6 tool=$7 source=$8
. "$(dirname "$0")/../job.sh"
. "$(dirname "$0")/measured.sh"
set_launch

# says TEXT: and there is no measurement
says() {
    grep -q -e "$1" err.txt || fail "no '$1'"
    [ ! -e m ] || fail "there is a measurement: $(ls m)"
}

# Processor time 1:2:3:4 on whatever CPUs there are, and its parts. (0.5 % of a second of load are 5 ms.)
truth='m["ranks"] == 4 and close(m["imbalance"]["run"], 1.6, 0.005) and close(m["imbalance"]["synchronisations"], 1.6, 0.005)'
measure 0 $launch -n 4 "$burn" 0.1 10 tell
holds "$truth"
holds 'all(close(m["cpu_s"][i], i + 1, 0.01) for i in range(4))'
holds 'm["mpi_calls"] == 44 and m["synchronisations"] == 10 and m["complete"] and m["overhead_percent"] < 1'
! grep -q 'no computing' err.txt || fail "of computing: $(grep 'no computing' err.txt)"
holds 'm["launch"] == "'"$launch -n 4 $burn 0.1 10 tell"'" and not m["openmp"]'
holds 'm["parallel_regions"] == m["alike_regions"] == [0] * 4'
holds '(m["pop"]["parallel_efficiency"] is None) == (m["runnable_part"] > 0.1)'
[ "$(ls m | tr '\n' ' ')" = 'loads.csv measured.json talp.json windows.csv ' ] || fail "left in m: $(ls m)"

# Its iterations: nine between ten meetings, what was before them and after.
holds 'm["iterations"]["count"] == 9 and m["rows"] == "iterations" and close(m["imbalance"]["iterations"], 1.6, 0.005)'
holds 'm["iterations"]["begin_with"] == "MPI_Allreduce" and 0.85 < m["iterations"]["part_of_load"] < 0.95'
# Rows are held against what the program itself read of its clock: on a busy machine a burn may be longer than it was
# to be (the time of a hypervisor's other guests looks like its own).
holds '(used := {tuple(map(int, w[1:3])): float(w[3]) for w in map(str.split, open("out.txt")) if w[0] == "used"}) and len(used) == 40 and (rows := [line.split(",") for line in open("m/loads.csv")][1:]) and len(rows) == 44 and all(close(float(r[2]), used[int(r[0]), int(r[1])], 0.005) for r in rows[4:40])'
holds 'm["sites"][0]["call"] == "MPI_Allreduce" and m["sites"][0]["calls"] == 40 and m["sites"][0]["module"].endswith("'"${burn##*/}"'") and close(m["sites"][0]["imbalance_before"], 1.6, 0.01)'
holds '(t := json.load(open("m/talp.json"))) and t["resources"]["numMpiRanks"] == 4 and close(t["Application"]["Global"]["usefulTime"], 1e9 * sum(m["load_s"]), 1e-6) and len(t["Process"]["Global"]) == 4'

# It leaves no canaries on the program's stack: programs that read what they never set (ScaLAPACK's) would notice.
library=${lbrun%/*}/lib/liblbrun-measure-$mpi.so
nm -D "$library" | grep -q ' U .*clock_gettime' || fail "no names in $library"
nm -D "$library" | grep -q 'stack_chk' && fail "$library has a stack protector"

# What is measured is a workload.
echo '{ "name": "m", "platform": { "nodes": 1, "cores_per_node": 4, "appranks_per_node": 4 }, "graph": { "degree": 1 },
  "workload": { "model": "trace", "file": "m/loads.csv" }, "system": { "name": "baseline" } }' >m.json
"$lbsim" m.json --quiet >simulated.txt || fail "lbsim: the loads"

# A measurement that is there is not written over.
timeout 60 "$lbrun" measure --out m -- $launch -n 2 "$burn" >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q "'m': it has a measurement already" err.txt || fail "a measurement was there"

# Nor one that another job is writing.
rm -rf m
for job in 1 2; do
    (timeout 100 "$lbrun" measure --out m -- $launch -n 1 "$burn" 0.1 10 >job$job.txt 2>&1
    echo "code $?" >>job$job.txt) &
done
wait
[ "$(cat job1.txt job2.txt | grep -c '^code 0$')" -eq 1 ] || fail "two jobs, one directory: $(cat job1.txt job2.txt)"
grep -q -e "another job is writing 'm/measured.json'" -e 'has a measurement already' job1.txt job2.txt ||
    fail "two jobs, one directory: $(cat job1.txt job2.txt)"

# Without a name for it, each takes one that no other has.
rm -rf measured measured-*
for job in 1 2; do
    (timeout 100 "$lbrun" measure -- $launch -n 1 "$burn" 0.1 10 >job$job.txt 2>&1
    echo "code $?" >>job$job.txt) &
done
wait
[ "$(cat job1.txt job2.txt | grep -c '^code 0$')" -eq 2 ] && [ -e measured/measured.json ] && [ -e measured-2/measured.json ] ||
    fail "two jobs, no directory: $(ls -d measured*; cat job1.txt job2.txt)"

# What an lbrun that was killed has left of its ranks goes with the next measurement there, and nothing else.
rm -rf m
"$lbrun" measure --out m -- $launch -n 1 "$burn" 0.1 100 >out.txt 2>&1 &
tries=0
until ls m/ranks-*/*.rank >/dev/null 2>&1 || [ $tries -gt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -9 $!
wait $! 2>/dev/null
[ "$(ls -d m/ranks-* | wc -l)" -eq 1 ] || fail "nothing was left by kill -9: $(ls -R m)"
mkdir m/ranks-mine && echo kept >m/ranks-mine/file
timeout 100 "$lbrun" measure --out m -- $launch -n 1 "$burn" 0.02 3 >out.txt 2>err.txt || fail "after kill -9"
[ "$(echo m/ranks-*)" = m/ranks-mine ] && [ -e m/ranks-mine/file ] || fail "after kill -9: $(ls -R m)"

# Load that moves: none over the run, all of it between synchronisations.
measure 0 $launch -n 4 "$burn" 0.05 4 drift
holds 'close(m["imbalance"]["run"], 1, 0.02) and close(m["imbalance"]["synchronisations"], 1.6, 0.02)'
# Each rank waits, but never the last one.
holds '0 < m["transfer_s"] < 0.5 * min(m["mpi_s"])'

# Who spins on memory that it shares with another is said to work, and so is that there is such memory.
cat >window.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, unit;
    volatile int *word;
    MPI_Aint size;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof(*word) : 0, sizeof(*word), MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&word, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, (void *)&word);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (rank == 0)
        *word = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        *word = 1;
    while (*word != 1)
        ;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
END
mpicc.$mpi -O1 window.c -o window || exit 1
measure 0 $launch -n 2 ./window
holds 'm["shared_windows"] == 1'
grep -q 'it has 1 window of shared memory' err.txt || fail "a shared window"

# Blocked is load, too, and no computing, which is said.
measure 0 $launch -n 2 "$burn" 0.2 3 sleep
holds 'm["cpu_s"][1] < 0.1 and m["blocked_s"][1] > 1.1 * m["blocked_s"][0] and m["imbalance"]["run"] > 1.2'
grep -q '  \(9[0-9]\|100\) % of the load was no computing: ranks were blocked outside MPI' err.txt || fail "blocked: what is said"

# What its own user has set setuid has no other rights, and is measured as any.
cp "$burn" own && chmod u+s own || exit 1
measure 0 $launch -n 2 ./own 0.05 2
grep -q setuid err.txt && fail "setuid to who starts it"

# Parts: of the program's code, and of its time. What is asked for must be there.
mpicc.$mpi -g -O1 "$source/tests/real/measure/parts.c" -o parts || exit 1
measure 0 $launch -n 2 ./parts regions
holds '[r["visits"] for r in m["regions"]] == [5, 5] and close(m["regions"][0]["load_s"], 0.6, 0.02) and close(m["regions"][1]["load_s"], 0.5, 0.02)'
holds 'sorted(json.load(open("m/talp.json"))["Application"]) == ["Global", "Region 1", "Region 2"]'
measure 0 --from 0.3 --for 1 -- $launch -n 2 ./parts change
holds 'close(m["wall_s"], 1, 0.001) and m["imbalance"]["run"] < 1.3'
measure 0 --from 2.5 --for 1.5 -- $launch -n 2 ./parts change
holds 'm["wall_s"] <= 1.5001 and m["imbalance"]["run"] > 1.3'
# ... where the program's numbers have a comma, too.
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n' >source
localedef -c --no-archive -i source -f ANSI_X3.4-1968 ./comma >locale.txt 2>&1
export LOCPATH="$PWD" LC_NUMERIC=comma
measure 0 --from 0.3 --for 1.5 -- $launch -n 2 ./parts change
unset LOCPATH LC_NUMERIC
holds 'close(m["wall_s"], 1.5, 0.001)'
measure 125 --from 1000 -- $launch -n 2 ./parts regions
says 'not measured: rank 0 ended .* before the time of --from'
measure 2 --for soon -- $launch -n 2 ./parts regions
says "measure: --for: found 'soon', allowed is a number from 0"

# Sessions without MPI_Init are measured; ranks that are spawned are counted.
./parts session
if [ $? -ne 77 ]; then
    measure 0 $launch -n 2 ./parts session
    holds 'm["ranks"] == 2 and m["complete"] and close(m["imbalance"]["synchronisations"], 4 / 3, 0.02) and close(m["load_s"][1], 0.4, 0.03)'
fi
if [ "$mpi" = openmpi ]; then # the other cannot spawn here
    measure 0 $launch -n 2 ./parts spawn
    holds 'm["ranks"] == 2 and m["spawned_ranks"] == 2'
fi

# Ends: exit codes pass, what there is of a rank that was killed is kept and said.
measure 3 $launch -n 2 "$burn" 0.01 2 code
holds 'm["ranks"] == 2 and m["complete"]'
measure 0 $launch -n 2 sh -c "\"$burn\" 0.05 2; true"
holds 'm["ranks"] == 2 and close(m["imbalance"]["run"], 4 / 3, 0.05)'
rm -rf m
timeout 60 "$lbrun" measure --out m -- $launch -n 2 "$burn" 0.05 3 kill >out.txt 2>err.txt && fail "a killed rank: exit code 0"
holds 'm["ranks"] == 2 and not m["complete"] and m["imbalance"]["run"] > 1.1'
grep -q 'ended without a word' err.txt || fail "a killed rank"

# What is not measured is said, with what to do.
measure 125 $launch -n 2 sleep 0.2
says 'not measured: no MPI call was seen'
rm -rf m
timeout -s INT 1 "$lbrun" measure --out m -- $launch -n 2 sleep 30 >out.txt 2>err.txt && fail "interrupted: exit code 0"
says 'not measured: ended by signal 2, Interrupt: no MPI call was seen'
[ -e m ] && fail "interrupted before anything was measured: a directory is left"

# Interrupted it leaves none of the files that its ranks had in /dev/shm.
rm -rf m
leaves_no_files measure --out m -- $launch -n 2 "$burn" 0.05 2000
if [ -n "$burn_other" ]; then
    rm -rf m
    timeout 60 "$lbrun" measure --out m -- $launch -n 2 "$burn_other" 0.01 2 >out.txt 2>err.txt && fail "another MPI: exit code 0"
    says "not measured: .*burn.* is built with .*, its launcher is that of .*: each rank would run alone; start it with"
fi
measure 125 --mpi $mpi -- sh -c "$launch -n 2 '$burn' 0.01 1; $launch -n 2 '$burn' 0.01 1"
says 'more than one MPI program ran'
measure 0 --mpi $mpi -- sh -c "exec $launch -n 2 '$burn' 0.05 2"
holds 'm["ranks"] == 2 and close(m["imbalance"]["run"], 4 / 3, 0.05)'
echo 'int main(void) { return 0; }' >static.c
if cc -static static.c -o static; then
    measure 125 $launch -n 2 ./static
    says "'./static' is linked statically, so nothing can be measured of it: link it with MPI's shared library"
fi
measure 2 nosuch -n 2 "$burn"
says "'nosuch' is no launcher"
measure 2 mpirun.nowhere -n 2 "$burn"
says "program 'mpirun.nowhere' is not found on PATH"
measure 2 env A=1 $launch -n 2 "$burn"
says "(what is before 'mpirun.$mpi' belongs before lbrun)"

# Another tool that the user preloads sees its calls, and we do.
if [ "$mpi" = openmpi ]; then
    rm -f tool.[01]
    LD_PRELOAD=$tool measure 0 $launch -x TOOL_OUT=tool -n 2 "$burn" 0.01 3
else
    LD_PRELOAD=$tool TOOL_OUT=tool measure 0 $launch -n 2 "$burn" 0.01 3
fi
grep -q '^Allreduce 3$' tool.0 && grep -q '^Allreduce 3$' tool.1 || fail "the tool: $(cat tool.?)"
# Also where the launch line preloads it itself.
rm -f tool.[01]
TOOL_OUT=tool measure 0 $launch -n 2 env LD_PRELOAD="$tool" "$burn" 0.01 3
grep -q '^Allreduce 3$' tool.0 && grep -q '^Allreduce 3$' tool.1 || fail "the tool of env: $(cat tool.?)"
rm -f tool.[01]
case $mpi in
openmpi) measure 0 $launch -x TOOL_OUT=tool -x LD_PRELOAD="$tool" -n 2 "$burn" 0.01 3 ;;
mpich) TOOL_OUT=tool measure 0 $launch -genv LD_PRELOAD "$tool" -n 2 "$burn" 0.01 3 ;;
esac
grep -q '^Allreduce 3$' tool.0 && grep -q '^Allreduce 3$' tool.1 || fail "the tool of the line: $(cat tool.?)"
holds 'm["mpi_calls"] == 8'

# A disk that is full: said, and the program goes on to its end.
cat >full.sh <<'END'
mount -t tmpfs -o size=$1 tmpfs full || exit 77
lbrun=$2
shift 2
timeout 120 "$lbrun" measure --out full/m -- "$@"
END
mkdir -p full
for size in 64k 1500k; do
    rm -rf m
    unshare -m sh full.sh $size "$lbrun" $launch -n 2 "$burn" 0.01 3 >out.txt 2>err.txt
    code=$?
    if [ $code -eq 77 ] || grep -q "not permitted" err.txt; then
        echo "full disk: not tried, needs a mount"
        break
    fi
    [ $code -eq 125 ] || fail "full disk: exit code $code"
    says 'not measured: .*cannot be written: No space left on device'
done

# Libraries for GPUs: the program's own are named, and those that it loads later, not one that MPI brings (here: a tool behind us).
cat >gpu.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        if (argc > 1)
                dlopen("libze_loader.so.1", RTLD_NOW);
        MPI_Finalize();
}
END
cat >brings.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int MPI_Init(int *argc, char ***argv)
{
        dlopen("libhsa-runtime64.so.1", RTLD_NOW);
        return PMPI_Init(argc, argv);
}
END
for library in libcudart.so.12 libhsa-runtime64.so.1 libze_loader.so.1; do
    echo "int a_name_of_it_$(echo $library | tr -dc a-z);" | ${CC:-cc} -shared -fPIC -x c - -Wl,-soname,$library -o $library || exit 1
done
mpicc.$mpi -w -shared -fPIC brings.c -o brings.so && mpicc.$mpi -w gpu.c -o gpu-none &&
    mpicc.$mpi -w gpu.c -Wl,--no-as-needed ./libcudart.so.12 -o gpu-linked || exit 1
for row in "none - :" "linked - :CUDA" "none later :oneAPI" "linked later :CUDA, oneAPI"; do
    set -- $row
    argument=$2
    [ "$2" = - ] && argument=
    LD_LIBRARY_PATH=$PWD LD_PRELOAD=$PWD/brings.so measure 0 $launch -n 2 ./gpu-$1 $argument
    holds "m['gpu_libraries'] == '${row#*:}'"
done

# Fortran, each way.
if command -v mpifort.$mpi >/dev/null && command -v gfortran >/dev/null; then
    for way in HEADER MODULE MODULE_08; do
        mpifort.$mpi -O1 -D$way "$source/tests/real/measure/burn.F90" -o burn-$way || exit 1
        measure 0 $launch -n 4 ./burn-$way
        holds "$truth and m['mpi_calls'] == 24 and m['iterations']['count'] == 4"
        holds "m['sites'][0]['module'].endswith('burn-$way')"
    done
fi

# Python, where mpi4py is of this MPI.
cat >burn.py <<'END'
import time
from mpi4py import MPI
for step in range(5):
    end = time.thread_time() + 0.1 * (MPI.COMM_WORLD.rank + 1)
    while time.thread_time() < end:
        pass
    MPI.COMM_WORLD.Barrier()
END
python=
for each in python3 /usr/bin/python3; do
    command -v $each >/dev/null && $each -c 'import mpi4py' 2>/dev/null && python=$each && break
done
vendor=$([ -n "$python" ] && $python -c 'from mpi4py import MPI; print(MPI.get_vendor()[0])' 2>/dev/null)
case "$mpi $vendor" in
"openmpi Open MPI" | "mpich MPICH")
    measure 0 $launch -n 4 $python burn.py
    holds 'm["ranks"] == 4 and close(m["imbalance"]["run"], 1.6, 0.01)' # starting Python's module is some load
    holds 'm["sites"][0]["call"] == "MPI_Barrier" and m["sites"][0]["place"] == "burn.py:7" and m["sites"][0]["calls"] == 20'
    ;;
esac
[ "$failures" -eq 0 ]
