# SPDX-License-Identifier: BSD-3-Clause
# What packing gives over the number of processes, with the fractions that the text of Task Packing (Utrera et al.)
# gives. Data: blocks headed by the line's name, of "processes time_s imbalance_fraction freed_fraction energy_J", each
# with low and high; the last is what is published, without. By hand:
#   gnuplot -c packing.gp DIR/packing.dat figure.svg svg ft two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('packing.gp')]
load folder.'style.gp'
model = word(about, 1)
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nline = ALL_blocks - 1
array Head[nline]
unpacked = 0
spread = 0
# The same dashes for what is packed and what is not on the same links.
dash_of(k) = 1 + (k - 1) % 4
array Color[nline]
array Dash[nline]
packed = 0
plain = 0
do for [b = 1:nline] {
    stats data index b - 1 every ::0::0 using (Head[b] = strcol(1), 0) name 'HEAD' nooutput
    if (strstrt(Head[b], 'not packed')) {
        Color[b] = variant(system_color('baseline'), plain)
        plain = plain + 1
        Dash[b] = dash_of(plain)
    } else {
        Color[b] = variant(system_color('packing'), packed)
        packed = packed + 1
        Dash[b] = dash_of(packed)
    }
    stats data index b - 1 every ::1 using ($4 > $3 ? 1 : 0) name 'SPREAD' nooutput
    spread = spread + SPREAD_sum
}
stats data index nline using (strcol(1) eq 'published' ? 0 : 1) name 'MARK' nooutput
marked = MARK_sum > 0
# The broader ones first, so that lines that go the same way are seen on each other.
thick(b) = strstrt(Head[b], 'not packed') ? 5 : strstrt(Head[b], 'exactly') ? 1 : 2.8
npanel = 4
per_row = 2
title = 'Task packing, '.(model eq 'ft' ? 'FT' : model eq 'minife' ? 'miniFE' : model)
do for [b = 1:nline] { last = key_add(Head[b], 'b', Color[b], line_mark(b), Dash[b]) }
last = key_interval(spread, 'l', ink)
if (marked) { last = key_add('published', 'm', ink, 2, 1) }
load folder.'page.gp'
set logscale x 2
array Title = ['Time per iteration (s)', 'Imbalance (share of the time), fastest nodes', 'CPUs freed of the fastest nodes (share)', \
               'Energy per iteration (J)']
set xlabel 'Processes'
do for [p = 1:npanel] {
    c = 3 * p - 1
    eval PANEL
    set title Title[p] font F10 offset 0, -0.6
    set yrange [0:*]
    if (p == 2 || p == 3) { set yrange [0:1] }
    set offsets graph 0.04, graph 0.04, graph 0.06, 0
    plot for [b = 1:nline] data index b - 1 every ::1 using (column(c + 2) > column(c + 1) ? $1 : NaN):(column(c)):(column(c + 1)):(column(c + 2)) \
             with yerrorbars pt 0 lw 1 lc rgb Color[b] notitle, \
         for [b = 1:nline] data index b - 1 every ::1 using 1:(column(c)) \
             with linespoints lw thick(b) dt Dash[b] pt line_mark(b) ps 0.55 lc rgb Color[b] notitle, \
         for [i = 1:marked] data index nline every ::1 using 1:(column(p + 1)) with points pt 2 ps 0.9 lw 2 lc rgb ink notitle
}
load folder.'legend.gp'
