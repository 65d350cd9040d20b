#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbsim replay, as a user calls it, on logs of a job of two nodes: logs/agrees.*, and logs/differs.0,
# in which one decision was changed by hand. Their jobs are of a version that was JSON; a log's job is not read. Usage: cli_replay.sh LBSIM LOGS
set -eu
lbsim=$1
logs=$2

fail() {
        echo "$*"
        exit 1
}

# expect STATUS TEXT ARGUMENT...: exits so, and says the text
expect() {
        status=$1 text=$2
        shift 2
        found=0
        said=$("$lbsim" replay "$@" 2>&1) || found=$?
        [ "$found" = "$status" ] || fail "replay $*: exit code $found, expected $status: $said"
        case $said in
        *"$text"*) ;;
        *) fail "replay $*: said \"$said\", expected \"$text\"" ;;
        esac
}

expect 0 '2 files, ' "$logs/agrees"
expect 0 'global       allocation        1             9            2            0' "$logs/agrees.0"
expect 0 'lewi         lending           2 ' "$logs/agrees.0"
expect 0 '1 file, ' "$logs/agrees.1"
expect 1 'at 4.858000 s, cores from its worker 1: decides 2 1 1 now, decided 1 1 2 then' \
        "$logs/differs.0"
expect 1 '3 files, ' "$logs/agrees" "$logs/differs"
head -c 5000 "$logs/agrees.0" >cut
expect 0 '1 line incomplete: the job was killed' cut
sed '7s/placing/plading/' "$logs/agrees.0" >damaged
expect 2 'damaged:7: damaged: its checksum is ' damaged
sed 9d "$logs/agrees.0" >missing
expect 2 'missing:9: record 8 of worker 0, expected its record 7' missing
expect 2 'not a decision log' "$0"
expect 2 'found neither "nowhere" nor "nowhere.0", must be a decision log' nowhere
expect 2 'no decision log given'
expect 2 "unknown option '--fast'" --fast
expect 2 'Is a directory' .
expect 0 'Usage: lbsim replay FILE' --help
