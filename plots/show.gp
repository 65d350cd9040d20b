# SPDX-License-Identifier: BSD-3-Clause
# Any metric over any swept value, one line per value of another, one panel per value of a third. The data file has a
# block per line, headed "PANEL|LINE|SYSTEM", of rows "x mean low high label"; x is the label's place where labels are
# words. By hand:
#   gnuplot -c show.gp figure.dat figure.svg svg 'title|x words|y words|none, x, y or xy|numbers or words' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('show.gp')]
load folder.'style.gp'
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
of_words = part(about, 5) eq 'words'
array Head[nblock]
array Panel[nblock]
array System[nblock]
panels = ''
lines = ''
npanel = 0
spread = 0
top_x = 0
low_x = 1e300
whole = 1
longest = 0 # of the labels
low = 1e300 # of what there is a place for
high = 0
logs = part(about, 4)
placed(y) = y > 0 || !strstrt(logs, 'y')
lower(y) = placed(y) && y < low ? y : low
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    Head[b] = head
    if (!holds(panels, '.'.part(head, 1))) { npanel = npanel + 1; Panel[npanel] = part(head, 1) }
    panels = joined(panels, '.'.part(head, 1))
    stats data index b - 1 every ::1 using (top_x = $1 > top_x ? $1 : top_x, low_x = $1 < low_x ? $1 : low_x, whole = whole && $1 == floor($1), low = lower($2), low = lower($3), high = $4 > high ? $4 : high, longest = strlen(strcol(5)) > longest ? strlen(strcol(5)) : longest, $4 > $3 ? 1 : 0) name 'SPREAD' nooutput
    spread = spread + SPREAD_sum
    if (!holds(lines, part(head, 2))) {
        lines = joined(lines, part(head, 2))
        last = key_add(part(head, 2), of_words ? 'm' : 'b', line_color(nkey + 1), line_mark(nkey + 1), 1)
        System[nkey] = part(head, 3)
    }
}
# Lines of one system are shades of its colour, with marks of their own.
alike(k, top) = int(sum [i = 1:top] (System[i] eq System[k] ? 1 : 0))
nline = nkey
do for [k = 1:nline] {
    if (strlen(System[k])) {
        KeyColor[k] = alike(k, nline) > 1 ? shade(system_color(System[k]), alike(k, k) - 1, alike(k, nline)) : system_color(System[k])
        KeyMark[k] = variant_mark(System[k], alike(k, k) - 1)
    }
}
key_of(b) = int(sum [k = 1:nkey] (Key[k] eq part(Head[b], 2) ? k : 0))
last = key_interval(spread, 'l', ink)
title = part(about, 1)
yname = part(about, 3)
per_row = npanel > 3 ? 3 : npanel
panel_foot = of_words ? 50 + 3.5 * longest : 48
if (of_words) { margin = 30 + 5 * longest < 54 ? 54 : 30 + 5 * longest }
top_y = high > 0 ? 1.06 * high : low < 0 ? 0 : 1
log_steps = high < 30 * low ? '1 1.5 2 3 5 7' : '1 2 5'
number_of_one = strlen(sprintf('%g', low)) > strlen(sprintf('%g', high)) ? strlen(sprintf('%g', low)) : strlen(sprintf('%g', high))
number_chars = strstrt(logs, 'y') ? (log_chars = log_tic_chars(0.9 * low, 1.1 * high, log_steps), log_chars > 0 ? log_chars : number_of_one) : 1 + tic_chars(low < 0 ? 1.06 * low : 0, top_y) # gnuplot's own format puts a blank before
gap = number_chars > 4 ? 36 + 7 * (number_chars - 4) : 30
gap = of_words && 5 * longest > gap ? 5 * longest : gap
load folder.'page.gp'
if (strstrt(sprintf('%g', tic_step(top_y)), 'e')) { set format y '%g' } # as it was counted
set offsets graph 0.04, graph 0.04, 0, 0
if (strstrt(logs, 'x')) { set logscale x 2 }
if (strstrt(logs, 'y')) {
    set logscale y
    set yrange [0.9 * low:1.1 * high]
    # Where none of the steps is near, what there is has its number.
    if (log_tic_chars(0.9 * low, 1.1 * high, log_steps) < 1) { set ytics (sprintf('%g', low) low, sprintf('%g', high) high) } else { set ytics () }
    do for [e = -9:12] { do for [m in log_steps] { set ytics add (sprintf('%g', m * 10.0**e) m * 10.0**e) } }
} else {
    set yrange [(low < 0 ? 1.06 * low : 0):top_y]
}
# Half a node is no node.
if (whole && !of_words && !strstrt(logs, 'x') && top_x - low_x <= 12) { set xtics 1; set xrange [low_x - 0.2:top_x + 0.2] }
if (of_words) {
    array Word[top_x + 1]
    do for [b = 1:nblock] { stats data index b - 1 every ::1 using (Word[int($1) + 1] = strcol(5), 1) nooutput }
    set xtics rotate by 35 right noenhanced scale 0
    set xtics ()
    do for [x = 0:top_x] { set xtics add (Word[x + 1] x) }
    set xrange [-0.5:top_x + 0.5]
}
do for [p = 1:npanel] {
    eval PANEL
    here = ''
    do for [b = 1:nblock] { if (part(Head[b], 1) eq Panel[p]) { here = here.sprintf(' %d', b) } }
    block(k) = int(word(here, k))
    set title Panel[p] font F10 offset 0, -0.6 noenhanced
    set xlabel part(about, 2) noenhanced
    set ylabel (first_of_row(p) ? vertical(yname) : '') noenhanced
    # Between words there is nothing, so no line; what would be on the same place stands side by side.
    at(x, k) = of_words ? x + 0.7 * ((k - 0.5) / words(here) - 0.5) : x
    bars = 'for [k = 1:words(here)] data index block(k) - 1 every ::1 using ($4 > $3 ? at($1, k) : NaN):2:3:4 with yerrorbars pt 0 lw 1 lc rgb KeyColor[key_of(block(k))] notitle'
    # The first of a few is the broadest, so that lines and points on the same place are seen on each other.
    under(k) = words(here) > 5 ? 0 : words(here) - k
    line = of_words ? 'with points lw 1.3 pt KeyMark[key_of(block(k))] ps 0.6 lc rgb KeyColor[key_of(block(k))] notitle' : \
           'with linespoints lw 1.5 + 1.2 * under(k) pt KeyMark[key_of(block(k))] ps 0.55 + 0.3 * under(k) lc rgb KeyColor[key_of(block(k))] notitle'
    eval 'plot '.bars.', for [k = 1:words(here)] data index block(k) - 1 every ::1 using (at($1, k)):2 '.line
}
load folder.'legend.gp'
