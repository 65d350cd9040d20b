#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tasks that wait at home for a core are given to helpers that ask, and their data arrives right, wherever it was.
# Usage: given.sh LBRUN PLUGIN PROGRAM
set -u
lbrun=$1 plugin=$2 program=$3
. "$(dirname "$0")/../job.sh"
with_mpi_in_process

# given NODES: by home's decisions of occasion 6 (PLACE_WAITING, policies/place.h), and by the program's own count
given() {
    timeout 120 "$lbrun" --quiet --nodes "$1" --cores 3 --degree "$1" --policy "$plugin" --param ask=true --param ask_waiting=true \
        --decisions decisions -- "$program" >out.txt 2>err.txt || fail "$1 nodes: exit code $?"
    grep -q 'elsewhere [1-9]' out.txt || fail "$1 nodes: no task ran elsewhere"
    grep -q '^0 [0-9]* refill [0-9]* 6 .* = [1-9]' decisions.0 || fail "$1 nodes: none was given while it waited"
    [ "$failures" -eq 0 ] || cat out.txt err.txt
}

given 2
given 3
[ "$failures" -eq 0 ]
