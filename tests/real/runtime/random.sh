#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random programs, graphs of tasks with data, dependencies and children, in random jobs: system, nodes, cores, degree and
# parameters are drawn from the program's number. Each gives what a serial run gives, to the last bit. Usage:
# random.sh LBRUN RANDOM_TASKS FIRST COUNT [ROUNDS]
set -u
lbrun=$1 random=$2 first=$3 count=$4 rounds=${5:-2}
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# draw N: a number below N that follows from the program's.
draw() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1))
}

# The job of a program: its options are in $options.
job() {
    state=$1
    draw 3 && nodes=$((drawn + 1))
    draw 4 && cores=$((drawn + 1)) # also one a rank
    draw 4 && poll_s=0.0$((drawn * 2 + 2))
    draw 2 && each=$((drawn + 1))
    set -- baseline dlb local global dynamic tight chameleon chameleon
    draw $# && shift "$drawn"
    system=$1 degree=1
    case $system in
    local | global | tight) degree=$nodes ;;
    chameleon) each=1 ;;
    esac
    [ $((cores)) -ge $((degree * each)) ] || each=1
    [ "$cores" -ge "$degree" ] || cores=$degree
    options="--nodes $nodes --cores $cores --appranks-per-node $each --system $system --param poll_s=$poll_s"
    case $system in
    dynamic) options="$options --param period_s=0.05 --param grow_period_s=0.05 --param grow_gain=0 --param grow_idle_s=0.1" ;;
    chameleon)
        draw 4 && options="$options --param migrate_at_once=$((1 + drawn * 5))"
        draw 3 && options="$options --param replicate_share=0.$((drawn * 4))"
        draw 2 && [ "$drawn" -eq 0 ] || options="$options --param migrate=least --param exchange_us=0"
        ;;
    *) options="$options --degree $degree" ;;
    esac
}

seed=$first
while [ "$seed" -lt $((first + count)) ]; do
    job "$seed"
    # shellcheck disable=SC2086
    timeout 120 "$lbrun" --quiet $options -- "$random" "$seed" "$rounds" >"$output" 2>&1 || {
        echo "FAILED with $?: program $seed, $options"
        cat "$output"
        failures=$((failures + 1))
    }
    seed=$((seed + 1))
done
echo "$count programs, $failures wrong"
[ "$failures" -eq 0 ]
