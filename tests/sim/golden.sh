#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Seeded runs give the same results, digit for digit, in every build. Usage: golden.sh LBSIM [--renew]
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
golden=$source/tests/sim/golden.csv
if [ "${2:-}" = --renew ]; then
        "$1" "$source/tests/sim/golden.json" --format csv --quiet >"$golden"
        exit 0
fi
"$1" "$source/tests/sim/golden.json" --format csv --quiet | diff "$golden" - && echo "identical to $golden"
