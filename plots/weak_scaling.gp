# SPDX-License-Identifier: BSD-3-Clause
# Time per step over nodes, one line per offloading degree (paper, Figures 6 and 7), one panel per number of
# appranks per node. Data: "appranks_per_node nodes line time_s optimal_s"; line 0: no DLB, 1: DLB alone; then a block
# of what was published, "appranks_per_node nodes line time_s". By hand:
#   gnuplot -c weak_scaling.gp DIR/weak_scaling_global.dat figure.svg svg 'micropp global'
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('weak_scaling.gp')]
has(list, item) = strstrt(' '.list.' ', ' '.item.' ') > 0
with(list, item) = has(list, item) ? list : list eq '' ? item : list.' '.item
rank(list, top) = (sorted = '', sum [v = 0:top] (has(list, sprintf('%d', v)) ? (sorted = with(sorted, sprintf('%d', v)), 0) : 0), sorted)
panels = ''
lines = ''
nodes = ''
stats data index 0 using (panels = with(panels, sprintf('%d', $1)), nodes = with(nodes, sprintf('%d', $2)), \
                  lines = with(lines, sprintf('%d', $3)), $4) name 'TIME' nooutput
stats data index 0 using 1 name 'PANEL' nooutput
stats data index 0 using 2 name 'NODES' nooutput
stats data index 0 using 3 name 'LINE' nooutput
panels = rank(panels, int(PANEL_max))
lines = rank(lines, int(LINE_max))
nodes = rank(nodes, int(NODES_max))
published = ''
stats data using (published = column(-2) == 1 ? 'yes' : published, 1) nooutput
npanel = words(panels)
gap = 30.0
legend_width = 170.0
load folder.'style.gp'
model = word(ARG4, 1)
name = model eq 'micropp' ? 'MicroPP' : model eq 'nbody' ? 'n-body' : model
color(l) = l == 0 ? 0x555555 : l == 1 ? 0x0072b2 : l == 2 ? 0xe69f00 : l == 3 ? 0x009e73 : l == 4 ? 0xd55e00 : \
           l == 6 ? 0x56b4e9 : l == 8 ? 0xcc79a7 : 0x888888
mark(l) = l == 0 ? 6 : l == 1 ? 7 : l == 2 ? 9 : l == 3 ? 5 : l == 4 ? 11 : l == 6 ? 15 : l == 8 ? 13 : 1
label(l) = l == 0 ? 'no DLB' : l == 1 ? 'DLB (degree 1)' : sprintf('degree %d', l)
set logscale x 2
set xrange [real(word(nodes, 1)) / 1.2:real(word(nodes, words(nodes))) * 1.2]
set xtics ()
do for [k = 1:words(nodes)] { set xtics add (word(nodes, k) real(word(nodes, k))) }
set yrange [0:1.06 * TIME_max]
set multiplot title name.', '.word(ARG4, 2).' core allocation' font ',13'
set tmargin at screen 0.80
set bmargin at screen 0.17
do for [p = 1:npanel] {
    n = int(word(panels, p))
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set title sprintf(n == 1 ? '%d apprank per node' : '%d appranks per node', n) font ',12'
    set xlabel 'Nodes'
    set ylabel (p == 1 ? 'Time per step (s)' : '')
    set format y (p == 1 ? '%g' : '')
    unset key
    if (p == npanel) {
        set key at screen legend_x, 0.82 left top Left reverse samplen 2.2 spacing 1.3
    }
    plot data index 0 using ($1 == n ? $2 : NaN):5 smooth unique with lines lw 2 dt 2 lc rgb '#888888' notitle, \
         for [k = 1:words(lines)] data index 0 using ($1 == n && $3 == int(word(lines, k)) ? $2 : NaN):4 \
             with linespoints lw 1.8 pt mark(int(word(lines, k))) ps (int(word(lines, k)) == 0 ? 1 : 0.6) \
             lc rgb color(int(word(lines, k))) notitle, \
         for [k = 1:words(published)] data index 1 using ($1 == n ? $2 : NaN):4:(color($3)) \
             with points pt 2 ps 1.6 lw 2.5 lc rgb variable notitle, \
         for [k = 1:words(lines)] keyentry with linespoints lw 1.8 pt mark(int(word(lines, k))) ps 0.7 \
             lc rgb color(int(word(lines, k))) title label(int(word(lines, k))), \
         keyentry with lines lw 2 dt 2 lc rgb '#888888' title 'optimal', \
         for [k = 1:words(published)] keyentry with points pt 2 ps 1.2 lw 2 lc rgb '#222222' title 'published'
}
unset multiplot
