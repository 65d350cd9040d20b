#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Stored results, filtered, grouped and drawn, without running anything again.
checker=$(cd "$(dirname "$0")/../../plots" && pwd)/check_svg.py
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
"$lbsim" tiny.json --quiet --no-figure --out a >/dev/null || fail "no results to show"

# Without options: the points of the sweep, means over replicates.
expect 0 '' "$lbsim" show a --format csv
[ "$(wc -l <out.txt)" -eq 13 ] || fail "show should have a heading and 12 rows"
cut -d, -f1-3,5 out.txt | sort >shown
cut -d, -f1-3,5 a/summary.csv | sed 's/replicates/runs/' | sort >summary
[ "$(sed 1d shown | wc -l)" -eq "$(sed 1d summary | wc -l)" ] || fail "not the points of the summary"

# Conditions and groups: 2 degrees x 3 imbalances x 2 replicates of one system make two means of six runs.
expect 0 '' "$lbsim" show a --where system.name=global --by graph.degree --metric tasks --format csv
printf 'graph.degree,runs,tasks,tasks_ci95\n2,6,960,0\n3,6,960,0\n' >wanted
cmp wanted out.txt || fail "not the groups that were asked for: $(cat out.txt)"
expect 0 '' "$lbsim" show a --where workload.imbalance=1.0,2.25e0 --where graph.degree=3 --by workload.imbalance --format csv
cut -d, -f1,2 out.txt | tr '\n' ' ' | grep -q '^workload.imbalance,runs 1,4 2.25,4 $' || fail "conditions do not hold together, or numbers are read as text"

# Points count alike, also where a precision has given them unequally many runs: the first ones of each, and it is said.
scenario 12 20 >precise.json
expect 0 '' "$lbsim" precise.json --quiet --no-figure --set precision=0.04 --set replicates_most=20 --out precise
expect 0 'points have unequally many runs' "$lbsim" show precise --by system.name --metric ratio_to_optimal --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { point = $c["graph.degree"] "," $c["workload.imbalance"] "," $c["system.name"]; if (!n[point]++) name[++points] = point; v[point, n[point]] = $c["ratio_to_optimal"] }
    END { for (p = 1; p <= points; p++) { split(name[p], of, ","); s = of[3]; least[s] = !least[s] || n[name[p]] < least[s] ? n[name[p]] : least[s]; most = n[name[p]] > most ? n[name[p]] : most }
          for (p = 1; p <= points; p++) { split(name[p], of, ","); s = of[3]; for (r = 1; r <= least[s]; r++) { sum[s] += v[name[p], r]; runs[s]++ } }
          for (s in sum) { if (least[s] == most) exit 1; printf "%s,%d,%.4f\n", s, runs[s], sum[s] / runs[s] } }' precise/results.csv | sort >wanted || fail "no test: equally many runs"
awk -F, 'NR > 1 { printf "%s,%d,%.4f\n", $1, $2, $3 }' out.txt | sort | cmp wanted - || fail "some points count more than others: $(cat out.txt), wanted $(cat wanted)"
expect 0 '' "$lbsim" show precise --metric ratio_to_optimal --format csv
awk -F, 'NR > 1 { n += $4 } END { print n }' out.txt >all
[ "$(cat all)" -eq "$(($(wc -l <precise/results.csv) - 1))" ] || fail "runs of points of their own are left out"

# Rows are read one by one, in any order: groups and sums are those of the rows in this order.
mkdir mixed
printf 'x,seed,m,n\n10,1,1,\n2,1,3,5\nword,1,7,0\n10,2,4,6\n2,2,,\n"a, b",1,2,2\n' >mixed/results.csv
printf 'x,runs,m,m_ci95,n,n_ci95\n2,2,3,,5,\n10,2,2.5,19.0593,6,\n"a, b",1,2,,2,\nword,1,7,,0,\n' >wanted
expect 0 '' "$lbsim" show mixed --metric m,n --format csv
sed 's/19\.0593[0-9]*/19.0593/' out.txt | cmp wanted - || fail "not the groups of rows that are mixed: $(cat out.txt)"
expect 0 '' "$lbsim" show mixed --metric m --where x=10,2 --where seed=2 --by seed --format csv
printf 'seed,runs,m,m_ci95\n2,2,4,\n' | cmp - out.txt || fail "not the rows of both conditions: $(cat out.txt)"
expect 2 'has that value' "$lbsim" show mixed --metric m --where x=word --where seed=2
# Values that hardly scatter, and those that do not, have the interval that they have.
mkdir fine
printf 'x,seed,m,n\n1,1,0.1,1000000001\n1,2,0.1,1000000002\n1,3,0.1,1000000003\n' >fine/results.csv
expect 0 '' "$lbsim" show fine --metric m,n --format csv
awk -F, 'NR == 2 { exit !($4 == 0 && $6 > 2.4841 && $6 < 2.4842) }' out.txt || fail "not the scatter of the rows: $(cat out.txt)"
sed 's/^2,2,,/2,2,none,/' mixed/results.csv >mixed/results.partial.csv && rm mixed/results.csv
expect 2 'row 5, column m: found "none"' "$lbsim" show mixed --metric m
expect 0 'is not finished' "$lbsim" show mixed --metric m --where seed=1

# A figure: one block per line, numbers or words along the axis.
if command -v gnuplot >/dev/null; then
    expect 0 'a/time.svg' "$lbsim" show a --plot time --x workload.imbalance --line system.name
    grep -q '>Time per iteration by application imbalance<' a/time.svg || fail "no title without --title"
    expect 0 '' "$lbsim" tiny.json --set 'sweep={"system.lewi":[true,false]}' --quiet --no-figure --out switches
    expect 0 'switches/t.svg' "$lbsim" show switches --plot t --x system.lewi
    grep -q '>Time per iteration by LeWI<' switches/t.svg || fail "no words for a switch"
    [ -s a/time.png ] && grep -q '>global<' a/time.svg || fail "no legend in the figure"
    [ "$(grep -c "^[0-9]" a/time.dat)" -eq 6 ] || fail "two lines of three points were expected"
    [ "$(grep -c "^\"|" a/time.dat)" -eq 2 ] || fail "two lines were expected"
    # Of several columns a line, and a panel, is each combination of their values.
    expect 0 'a/many.svg' "$lbsim" show a --plot many --x workload.imbalance --line system.name,graph.degree
    [ "$(grep -c '^"|\(local\|global\), degree [23]|\(local\|global\)"$' a/many.dat)" -eq 4 ] || fail "lines of two columns: $(grep '^"' a/many.dat)"
    expect 0 'a/many.svg' "$lbsim" show a --plot many --x workload.imbalance --facet system.name,graph.degree
    [ "$(grep -c '^"\(local\|global\), degree [23]|mean|"$' a/many.dat)" -eq 4 ] || fail "panels of two columns: $(grep '^"' a/many.dat)"
    expect 2 "--x: found 'workload.imbalance,graph.degree', must be one column" "$lbsim" show a --plot many --x workload.imbalance,graph.degree
    expect 0 'a/words.svg' "$lbsim" show a --plot words --x system.name
    grep -q '>local<' a/words.svg || fail "no words along the axis"
    mkdir many
    awk 'BEGIN { print "x,seed,m"; for (i = 1; i <= 65; i++) print "w" i ",1," i }' >many/results.csv
    expect 2 'found more than 64 words along the axis' "$lbsim" show many --metric m --plot n --x x
    expect 0 'many/n.svg' "$lbsim" show many --metric m --plot n --x x --where "$(sed -n '2,65s/,.*//p' many/results.csv | paste -sd, | sed 's/^/x=/')"
    # However long the numbers, the axis has its words, in facets too; a title is what was given, no markup.
    mkdir numbers
    for scale in 1 1000 0.001 1e7; do
        awk -v by=$scale 'BEGIN { print "x,f,seed,m"; for (f = 0; f < 2; f++) for (x = 1; x < 5; x++) print x "," f ",1," by * (1.25 + x / 4) }' >numbers/results.csv
        for log in none y; do
            expect 0 'numbers/n.svg' "$lbsim" show numbers --metric m --plot n --x x --facet f --y-words 'Words of m (s)' --log $log --title 'my_case: 50% & more'
            grep -q '>Words of m (s)<' numbers/n.svg || fail "no words at the axis of numbers like $scale, log $log"
            sed -n 's/.*translate(\([-0-9.]*\),.*rotate(270).*/\1/p' numbers/n.svg | awk '$1 < 8 { exit 1 }' || fail "half of the words at the axis, numbers like $scale, log $log"
            grep -q '>my_case: 50% &amp; more<' numbers/n.svg || fail "the title is not what was given"
            python3 "$checker" numbers/n.svg || fail "numbers like $scale, log $log"
        done
    done
    # A line at zero; one value on a logarithmic scale; points that have no place there are said.
    printf 'x,seed,zero,one,none,some\n0,1,0,4.25,,0\n1,1,0,4.25,,2\n2,1,0,4.25,,3\n' >numbers/results.csv
    drawn() {
        rm -f numbers/n.*
        expect 0 "$1" "$lbsim" show numbers --metric "$2" --plot n --x x --log "$3"
        grep 'gnuplot\|cannot' err.txt && fail "$2, log $3: gnuplot complains"
        [ -s numbers/n.svg ] && [ -s numbers/n.png ] && [ -s numbers/n.pdf ] || fail "$2, log $3: no figure"
    }
    drawn 'n.svg' zero none
    drawn 'n.svg' one y
    grep -q '4.25<' numbers/n.svg || fail "an axis without a number"
    drawn 'log xy: 1 of 3 points at 0 or below, not drawn' some xy
    drawn 'log x: 1 of 3 points at 0 or below, not drawn' one x
    printf 'x,line,seed,m\n1,a,1,\n2,a,1,\n1,b,1,4\n2,b,1,\n1,c,1,\n2,c,1,\n' >numbers/results.csv
    expect 0 "2 of 3 lines without 'm', not drawn" "$lbsim" show numbers --metric m --plot n --x x --line line
    grep 'gnuplot' err.txt && fail "lines without points: gnuplot complains"
    [ "$(grep -c '^"' numbers/n.dat)" = 1 ] && [ -s numbers/n.svg ] || fail "not the one line there is: $(cat numbers/n.dat)"
    # A line that has no place on a logarithmic scale is not in the legend either.
    printf 'x,line,seed,m\n1,a,1,0\n2,a,1,-1\n1,b,1,4\n2,b,1,0\n1,c,1,\n2,c,1,\n' >numbers/results.csv
    expect 0 'log xy: 3 of 4 points at 0 or below' "$lbsim" show numbers --metric m --plot n --x x --line line --log xy
    grep -q '1 of 3 lines without' err.txt || fail "a line without the metric is not said"
    grep -q 'line a' numbers/n.svg && fail "a line of which nothing is drawn, in the legend"
    # --y is what it says, and no caption of another metric.
    expect 0 'n.svg' "$lbsim" show a --y ratio_to_optimal --plot n --x graph.degree
    grep -q '>Time per iteration / bound<' a/n.svg || fail "--y names the metric"
    rm -f a/n.*
    long=$(printf 'é%.0s' 1 2 3 4 5 6 7 8 9 10)
    expect 0 'n.svg' "$lbsim" show numbers --metric m --plot n --x x --title "a|b \"c\" $long$long$long$long$long$long$long$long$long$long"
    grep -q 'a∣b ”c”' numbers/n.svg && python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' numbers/n.svg || fail "the title"
    # As many lines as there may be differ in colour or mark.
    awk 'BEGIN { print "x,line,seed,m"; for (l = 1; l <= 64; l++) print "1," l ",1," l "\n2," l ",1," l }' >numbers/results.csv
    expect 0 'n.svg' "$lbsim" show numbers --metric m --plot n --x x --line line
    styles=$(grep -o "xlink:href='#gpPt[0-9]*' transform='translate([^)]*)[^>]* color='[^']*'" numbers/n.svg | sed "s/ transform='[^']*'//" | sort -u | wc -l)
    [ "$styles" -eq 64 ] || fail "64 lines have $styles styles"
    printf 'x,seed,zero,one,none,some\n0,1,0,4.25,,0\n1,1,0,4.25,,2\n2,1,0,4.25,,3\n' >numbers/results.csv
    rm -f numbers/n.*
    expect 2 "no run has 'none': there is nothing to draw" "$lbsim" show numbers --metric none --plot n --x x
    expect 2 'log y: all 3 points are at 0 or below' "$lbsim" show numbers --metric zero --plot n --x x --log y
    [ ! -e numbers/n.svg ] || fail "a figure of nothing"
fi

# What cannot be shown.
expect 2 "cannot read 'none/results.csv'" "$lbsim" show none
expect 2 'no column "graph.degre", did you mean "graph.degree"' "$lbsim" show a --by graph.degre
mkdir other && sed '1s/ratio_to_optimal/ratio_to_best/' a/results.csv >other/results.csv
expect 2 'no column "ratio_to_optimal", which lbsim [0-9.]* writes: another version' "$lbsim" show other
expect 2 'no run of a/results.csv has that value' "$lbsim" show a --where graph.degree=7
expect 2 "has that value: '7'" "$lbsim" show a --where graph.degree=3,7
expect 2 "has that value: 'system.name=global'; a further condition is another --where" "$lbsim" show a --where graph.degree=3,system.name=global
expect 0 '' "$lbsim" show a --where graph.degree=3,3 --format csv
mv out.txt twice.csv
expect 0 '' "$lbsim" show a --where graph.degree=3 --format csv
cmp out.txt twice.csv || fail "a value that is asked for twice"
expect 2 'must be PATH=VALUE' "$lbsim" show a --where graph.degree
expect 2 'is not a list of columns' "$lbsim" show a --by ,
expect 2 'plot needs --x' "$lbsim" show a --plot x
expect 2 "must be a name without '/'" "$lbsim" show a --plot ../x --x graph.degree

# No page and no figure takes the place of what a sweep wrote, or of its scenario; nothing is lost by asking.
cksum a/* tiny.json >before
ln -s a/results.csv linked
for own in results.csv results.json summary.csv runs.journal seal.json; do
    expect 2 "^lbsim show: --html: 'a/$own' is a file of the sweep itself" "$lbsim" show a --html a/$own
    expect 2 "^lbsim: --html: 'a/$own' is a file of the sweep itself" "$lbsim" tiny.json --quiet --out a --html a/$own
done
expect 2 "^lbsim show: --html: 'linked' is a file of the sweep itself" "$lbsim" show a --html linked
expect 2 "the command line's file and --html: both are './tiny.json'" "$lbsim" tiny.json --quiet --out a --html ./tiny.json
expect 2 "^lbsim show: --scenario and --html: both are 'tiny.json'" "$lbsim" show a --scenario tiny.json --html tiny.json
expect 2 "^lbsim show: --plot: found 'lines', which is the name of a figure of sweeps" "$lbsim" show a --plot lines --x graph.degree
cksum a/* tiny.json | cmp - before || fail "something was written over"

# Results that were changed since are said, whatever is shown of them.
echo >>a/results.csv
changed="'a/results.csv' is not as lbsim wrote it"
expect 2 'found 1 cells' "$lbsim" show a
sed -i '$d' a/results.csv && sed -i '2s/6/7/' a/results.csv
expect 0 "$changed" "$lbsim" show a
expect 0 "$changed" "$lbsim" show a --html page.html
"$lbsim" show a --figure own 2>err.txt
grep -q "$changed" err.txt || fail "--figure does not say that results were changed"
finish
