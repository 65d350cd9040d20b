# SPDX-License-Identifier: BSD-3-Clause
# Busy (left) and owned cores (right) of every apprank on every node over time, stacked, a colour per apprank and a
# band of nodes per run (paper, Figures 5 and 9). Data: blocks that begin with "NODES APPRANKS CORES|LABEL|END",
# where END is the published end of the run, if there is one; then rows: time, busy[node][apprank],
# owned[node][apprank], both summed over the appranks so far. By hand:
#   gnuplot -c cores.gp DIR/cores.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('cores.gp')]
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
until = 0
strips = 0
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    Head[b] = head
    stats data index b - 1 every ::1 using 1 name 'RUN' nooutput
    until = RUN_max > until ? RUN_max : until
    strips = strips + int(word(head, 1))
}
appranks = int(word(Head[1], 2))
npanel = 2
gap = 36.0
legend_width = 120.0
load folder.'style.gp'
strip = 46.0
band_gap = 40.0
top = 66.0
bottom = 64.0
height = top + strips * strip + (nblock - 1) * band_gap + bottom
if (kind eq 'png') {
    set terminal pngcairo size 2*width,2*height font 'DejaVu Sans,11' fontscale 2 linewidth 2 pointscale 2 background rgb 'white'
} else {
    set terminal svg size width,height dynamic font 'DejaVu Sans,11' background rgb 'white'
}
set output output
rest_of(head) = head[strstrt(head, '|') + 1:]
label_of(head) = strstrt(rest_of(head), '|') ? rest_of(head)[:strstrt(rest_of(head), '|') - 1] : rest_of(head)
published(head) = strstrt(rest_of(head), '|') ? real(rest_of(head)[strstrt(rest_of(head), '|') + 1:]) : 0
cores_of(head) = int(word(head[:strstrt(head, '|') - 1], 3))
array colors[8] = [0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0xcc79a7, 0x56b4e9, 0xf0e442, 0x555555]
color(a) = colors[1 + a % 8]
set multiplot title 'Cores of each apprank on each node' font ',13'
set xrange [0:until]
unset grid
y = top
do for [b = 1:nblock] {
    nodes = int(word(Head[b], 1))
    cores = cores_of(Head[b])
    do for [n = 0:nodes - 1] {
        set tmargin at screen 1 - (y + 3) / height
        set bmargin at screen 1 - (y + strip - 3) / height
        do for [side = 1:2] {
            set lmargin at screen begin(side)
            set rmargin at screen end(side)
            unset label
            unset arrow
            if (published(Head[b]) > 0) {
                set arrow 1 from published(Head[b]), graph 0 to published(Head[b]), graph 1.1 nohead front lw 2 dt 2 lc rgb '#222222'
                if (n == 0) { set label 3 'published end' at published(Head[b]), graph 1 offset 0, 0.7 center font ',9' }
            }
            if (n == 0) { set label 1 label_of(Head[b]).(side == 1 ? ': busy' : ': owned') at graph 0, graph 1 offset 0, 0.7 font ',10' noenhanced }
            if (side == 1) { set label 2 sprintf('node %d', n) at graph -0.05, graph 0.5 right font ',9' }
            last = b == nblock && n == nodes - 1
            set format x (last ? '%g' : '')
            set xlabel (last ? 'Time (s)' : '')
            set yrange [0:cores]
            unset ytics
            unset key
            column0 = 2 + (side - 1) * nodes * appranks + n * appranks
            plot for [a = appranks - 1:0:-1] data index b - 1 every ::1 using 1:column0 + a \
                     with filledcurves y1=0 fs solid noborder lc rgb color(a) notitle
        }
        y = y + strip
    }
    y = y + band_gap
}
# The legend has a plot of its own: those above are too low for it.
set lmargin at screen legend_x
set rmargin at screen 1
set tmargin at screen 1 - top / height
set bmargin at screen 0
unset label
unset arrow
unset border
unset xtics
unset xlabel
set key at screen legend_x, 1 - top / height left top Left reverse samplen 1.5 spacing 1.3
plot for [a = 0:appranks - 1] NaN with boxes fs solid noborder lc rgb color(a) title sprintf('apprank %d', a)
unset multiplot
