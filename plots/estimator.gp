# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration over the length of the global policy's average of busy cores, one line per kind of
# average. Data: nodes kind average_s time_s optimal_s.
script_dir = ARG0[:strstrt(ARG0, 'estimator.gp') - 2]
if (script_dir eq '') { script_dir = '.' }
nodes = ''
collect(list, item) = strstrt(' '.list.' ', ' '.item.' ') ? list : (list eq '' ? item : list.' '.item)
stats data using (nodes = collect(nodes, sprintf('%d', $1)), $4) name 'TIME' nooutput
npanel = words(nodes)
width = 180 + 340 * npanel
height = 400
load script_dir.'/style.gp'
set logscale x
set yrange [0:TIME_max * 1.06]
set multiplot layout 1,npanel margins char 8,char 18,char 4.2,char 5 spacing char 4,0 title 'How long busy cores must be averaged, global allocation' font ',13'
do for [p = 1:npanel] {
    n = int(word(nodes, p))
    set title sprintf('%d nodes', n) font ',12'
    set xlabel 'Length of the average (s)'
    set xtics (1, 2, 5, 10, 20, 40, 80)
    set ylabel (p == 1 ? 'Time per iteration (s)' : '')
    if (p == npanel) {
        set key at screen 0.995, 0.86 right top Left reverse samplen 2 spacing 1.25 font ',10'
    } else {
        unset key
    }
    plot data using ($1 == n ? $3 : NaN):5 smooth unique with lines lw 2 dt 2 lc rgb '#999999' title 'bound', \
         data using ($1 == n && $2 == 0 ? $3 : NaN):4 with linespoints lw 2 pt 7 ps 0.6 lc rgb '#0072b2' title 'window', \
         data using ($1 == n && $2 == 1 ? $3 : NaN):4 with linespoints lw 2 pt 5 ps 0.6 lc rgb '#d55e00' title 'exponential'
}
unset multiplot
