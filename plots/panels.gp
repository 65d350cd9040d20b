# SPDX-License-Identifier: BSD-3-Clause
# One panel per node count, one line per degree, from "nodes degree x time_s optimal_s". The caller sets
# data, xname and title_of(nodes); ranges and tics of x beforehand.
nodes = ''
degrees = ''
collect(list, item) = strstrt(' '.list.' ', ' '.item.' ') ? list : (list eq '' ? item : list.' '.item)
stats data using (nodes = collect(nodes, sprintf('%d', $1)), degrees = collect(degrees, sprintf('%d', $2)), $4) name 'TIME' nooutput
npanel = words(nodes)
width = 120 + 330 * npanel
height = 400
load script_dir.'/style.gp'
set yrange [0:TIME_max * 1.06]
set multiplot layout 1,npanel margins char 8,char 13,char 4.2,char 5 spacing char 4,0 title what_title font ',13'
do for [p = 1:npanel] {
    n = int(word(nodes, p))
    set title sprintf('%d nodes', n) font ',12'
    set xlabel xname
    set ylabel (p == 1 ? 'Time per iteration (s)' : '')
    if (p == npanel) {
        set key at screen 0.995, 0.86 right top Left reverse samplen 2 spacing 1.25 title 'degree' font ',10'
    } else {
        unset key
    }
    plot data using ($1 == n ? $3 : NaN):5 smooth unique with lines lw 2 dt 2 lc rgb '#999999' title 'bound', \
         for [k = 1:words(degrees)] data using ($1 == n && $2 == int(word(degrees, k)) ? $3 : NaN):4 \
             with linespoints lw 2 pt mark(int(word(degrees, k))) ps 0.6 lc rgb color(int(word(degrees, k))) \
             title word(degrees, k)
}
unset multiplot
