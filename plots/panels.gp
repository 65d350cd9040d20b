# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration: one panel per node count, one line per offloading degree, with a band for the 95 % interval over
# replicates. The caller sets title, xname, yname, logarithmic, and what style.gp wants. Data: "nodes degree x time_s
# optimal_s low_s high_s" in the order of x; then, where there is any, a block of published limits, "nodes degree x
# at_most_s reading" (1: the number is how we read words).
nodes = ''
degrees = ''
pairs = ''
stats data index 0 using (nodes = with(nodes, sprintf('%d', $1)), degrees = with(degrees, sprintf('%d', $2)), \
                  pairs = with(pairs, sprintf('%d:%d', $1, $2)), $7) name 'TIME' nooutput
stats data index 0 using 1 name 'NODES' nooutput
stats data index 0 using 2 name 'DEGREE' nooutput
nodes = rank(nodes, int(NODES_max))
degrees = rank(degrees, int(DEGREE_max))
stats data index 0 using 5 name 'BOUND' nooutput
stats data index 0 using ($7 > $6) name 'SPREAD' nooutput
stats data index 0 using 3 name 'X' nooutput
limits = '' # of which kind there are any
stats data using (limits = column(-2) == 1 ? with(limits, sprintf('%d', $5)) : limits, 1) nooutput
limit(k) = k <= words(limits) ? int(word(limits, k)) : 0
limit_name(reading) = reading == 0 ? 'published: at most' : 'published in words, as read: at most'
limit_dash(reading) = reading == 0 ? 4 : 3
npanel = words(nodes)
gap = 16
# Degree 1 is the baseline, the others are shades of the system.
ndegree = words(degrees)
color(degree) = degree == 1 ? system_color('baseline') : shade(system_color(about), place(degrees, sprintf('%d', degree)) - 1, ndegree)
do for [k = 1:ndegree] {
    d = int(word(degrees, k))
    last = key_add(sprintf('degree %d', d), 'b', color(d), degree_mark(d), 1)
}
last = key_add('bound (optimal)', 'l', ink, 0, 2)
last = key_interval(SPREAD_sum, 'f', mix(system_color(about), 0xffffff, 0.7))
do for [k = 1:words(limits)] { last = key_add(limit_name(limit(k)), 'l', ink, 0, limit_dash(limit(k))) }
most = TIME_max > BOUND_max ? TIME_max : BOUND_max
number_chars = logarithmic ? log_tic_chars(0.93 * BOUND_min, 1.15 * most, '1 1.5 2 3 5 7') : tic_chars(0, 1.06 * most)
load folder.'page.gp'
if (logarithmic) {
    set logscale y
    set yrange [0.93 * BOUND_min:1.15 * most]
} else {
    set yrange [0:1.06 * most]
}
do for [p = 1:npanel] {
    n = int(word(nodes, p))
    here = ''
    do for [k = 1:ndegree] {
        if (has(pairs, sprintf('%d:%s', n, word(degrees, k)))) { here = with(here, word(degrees, k)) }
    }
    eval PANEL
    set title sprintf(n == 1 ? '%d node' : '%d nodes', n) font F10 offset 0, -0.6
    set xlabel xname
    set ylabel (first_of_row(p) ? vertical(yname) : '')
    set format y (first_of_row(p) ? '%g' : '')
    if (logarithmic) {
        set ytics ()
        do for [e = -3:4] { do for [m in '1 1.5 2 3 5 7'] { set ytics add ((first_of_row(p) ? sprintf('%g', m * 10.0**e) : '') m * 10.0**e) } }
    }
    plot for [k = 1:words(here)] data index 0 using ($1 == n && $2 == int(word(here, k)) ? $3 : NaN):6:7 \
             with filledcurves fs transparent solid 0.25 noborder lc rgb color(int(word(here, k))) notitle, \
         data index 0 using ($1 == n && $2 == int(word(here, 1)) ? $3 : NaN):5 with lines lw 1.6 dt 2 lc rgb ink notitle, \
         for [k = 1:words(here)] data index 0 using ($1 == n && $2 == int(word(here, k)) ? $3 : NaN):4 \
             with linespoints lw 1.5 pt degree_mark(int(word(here, k))) ps 0.5 lc rgb color(int(word(here, k))) notitle, \
         for [k = 1:words(limits)] data index 1 using ($1 == n && $5 == limit(k) ? $3 : NaN):4:(color($2)) \
             with lines lw 3 dt limit_dash(limit(k)) lc rgb variable notitle
}
load folder.'legend.gp'
