# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration: one panel per node count, one line per offloading degree. The caller sets data, output,
# kind, title, xname and folder. Data: "nodes degree x time_s optimal_s" in the order of x; then, where there is any, a
# block of published limits, "nodes degree x at_most_s reading" (1: the number is how we read words).
has(list, item) = strstrt(' '.list.' ', ' '.item.' ') > 0
with(list, item) = has(list, item) ? list : list eq '' ? item : list.' '.item
nodes = ''
degrees = ''
pairs = ''
stats data index 0 using (nodes = with(nodes, sprintf('%d', $1)), degrees = with(degrees, sprintf('%d', $2)), \
                  pairs = with(pairs, sprintf('%d:%d', $1, $2)), $4) name 'TIME' nooutput
rank(list, top) = (sorted = '', sum [v = 1:top] (has(list, sprintf('%d', v)) ? (sorted = with(sorted, sprintf('%d', v)), 0) : 0), sorted)
stats data index 0 using 1 name 'NODES' nooutput
stats data index 0 using 2 name 'DEGREE' nooutput
nodes = rank(nodes, int(NODES_max))
degrees = rank(degrees, int(DEGREE_max))
stats data index 0 using 5 name 'BOUND' nooutput
stats data index 0 using 3 name 'X' nooutput
limits = '' # of which kind there are any
stats data using (limits = column(-2) == 1 ? with(limits, sprintf('%d', $5)) : limits, 1) nooutput
limit(k) = k <= words(limits) ? int(word(limits, k)) : 0
limit_name(reading) = reading == 0 ? 'published: at most' : 'words, as read: at most'
limit_dash(reading) = reading == 0 ? 2 : 3
npanel = words(nodes)
gap = 30.0
legend_width = words(limits) == 0 ? 112.0 : 235.0
load folder.'style.gp'

# Colours that colour-blind readers can tell apart (Okabe and Ito): the paper's blue for degree 1, red for 4.
color(degree) = degree == 1 ? 0x0072b2 : degree == 2 ? 0xe69f00 : degree == 3 ? 0x009e73 : \
                degree == 4 ? 0xd55e00 : degree == 8 ? 0xcc79a7 : 0x555555
mark(degree) = degree == 1 ? 7 : degree == 2 ? 9 : degree == 3 ? 5 : degree == 4 ? 11 : degree == 8 ? 13 : 1

set yrange [0:1.06 * (TIME_max > BOUND_max ? TIME_max : BOUND_max)]
set multiplot title title font ',13'
set tmargin at screen 0.80
set bmargin at screen 0.20
do for [p = 1:npanel] {
    n = int(word(nodes, p))
    here = ''
    do for [k = 1:words(degrees)] {
        if (has(pairs, sprintf('%d:%s', n, word(degrees, k)))) { here = with(here, word(degrees, k)) }
    }
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set title sprintf(n == 1 ? '%d node' : '%d nodes', n) font ',12'
    set xlabel xname
    set ylabel (p == 1 ? 'Time per iteration (s)' : '')
    set format y (p == 1 ? '%g' : '')
    unset key
    if (p == npanel) {
        set key at screen legend_x, 0.82 left top Left reverse samplen 2.2 spacing 1.3 title 'degree' left
    }
    plot data index 0 using ($1 == n && $2 == int(word(here, 1)) ? $3 : NaN):5 with lines lw 2 dt 2 lc rgb '#888888' notitle, \
         for [k = 1:words(here)] data index 0 using ($1 == n && $2 == int(word(here, k)) ? $3 : NaN):4 \
             with linespoints lw 1.8 pt mark(int(word(here, k))) ps 0.55 lc rgb color(int(word(here, k))) notitle, \
         for [k = 1:words(limits)] data index 1 using ($1 == n && $5 == limit(k) ? $3 : NaN):4:(color($2)) \
             with lines lw 3 dt limit_dash(limit(k)) lc rgb variable notitle, \
         for [k = 1:words(degrees)] keyentry with linespoints lw 1.8 pt mark(int(word(degrees, k))) ps 0.7 \
             lc rgb color(int(word(degrees, k))) title word(degrees, k), \
         keyentry with lines lw 2 dt 2 lc rgb '#888888' title 'optimal', \
         for [k = 1:words(limits)] keyentry with lines lw 3 dt limit_dash(limit(k)) lc rgb '#222222' \
             title limit_name(limit(k))
}
unset multiplot
