#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pages: of a run, of stored results, of two folders compared; whole, needing nothing else, and fine in a browser.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cli.sh"
cat >s.json <<'END'
{ "name": "a_page", "description": "Words with <b>tags</b> & more.",
  "platform": { "nodes": 4, "cores_per_node": 4 }, "workload": { "iterations": 4, "tasks_per_core": 10 },
  "system": { "name": "global" }, "output": { "figure": "systems" },
  "sweep": { "workload.imbalance": [1, 1.5, 2], "system.name": ["baseline", "local", "global"] }, "replicates": 2 }
END
whole() { # PAGE WORD: it stands alone, and is fine in a browser where there is one
    grep -q '</html>' "$1" || fail "$1 is not whole"
    grep -Eq '(src|href)="?https?:|@import|<link|url\(' "$1" && fail "$1 needs something else"
    command -v gnuplot >/dev/null || return 0
    python3 "$here/../../plots/check_page.py" "$1" "$2"
    code=$?
    [ $code -eq 0 ] || [ $code -eq 77 ] || fail "$1 in a browser"
}
expect 0 '' "$lbsim" s.json --quiet --out a --html run.html
grep -q 'class="lead">Nearest to the bound is \(local\|global\): [0-9.]* times the bound' run.html || fail "no verdict: $(grep lead run.html)"
grep -q 'Words with &lt;b&gt;tags&lt;/b&gt; &amp; more' run.html || fail "the description is not on the page"
grep -q '<td>runtime.task_us</td><td class="n">2</td><td>us</td>' run.html || fail "not every parameter is on the page"
grep -q '<td>system.name</td><td>swept</td>' run.html || fail "what is swept is not said"
grep -q '<pre>.*--html.* run.html.*s.json\|<pre>.*s.json.*' run.html || fail "how to repeat it is not on the page"
[ "$(grep -c '<tr><td' run.html)" -gt 100 ] || fail "too few rows"
command -v gnuplot >/dev/null && { grep -q '<figure' run.html && grep -q 'Systems compared: synthetic' run.html || fail "no figure"; }
whole run.html baseline
# Of so few replicates half a symmetric interval would go below the bound; that on the page does not.
python3 - <<'END' || fail "an interval on the page is not about its mean, or below the bound"
import re, sys
rows = re.findall(r'<tr><td class="n">.*', open('run.html').read())
cells = [re.sub('<[^>]*>', ' ', row).split() for row in rows]
# imbalance, system, replicates, time, "low to high", bound
good = [float(c[4]) * 0.999 <= float(c[3]) <= float(c[6]) * 1.001 and float(c[4]) >= float(c[7]) * 0.999 for c in cells if c[5] == 'to']
sys.exit(not (len(good) == 9 and all(good)))
END
expect 0 '' "$lbsim" show a --html show.html
cmp run.html show.html || fail "what show writes is another page"
expect 0 '' "$lbsim" s.json --quiet --out b --set workload.task_ms=60
expect 0 'points better' "$lbsim" compare a b --html compare.html
grep -q 'class="lead">Time per iteration (s): 0 points better, 9 worse' compare.html || fail "no verdict: $(grep lead compare.html)"
whole compare.html baseline
# The command on a page is one that a shell reads: names with blanks, brackets and quotes come back whole.
repeats() { # PAGE WORD...: the words of its command
    python3 - "$@" <<'END' || fail "$1: how to repeat it"
import html, re, shlex, sys
line = re.search(r'How to repeat it</h2>.*?<pre>(.*?)</pre>', open(sys.argv[1]).read(), re.S)[1]
words = shlex.split(html.unescape(line))
sys.exit(words[0].rsplit('/', 1)[-1] != 'lbsim' or words[1:] != sys.argv[2:])
END
}
expect 0 '' "$lbsim" s.json --quiet --out "it's a" --html words.html --set 'sweep.workload.imbalance=[1, 2]'
repeats words.html --quiet --out "it's a" --html words.html --set 'sweep.workload.imbalance=[1, 2]' s.json
cp -r "it's a" 'b*'
expect 0 'the same' "$lbsim" compare "it's a" 'b*' --html words.html
repeats words.html compare "it's a" 'b*' --metric time_per_iteration_s
expect 0 "" "$lbsim" s.json --quiet --compress --out z --html z.html
grep -q "<td>[0-9.]* to " z.html || fail "no intervals of compressed results"
expect 2 'needs --out DIR' "$lbsim" s.json --html x.html
expect 2 'no --plot' "$lbsim" show a --html x.html --where system.name=local
expect 2 'cannot read' "$lbsim" show none --html x.html
[ -e x.html ] && fail "a page of nothing"
# A scenario with a question has its answer first: of a claim, or who is fastest.
sed -e 's/"figure": "systems"/"figure": "claim", "claim_at_most": 1.3/' \
    -e 's/"sweep": {.*}, "rep/"sweep": { "platform.nodes": [2, 4], "workload.imbalance": [1, 2], "system.name": ["global", "baseline"] }, "rep/' s.json >claim.json
expect 0 '' "$lbsim" claim.json --quiet --out claim --html claim.html
grep -q 'class="lead">&quot;global: time at most 1.3 x baseline&quot; holds in 2 of 2 cases, does not in 0, and in 0' claim.html || fail "the claim: $(grep lead claim.html)"
grep -q '<p>Nearest to the bound is global' claim.html || fail "the bound beside the claim"
sed -e 's/"figure": "claim", "claim_at_most": 1.3/"figure": "winner"/' claim.json >winner.json
expect 0 '' "$lbsim" winner.json --quiet --out winner --html winner.html
grep -q 'class="lead">Of 2 cases, .* is fastest in [0-9], .*and in [0-9] the replicates' winner.html || fail "the winner: $(grep lead winner.html)"
# Of packing it is how many CPUs are free, and at what price.
cat >packing.json <<'END'
{ "name": "packs", "platform": { "nodes": 2, "cores_per_node": 4, "appranks_per_node": 4 },
  "workload": { "model": "synthetic", "iterations": 4, "imbalance": 2 },
  "system": { "name": "packing" }, "output": { "figure": "packing" },
  "sweep": { "platform.nodes": [2, 4], "system.pack": ["none", "subset-sum", "exact"] } }
END
expect 0 '' "$lbsim" packing.json --quiet --out packing --html packing.html
grep -Eq 'class="lead">Most CPUs of the fastest nodes are freed packed (exactly|by subset sums): [0-9.]*( to [0-9.]*)? %, in [0-9.]* of the time with 0[0-9.]* of the energy' packing.html ||
    fail "what packing frees: $(grep lead packing.html)"
finish
