#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A case and a policy of one's own are begun with something that works. Usage: cli_init.sh LBSIM
. "$(dirname "$0")/cli.sh"

# By options; what it says can be simulated as it stands, and holds what was asked for.
expect 0 'wrote my_case.json, 3 points' "$lbsim" init --nodes 2 --cores 4 --imbalance 1.5 --tasks-per-core 4 --iterations 3 \
    --degrees 1,2 --systems baseline,global
grep -q '// .*from 1 to 131072' my_case.json || fail "no comment on the number of nodes"
expect 0 '' "$lbsim" my_case.json --quiet --no-figure --out results
[ "$(sed 1d results/results.csv | wc -l)" = 9 ] || fail "not three points of three replicates"
# its figure: a line for each system, over the degree
expect 0 '' "$lbsim" my_case.json --quiet --out drawn
[ "$(grep -c '^"|' drawn/lines.dat)" = 2 ] && grep -q '^"|global|global"$' drawn/lines.dat || fail "the lines: $(cat drawn/lines.dat)"
expect 2 'there already' "$lbsim" init
expect 0 'wrote' "$lbsim" init --force --cores 2
expect 0 "next: lbsim 'a b.json' --out results" "$lbsim" init 'a b.json'
grep -q '"cores_per_node": 2,' my_case.json || fail "--force does not write"

# Of a few nodes, what is not given is what these allow.
for nodes in 1 2; do
    expect 0 'wrote few.json' "$lbsim" init few.json --force --nodes $nodes --cores 2 --tasks-per-core 4 --iterations 3
    expect 0 'wrote' "$lbsim" few.json --no-figure --out few$nodes
    grep -q "\"imbalance\": $nodes," few.json || fail "not an imbalance that $nodes appranks have: $(grep imbalance few.json)"
done
grep -q '"graph.degree": \[1, 2\]' few.json || fail "degrees of two nodes: $(grep degree few.json)"

# What would be refused is not written.
expect 2 '^lbsim init: --imbalance: found 9, allowed is at most 4, the number of appranks' "$lbsim" init bad.json --nodes 4 --imbalance 9
expect 2 "not written, .* refused: bad.json.*'nosuch'\|bad.json.*\"nosuch\"" "$lbsim" init bad.json --systems nosuch
expect 2 'is of drawn loads' "$lbsim" init bad.json --loads my_case.json --task-ms 3
expect 2 'cannot find' "$lbsim" init bad.json --loads nosuch.csv
expect 2 "found 'polcy', did you mean 'policy'" "$lbsim" init polcy mine
expect 2 "did you mean 'policy'" "$lbsim" init polcy
expect 2 'allowed is one file' "$lbsim" init bad.json good.json
[ ! -e bad.json ] || fail "a refused scenario was written"

# By questions: an empty answer keeps the default, a wrong one is asked again, and at the end of input the rest keep theirs.
printf '3\n\nmany\n2\n' | "$lbsim" init asked.json --ask --task-ms 7 2>questions.txt || fail "--ask"
grep -q "found 'many'" questions.txt || fail "a wrong answer is not asked again"
for line in '"nodes": 3' '"cores_per_node": 48' '"appranks_per_node": 2' '"task_ms": 7'; do
    grep -q "$line" asked.json || fail "no $line among what was asked"
done

# An imbalance that so few appranks cannot have is asked again, at once.
printf '2\n4\n1\n\n\n9\n1.5\n' | "$lbsim" init few_asked.json --ask 2>questions.txt || fail "--ask of few appranks: $(cat questions.txt)"
grep -q 'found 9, allowed is at most 2, the number of appranks' questions.txt && grep -q '"imbalance": 1.5' few_asked.json || fail "an imbalance that cannot be"

# Loads that were measured, by their place.
printf 'iteration,apprank,work_s,tasks\n0,0,2,20\n0,1,1,20\n' >loads.csv
expect 0 'wrote traced.json' "$lbsim" init traced.json --loads loads.csv --nodes 2 --cores 4 --degrees 1,2
expect 0 '' "$lbsim" traced.json --quiet

# A policy: compiled, simulated, decided again.
expect 0 'wrote mine/mine.c' "$lbsim" init policy mine
! grep -rq latest mine || fail "the example's name is left: $(grep -r latest mine)"
make -C mine test LBRUN=nosuch >made.txt 2>&1 || fail "make test: $(cat made.txt)"
grep -q 'simulated: .* without balancing' made.txt || fail "its test does not tell"
# Live, what PROGRAM says is a path from where make was called; the stand-in for lbrun has its log from the simulation.
cat >stands_in <<'END'
#!/bin/sh
while [ "$1" != --decisions ]; do shift; done
cp "${2%/*}/simulated.log" "$2"
shift 3
"$@"
END
printf '#!/bin/sh\necho "ran in $(pwd) with $*"\n' >program
chmod +x stands_in program
make -C mine test LBRUN="$PWD/stands_in" PROGRAM='./program a b' >made.txt 2>&1 || fail "make test PROGRAM=: $(cat made.txt)"
grep -qx "ran in $PWD with a b" made.txt || fail "PROGRAM is not that of who called make: $(cat made.txt)"
(cd mine && make test LBRUN="$OLDPWD/stands_in" PROGRAM=../program) >made.txt 2>&1
grep -qx "ran in $PWD/mine with " made.txt || fail "PROGRAM in the policy's folder: $(cat made.txt)"
sed -i 's/busy\[w\] \* owned_cores\[best\] > /busy[w] * owned_cores[best] < /' mine/mine.c
! make -C mine test LBRUN=nosuch >made.txt 2>&1 && grep -q FAILED made.txt || fail "a policy that does the contrary passes its test"
expect 2 'there already' "$lbsim" init policy mine
# Whole or not at all.
mkdir empty
expect 1 'cannot' sh -c "cd empty; ulimit -f 1; exec \"\$0\" init policy other" "$lbsim"
expect 1 "cannot write 'other.json': File too large" sh -c "cd empty; ulimit -f 1; exec \"\$0\" init other.json --nodes 2" "$lbsim"
[ -z "$(ls -A empty)" ] || fail "a part of a policy is left: $(ls -A empty)"
# A name may be any word, of C, too.
for name in if params; do
    expect 0 . "$lbsim" init policy $name
    make -C $name $name.so >made.txt 2>&1 || fail "a policy of the name $name does not compile: $(cat made.txt)"
done
expect 2 'allowed is a name' "$lbsim" init policy Mine-2
# As long as a policy's name may be, which is as long as one that loads.
expect 2 'up to 31 of them' "$lbsim" init policy a123456789012345678901234567890z
long=a12345678901234567890123456789z
expect 0 . "$lbsim" init policy $long
make -C $long test LBRUN=nosuch >made.txt 2>&1 || fail "a policy of a long name: $(cat made.txt)"
expect 2 'is the name of a system' "$lbsim" init policy global
expect 2 'a name for the policy' "$lbsim" init policy
finish
