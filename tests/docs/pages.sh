#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual pages and completions that programs write: groff and man find nothing to warn of, shells can read the
# scripts, bash completes from them, and every option of --help is on the page of its command.
# Usage: pages.sh PAGES PROGRAM...
set -u
pages=$1
shift
failed=0
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }

quiet() { # DESCRIPTION COMMAND...: it succeeds and says nothing on standard error
    what=$1
    shift
    "$@" >/dev/null 2>warnings.txt || fail "$what: ends with $?"
    [ ! -s warnings.txt ] || fail "$what: $(cat warnings.txt)"
}

same_options() { # PAGE COMMAND...
    page=$1
    shift
    "$@" --help | sed -n 's/^  \(--[a-z_-]*\).*/\1/p' | sort >help.txt
    sed -n 's/^\\fB\\-\\-\([a-z_\\-]*\)\\fR.*/--\1/p' "$page" | tr -d '\\' | sort >page.txt
    [ -s help.txt ] || fail "$page: no options in --help"
    cmp -s help.txt page.txt || fail "$page: its options are not those of --help: $(diff help.txt page.txt)"
}

for program; do
    name=${program##*/}
    [ -s "$pages/man/man1/$name.1" ] || fail "no page of $name"
    for page in "$pages/man/man1/$name"*.1; do
        ! command -v groff >/dev/null || quiet "$page" groff -man -ww -Tutf8 "$page"
        ! command -v mandoc >/dev/null || quiet "$page" sh -c 'mandoc -T lint -W warning "$1" >&2' sh "$page"
        ! command -v man >/dev/null || quiet "$page" man --warnings -l "$page"
        command=${page##*/"$name"}
        command=${command%.1}
        # shellcheck disable=SC2086 # no command, no word
        same_options "$page" "$program" ${command#-}
    done
    "$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >commands.txt
    while read -r command; do
        [ -s "$pages/man/man1/$name-$command.1" ] || fail "no page of $name $command"
    done <commands.txt
    quiet "bash completion of $name" bash -n "$pages/bash-completion/completions/$name"
    ! command -v fish >/dev/null || quiet "fish completion of $name" fish -n "$pages/fish/vendor_completions.d/$name.fish"
    ! command -v zsh >/dev/null || quiet "zsh completion of $name" zsh -n "$pages/zsh/site-functions/_$name"
done

complete() { # PROGRAM EXPECTED WORD...: what bash offers for the last word
    program=$1
    expected=$2
    shift 2
    # shellcheck disable=SC2016 # for that bash
    found=$(bash -c 'compopt() { :; }; . "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); "_$1"
                     echo "${COMPREPLY[*]}"' bash "$pages/bash-completion/completions/$program" "$program" "$@")
    [ "$found" = "$expected" ] || fail "$program $*: completed by '$found', not '$expected'"
}
complete lbsim 'graph' gr
complete lbsim '--format' --fo
complete lbsim 'csv' --format c
complete lbsim 'csv' --format = c
complete lbsim 'lexicographic lp' solve x.json --solver l
complete lbsim '--solver' solve --so
complete lbsim 'results' schema r
complete lbsim 'policy' init p
complete lbsim 'winner' show x --figure wi
complete lbsim '' --out r
if [ -e "$pages/bash-completion/completions/lbrun" ]; then
    complete lbrun 'doctor' d
    complete lbrun 'global' --nodes 2 --system g
    complete lbrun 'mpich' measure --mpi m
    complete lbrun '' --nodes 2 -- --sys
fi

if command -v fish >/dev/null; then
    fish_offers() { # PROGRAM LINE WORD: is among what fish offers for the end of LINE
        fish -c "source '$pages/fish/vendor_completions.d/$1.fish'; complete -C '$2'" | cut -f 1 | grep -qx -e "$3" ||
            fail "fish: '$2' is not completed by '$3'"
    }
    fish_offers lbsim 'lbsim gr' graph
    fish_offers lbsim 'lbsim x.json --fo' --format
    fish_offers lbsim 'lbsim init p' policy
    fish_offers lbsim 'lbsim solve x.json --solver l' lexicographic
fi

[ "$failed" = 0 ] && exit 0
echo "$failed failed"
exit 1
