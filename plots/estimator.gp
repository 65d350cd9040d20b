# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration over the length of the global policy's average of busy cores, one line per kind of average.
# Data: "nodes kind average_s time_s optimal_s", kind 0 a window, 1 exponential. By hand:
#   gnuplot -c estimator.gp DIR/estimator.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('estimator.gp')]
with(list, item) = strstrt(' '.list.' ', ' '.item.' ') ? list : list eq '' ? item : list.' '.item
nodes = ''
stats data using (nodes = with(nodes, sprintf('%d', $1)), $4) name 'TIME' nooutput
npanel = words(nodes)
gap = 30.0
legend_width = 145.0
load folder.'style.gp'
set logscale x 2
set xtics (0.5, 1, 2, 5, 10, 20, 40, 80)
set yrange [0:1.06 * TIME_max]
set multiplot title 'How long busy cores are averaged, global core allocation' font ',13'
set tmargin at screen 0.80
set bmargin at screen 0.17
do for [p = 1:npanel] {
    n = int(word(nodes, p))
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set title sprintf('%d nodes', n) font ',12'
    set xlabel 'Length of the average (s)'
    set ylabel (p == 1 ? 'Time per iteration (s)' : '')
    set format y (p == 1 ? '%g' : '')
    unset key
    if (p == npanel) {
        set key at screen legend_x, 0.82 left top Left reverse samplen 2.2 spacing 1.3
    }
    plot data using ($1 == n ? $3 : NaN):5 smooth unique with lines lw 2 dt 2 lc rgb '#888888' notitle, \
         data using ($1 == n && $2 == 0 ? $3 : NaN):4 with linespoints lw 1.8 pt 7 ps 0.55 lc rgb '#0072b2' title 'window', \
         data using ($1 == n && $2 == 1 ? $3 : NaN):4 with linespoints lw 1.8 pt 5 ps 0.55 lc rgb '#d55e00' title 'exponential', \
         keyentry with lines lw 2 dt 2 lc rgb '#888888' title 'optimal'
}
unset multiplot
