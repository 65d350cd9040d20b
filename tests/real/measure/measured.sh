# SPDX-License-Identifier: BSD-3-Clause
# What tests of lbrun measure have in common; behind job.sh, with $lbrun.

# measure EXPECTED_CODE [--mpi MPI --] LINE...: into directory m
measure() {
    expected=$1
    shift
    rm -rf m
    options=
    while [ "${1#--}" != "$1" ]; do
        [ "$1" != -- ] && options="$options $1 $2" && shift
        shift
    done
    timeout 120 "$lbrun" measure --out m $options -- "$@" >out.txt 2>err.txt
    code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code, expected $expected"
}

# holds CLAIM: in Python, of the measurement m and close(a, b, within)
holds() {
    python3 - "$1" <<'END' || fail "does not hold: $1: $(cat m/measured.json err.txt)"
import json, sys
m = json.load(open("m/measured.json"))
close = lambda a, b, within: abs(a / b - 1) <= within
sys.exit(not eval(sys.argv[1]))
END
}
