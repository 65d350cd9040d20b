#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compressed results hold what plain ones hold, and are read as well.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
"$lbsim" tiny.json --quiet --out plain >/dev/null || fail "no results to compare with"
expect 0 'wrote small/results.csv.zst' "$lbsim" tiny.json --out small --compress --set output.series_s=0.5
for name in results series; do
    [ ! -e small/$name.csv ] || fail "$name.csv should be compressed only"
done
if command -v zstd >/dev/null; then
    zstd -q -d -c small/results.csv.zst | cmp - plain/results.csv || fail "other results than without --compress"
    # what another writer has put together of two
    { head -n 5 plain/results.csv | zstd -q; tail -n +6 plain/results.csv | zstd -q; } >two.csv.zst
    mkdir -p two && mv two.csv.zst two/results.csv.zst
    expect 0 '0 points better, 0 worse' "$lbsim" compare two plain
fi
# The rows of results.json are lines of JSON, and the file says where they are.
expect 0 'wrote lines/results.jsonl.zst' "$lbsim" tiny.json --out lines --compress
[ ! -e plain/results.jsonl.zst ] || fail "lines of JSON that nobody asked for"
cat >lines.py <<'END'
import json, subprocess
whole, brief = (json.load(open(name + "/results.json")) for name in ("plain", "lines"))
assert brief["rows_in"] == "results.jsonl.zst" and brief["summary_in"] == "summary.csv" and not "rows" in brief
text = subprocess.run(["zstd", "-q", "-d", "-c", "lines/" + brief["rows_in"]], check=True, capture_output=True, text=True).stdout
assert [json.loads(line) for line in text.splitlines()] == whole["rows"], "other rows"
END
if command -v zstd >/dev/null; then
    python3 lines.py || fail "lines of JSON are not the rows of results.json"
fi
expect 0 '' "$lbsim" tiny.json --quiet --out lines --compress --format json
python3 -c 'import json; assert json.load(open("out.txt"))["rows"] == json.load(open("plain/results.json"))["rows"]' ||
    fail "printed rows of compressed results are others"
expect 0 '' "$lbsim" explain lines
expect 0 '' "$lbsim" show lines --html page.html
"$lbsim" tiny.json --format csv >plain.csv
expect 0 'as they were written' "$lbsim" tiny.json --out small --compress --format csv --set output.series_s=0.5
cmp out.txt plain.csv || fail "compressed results, expanded, are others"
expect 0 '0 points better, 0 worse' "$lbsim" compare small plain
"$lbsim" show plain >plain.txt
"$lbsim" show small | cmp - plain.txt || fail "lbsim show does not read compressed results"
head -c 40 small/results.csv.zst >cut
mv cut small/results.csv.zst
expect 2 'results.csv.zst' "$lbsim" show small
rm small/results.csv.zst
(ulimit -f 1 && expect 1 "results.csv.zst': File too large" "$lbsim" tiny.json --quiet --out small --compress --set output.series_s=0.5
 finish) || fail "what cannot be written is no error"

# The other form of earlier results does not stay.
expect 0 '' "$lbsim" tiny.json --quiet --out small --set output.series_s=0.5
[ -e small/results.csv ] && [ ! -e small/results.csv.zst ] || fail "old compressed results are still there"
finish
