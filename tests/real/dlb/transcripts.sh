#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A DLB library answers as the real one did when the transcripts were recorded: the stand-in as any version,
# or a real one (LBRUN_DLB_LIB) as its own. Usage: transcripts.sh TRANSCRIPT_PROGRAM STAND_IN|real
set -u
program=$1 library=$2 here=$(cd "$(dirname "$0")" && pwd)
status=0

# same FILE: as recorded there
same() {
    "$program" "$here/$1" >found.txt 2>warnings.txt || { cat warnings.txt; status=1; }
    diff "$here/$1" found.txt || { echo "FAILED: $1"; status=1; }
}

if [ "$library" = real ]; then
    [ -n "${LBRUN_DLB_LIB:-}" ] || { echo "no LBRUN_DLB_LIB: skipped"; exit 77; }
    version=$("$program" --version) || exit 1
    echo "DLB $version"
    case $version in
    3.5.*) same transcript-3.5.txt ;;
    *) same transcript-3.6.txt ;;
    esac
else
    export LBRUN_DLB_LIB="$library"
    for version in 3.6.2 3.7.0; do
        LB_DLB_VERSION=$version same transcript-3.6.txt
    done
    LB_DLB_VERSION=3.5.3 same transcript-3.5.txt
fi
exit $status
