#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A policy of one's own against others: verdicts are those of lbsim compare. Usage: cli_contest.sh LBSIM POLICY.so
bank=$(cd "$(dirname "$0")/../../../scenarios" && pwd)/contest.json
. "$(dirname "$0")/cli.sh"
plugin=$2
scenario >tiny.json
options='--set replicates=3 --set graph.degree=2 --set runtime.poll_s=0.1 --set sweep={"workload.imbalance":[1,1.5,2.25]}'

# shellcheck disable=SC2086 # words
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline,global $options --replicates 3 --quiet --format csv
mv out.txt contest.csv
for system in baseline global latest; do
    # shellcheck disable=SC2086 # words
    expect 0 '' "$lbsim" --policy "$plugin" tiny.json $options --set system.name=$system --quiet --no-figure --out $system
done
for system in baseline global; do
    expect 0 . "$lbsim" compare $system latest --all --format csv
    mv out.txt $system.csv
done
python3 - <<'END' || fail "other verdicts than those of lbsim compare"
import csv
contest = list(csv.DictReader(open("contest.csv")))
assert len(contest) == 6, len(contest)
for row in contest:
    imbalance = row["case"].split()[-1]
    other = [r for r in csv.DictReader(open(row["against"] + ".csv")) if r["workload.imbalance"] == imbalance]
    assert len(other) == 1, (row, other)
    for mine, its in (("pairs", "pairs"), ("theirs", "a"), ("ours", "b"), ("change_percent", "change_percent"), ("verdict", "verdict")):
        assert row[mine] == other[0][its], (row, other[0])
END

# A precision that the bank asks for would give each system other runs, and other work: there are so many of each as are asked for.
# shellcheck disable=SC2086 # words
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline,global $options --replicates 3 --quiet --format csv \
    --set precision=0.5 --set replicates_most=8
cmp out.txt contest.csv || fail "other runs with a precision: $(cat out.txt)"

# One run of a system without helpers is the partner of all graphs.
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline,local --replicates 2 --quiet --format csv --set graph.degree=2 \
    --set 'sweep={"graph.seed":[1,2,3]}'
[ "$(grep -c ',baseline,2,' out.txt)" -eq 3 ] || fail "not a partner for each graph: $(cat out.txt)"

# As a page: it wins against doing nothing where there is something to be done, and what it costs is said.
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline,global --quiet --set graph.degree=3
grep -q '^latest against 2 systems on 3 cases' out.txt || fail "no headline"
grep -q '^baseline  *[12]  *[01]  *[0-2]  *-[0-9]' out.txt || fail "no wins against baseline: $(cat out.txt)"
grep -q '^latest  *[0-9]' out.txt || fail "no costs"
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against global --quiet --format json
python3 -c 'import json; d = json.load(open("out.txt")); assert d["policy"] == "latest" and len(d["cases"]) == 6 and len(d["costs"]) == 2' ||
    fail "the JSON is not what it should be"

expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline,global --quiet --html page.html
for words in '<title>latest against 2 systems on 6 cases' 'Best of all on [0-9] of 6 cases\(, level with the best on [0-9]\)\{0,1\}[.;]' 'Case by case' '<td>baseline</td>' \
    'Cases won, and in pale those alike, of 6' '[0-6] won, [0-6] alike, [0-6] lost' 'how far behind the best system' \
    'lbsim contest .*--bank tiny.json --against baseline,global'; do
    grep -q "$words" page.html || fail "no '$words' on the page"
done
grep -Eq '(src|href)="?https?:|@import|<link' page.html && fail "the page needs something else"
grep -o '<th scope="col">.*</th>' page.html | sed 's/<[^>]*>/\n/g' | grep . | sort -u >heads
grep -n '_' heads && fail "the page's columns have names of the results for words"
for words in 'Theirs (s)' 'Ours (s)' 'Change (%)' 'Cases won' 'Energy of an iteration (J)' 'Data moved between nodes (bytes)'; do
    grep -qxF "$words" heads || fail "no column '$words' on the page: $(cat heads)"
done
grep -q 'time_per_iteration_s\|workload\.' page.html && fail "parameters' names for words: $(grep -o 'time_per_iteration_s\|workload\.[a-z]*' page.html | head -1)"
python3 "$(dirname "$bank")/../tests/plots/check_page.py" page.html baseline
code=$?
[ $code -eq 0 ] || [ $code -eq 77 ] || fail "the page in a browser"
expect 2 'cannot write' "$lbsim" contest "$plugin" --bank tiny.json --against global --quiet --html nowhere/page.html

# Systems that do the same are level, not the best.
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against local,global --quiet --set graph.degree=1 \
    --set 'sweep={"workload.imbalance":[1,2]}'
grep -q '^Best of all on 0 of 2 cases, level with the best on 2\.$' out.txt || fail "ties are victories: $(cat out.txt)"

# The bank that is installed, with all systems, reduced.
expect 0 '' "$lbsim" contest "$plugin" --replicates 2 --quiet --set platform.cores_per_node=8 --set platform.nodes=4 --set platform.appranks_per_node=2 \
    --set 'sweep={"workload.imbalance":[2]}' --bank "$bank" --set workload.iterations=4
grep -q 'on 1 case' out.txt && grep -q '^packing ' out.txt || fail "not every system takes part: $(cat out.txt)"

expect 2 'a policy is needed' "$lbsim" contest
expect 2 'cannot be loaded' "$lbsim" contest tiny.json
expect 2 'allowed is the name of a system' "$lbsim" contest "$plugin" --against nosuch
expect 2 'there is nobody else' "$lbsim" contest "$plugin" --against latest
expect 2 "found 'nosuch', allowed is a name of lbsim metrics" "$lbsim" contest "$plugin" --metric nosuch
expect 2 "found 'cores_lent', which live runs alone have" "$lbsim" contest "$plugin" --metric cores_lent

# What is 0 has no per cent of it: said as values, not as 100 %.
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline --metric offloaded_fraction --quiet --set graph.degree=3 \
    --set 'sweep={"workload.imbalance":[2]}'
grep -q ': 0\.[0-9]*, baseline has 0\.$' out.txt || fail "how far it is from 0: $(cat out.txt)"
grep -q 'inf\|[^.]100\|nan' out.txt && fail "a per cent of 0: $(cat out.txt)"
expect 0 '' "$lbsim" contest "$plugin" --bank tiny.json --against baseline --metric offloaded_fraction --quiet --set graph.degree=3 \
    --set 'sweep={"workload.imbalance":[2]}' --format json
python3 -c 'import json; c = json.load(open("out.txt"))["cases"]; assert c and all(x["change_percent"] is None and x["verdict"] == "worse" for x in c), c' ||
    fail "a per cent of 0 in JSON: $(cat out.txt)"
finish
