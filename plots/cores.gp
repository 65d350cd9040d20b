# SPDX-License-Identifier: BSD-3-Clause
# Busy (left) and owned cores (right) of every apprank on every node over time, stacked, a colour per apprank and a
# band of nodes per run (paper, Figures 5 and 9). Data: blocks that begin with "NODES APPRANKS CORES|LABEL|END",
# where END is the published end of the run, if there is one; then rows: time, busy[node][apprank],
# owned[node][apprank], both summed over the appranks so far. By hand:
#   gnuplot -c cores.gp DIR/cores.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('cores.gp')]
load folder.'style.gp'
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
until = 0
strips = 0
marked = 0
appranks = 0 # of the run with most
appranks_of(head) = int(word(head, 2))
published(head) = strlen(part(head, 3)) ? real(part(head, 3)) : 0
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    Head[b] = head
    stats data index b - 1 every ::1 using 1 name 'RUN' nooutput
    until = RUN_max > until ? RUN_max : until
    strips = strips + int(word(head, 1))
    appranks = appranks_of(head) > appranks ? appranks_of(head) : appranks
    marked = marked + (published(head) > 0)
}
npanel = 2
per_row = 2
per_row_one = 2
title = 'Cores of each apprank on each node: busy at the left, owned at the right'
margin = 74
gap = 34
band_gap = 30.0
strip = (page_height - 150 - nblock * band_gap) / strips # beside title, axis and legend
strip = strip > 46.0 ? 46.0 : strip < 26.0 ? 26.0 : strip
panel_head = 0
panel_height = strips * strip + nblock * band_gap
least_height = panel_height
do for [a = 0:appranks - 1] { last = key_add(sprintf('apprank %d', a), 'f', rank_color(a), 0, 1) }
if (marked) { last = key_add('published end', 'l', ink, 0, 2) }
load folder.'page.gp'
cores_of(head) = int(word(part(head, 1), 3))
set xrange [0:until]
if (!wide && until > 0) { set xtics round_up(until / 4.0) }
# On one column, a run's name goes over both sides.
name_of(head, side) = wide ? part(head, 2).(side == 1 ? ': busy' : ': owned') : side == 1 ? part(head, 2) : ''
unset grid
y = (1 - top(1)) * height
do for [b = 1:nblock] {
    nodes = int(word(Head[b], 1))
    cores = cores_of(Head[b])
    y = y + band_gap
    do for [n = 0:nodes - 1] {
        do for [side = 1:2] {
            p = side
            eval PANEL
            set tmargin at screen 1 - (y + 4) / height
            set bmargin at screen 1 - (y + strip - 4) / height
            unset label
            unset arrow
            if (published(Head[b]) > 0) {
                set arrow 1 from published(Head[b]), graph 0 to published(Head[b]), graph 1.1 nohead front lw 2 dt 2 lc rgb ink
            }
            if (n == 0) { set label 1 name_of(Head[b], side) at graph 0, graph 1 offset 0, 0.8 font (wide ? F10 : F9) noenhanced }
            if (side == 1) { set label 2 sprintf('node %d', n) at screen 4 / width, graph 0.5 left font F9 }
            last = b == nblock && n == nodes - 1
            set format x (last ? '%g' : '')
            set xlabel (last ? 'Time (s)' : '')
            set yrange [0:cores]
            set ytics (0, cores) font F8
            column0 = 2 + ((side - 1) * nodes + n) * appranks_of(Head[b])
            plot for [a = appranks_of(Head[b]) - 1:0:-1] data index b - 1 every ::1 using 1:column0 + a \
                     with filledcurves y1=0 fs solid noborder lc rgb rank_color(a) notitle
        }
        y = y + strip
    }
}
load folder.'legend.gp'
