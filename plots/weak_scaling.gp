# SPDX-License-Identifier: BSD-3-Clause
# Time per step over nodes, one line per offloading degree (paper, Figures 6 and 7), one panel per number of
# appranks per node. Data: "appranks_per_node nodes line time_s optimal_s low_s high_s"; line 0: no DLB, 1: DLB alone;
# then a block of what was published, "appranks_per_node nodes line time_s". By hand:
#   gnuplot -c weak_scaling.gp DIR/weak_scaling_global.dat figure.svg svg 'micropp global' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('weak_scaling.gp')]
load folder.'style.gp'
panels = ''
lines = ''
nodes = ''
stats data index 0 using (panels = with(panels, sprintf('%d', $1)), nodes = with(nodes, sprintf('%d', $2)), \
                  lines = with(lines, sprintf('%d', $3)), $7) name 'TIME' nooutput
stats data index 0 using 1 name 'PANEL' nooutput
stats data index 0 using 2 name 'NODES' nooutput
stats data index 0 using 3 name 'LINE' nooutput
stats data index 0 using ($7 > $6) name 'SPREAD' nooutput
panels = rank(panels, int(PANEL_max))
lines = rank(lines, int(LINE_max))
nodes = rank(nodes, int(NODES_max))
published = ''
stats data using (published = column(-2) == 1 ? 'yes' : published, 1) nooutput
npanel = words(panels)
per_row = 2
gap = 16
model = word(about, 1)
system = word(about, 2)
name = model eq 'micropp' ? 'MicroPP' : model eq 'nbody' ? 'n-body' : model
title = name.' on more and more nodes, '.system.' core allocation'
ndegree = 0
do for [k = 1:words(lines)] { ndegree = ndegree + (int(word(lines, k)) > 1) }
color(l) = l == 0 ? system_color('baseline') : l == 1 ? system_color('dlb') : \
           shade(system_color(system), place(lines, sprintf('%d', l)) - 1 - (words(lines) - ndegree), ndegree)
mark(l) = l == 0 ? system_mark('baseline') : l == 1 ? system_mark('dlb') : degree_mark(l)
# Without DLB: broad, as DLB among one apprank per node is the same and lies on it.
thick(l) = l == 0 ? 4 : 1.5
text(l) = l == 0 ? 'no DLB' : l == 1 ? 'DLB (degree 1)' : sprintf('degree %d', l)
do for [k = 1:words(lines)] { l = int(word(lines, k)); last = key_add(text(l), 'b', color(l), mark(l), 1) }
last = key_add('bound (optimal)', 'l', ink, 0, 2)
last = key_interval(SPREAD_sum, 'f', mix(system_color(system), 0xffffff, 0.7))
if (published ne '') { last = key_add('published', 'm', ink, 2, 1) }
number_chars = tic_chars(0, 1.06 * TIME_max)
load folder.'page.gp'
set logscale x 2
set xrange [real(word(nodes, 1)) / 1.2:real(word(nodes, words(nodes))) * 1.2]
set xtics ()
do for [k = 1:words(nodes)] { set xtics add (word(nodes, k) real(word(nodes, k))) }
set yrange [0:1.06 * TIME_max]
do for [p = 1:npanel] {
    n = int(word(panels, p))
    eval PANEL
    set title sprintf(n == 1 ? '%d apprank per node' : '%d appranks per node', n) font F10 offset 0, -0.6
    set xlabel 'Nodes'
    set ylabel (first_of_row(p) ? 'Time per step (s)' : '')
    set format y (first_of_row(p) ? '%g' : '')
    plot for [k = 1:words(lines)] data index 0 using ($1 == n && $3 == int(word(lines, k)) ? $2 : NaN):6:7 \
             with filledcurves fs transparent solid 0.25 noborder lc rgb color(int(word(lines, k))) notitle, \
         data index 0 using ($1 == n ? $2 : NaN):5 smooth unique with lines lw 1.6 dt 2 lc rgb ink notitle, \
         for [k = 1:words(lines)] data index 0 using ($1 == n && $3 == int(word(lines, k)) ? $2 : NaN):4 \
             with linespoints lw thick(int(word(lines, k))) pt mark(int(word(lines, k))) ps 0.55 lc rgb color(int(word(lines, k))) notitle, \
         for [k = 1:words(published)] data index 1 using ($1 == n ? $2 : NaN):4:(color($3)) \
             with points pt 2 ps 1.1 lw 2.5 lc rgb variable notitle
}
load folder.'legend.gp'
