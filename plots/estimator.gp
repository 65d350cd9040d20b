# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration over the length of the global policy's average of busy cores, one line per kind of average.
# Data: "nodes kind average_s time_s optimal_s low_s high_s", kind 0 a window, 1 exponential. By hand:
#   gnuplot -c estimator.gp DIR/estimator.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('estimator.gp')]
load folder.'style.gp'
nodes = ''
stats data using (nodes = with(nodes, sprintf('%d', $1)), $7) name 'TIME' nooutput
stats data using ($7 > $6) name 'SPREAD' nooutput
npanel = words(nodes)
title = 'How long busy cores are averaged, global core allocation'
gap = 16
array Kind[2] = ['mean over a window', 'exponential average']
color(k) = variant(system_color('global'), k)
do for [k = 0:1] { last = key_add(Kind[k + 1], 'b', color(k), k == 0 ? 5 : 9, 1) }
last = key_add('bound (optimal)', 'l', ink, 0, 2)
last = key_interval(SPREAD_sum, 'f', mix(color(0), 0xffffff, 0.7))
number_chars = tic_chars(0, 1.06 * TIME_max)
load folder.'page.gp'
set logscale x 2
set xtics (0.5, 1, 2, 5, 10, 20, 40, 80)
set yrange [0:1.06 * TIME_max]
do for [p = 1:npanel] {
    n = int(word(nodes, p))
    eval PANEL
    set title sprintf('%d nodes', n) font F10 offset 0, -0.6
    set xlabel 'Length of the average (s)'
    set ylabel (first_of_row(p) ? 'Time per iteration (s)' : '')
    set format y (first_of_row(p) ? '%g' : '')
    plot for [k = 0:1] data using ($1 == n && $2 == k ? $3 : NaN):6:7 with filledcurves fs transparent solid 0.25 noborder lc rgb color(k) notitle, \
         data using ($1 == n ? $3 : NaN):5 smooth unique with lines lw 1.6 dt 2 lc rgb ink notitle, \
         for [k = 0:1] data using ($1 == n && $2 == k ? $3 : NaN):4 with linespoints lw 1.5 pt (k == 0 ? 5 : 9) ps 0.5 lc rgb color(k) notitle
}
load folder.'legend.gp'
