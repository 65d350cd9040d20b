# SPDX-License-Identifier: BSD-3-Clause
# How far each parameter moves the time from that of the base, one panel per system. Data: "system paths base lowest
# its_values highest its_values base_values", quoted. By hand:
#   gnuplot -c tornado.gp DIR/tornado.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('tornado.gp')]
has(list, item) = strstrt(' '.list.' ', ' '.item.' ') > 0
with(list, item) = has(list, item) ? list : list eq '' ? item : list.' '.item
systems = ''
stats data using (systems = with(systems, strcol(1)), 1) name 'ROW' nooutput
nrow = ROW_records
array System[nrow]
array Label[nrow]
array Base[nrow]
array Low[nrow]
array High[nrow]
array LowText[nrow]
array HighText[nrow]
i = 0
last(path) = strstrt(path, '.') ? last(path[strstrt(path, '.') + 1:]) : path
first_of(path) = strstrt(path, ', ') ? path[:strstrt(path, ', ') - 1] : path
second_of(path) = strstrt(path, ', ') ? ', '.last(path[strstrt(path, ', ') + 2:]) : ''
stats data using (i = i + 1, System[i] = strcol(1), Label[i] = last(first_of(strcol(2))).second_of(strcol(2)).' = '.strcol(8), \
                  Base[i] = $3, Low[i] = $4, LowText[i] = strcol(5), High[i] = $6, HighText[i] = strcol(7), 1) \
      name 'ALL' nooutput
npanel = words(systems)
gap = 250.0
legend_width = 0.0
load folder.'style.gp'
# Bars need a place for their labels at the left.
shift = 190.0
width = width + shift
begin(p) = (left + shift + (p - 1) * (panel_width + gap)) / width
end(p) = begin(p) + panel_width / width
if (kind eq 'png') {
    set terminal pngcairo size 2*width,2*height font 'DejaVu Sans,11' fontscale 2 linewidth 2 pointscale 2 background rgb 'white'
} else {
    set terminal svg size width,height dynamic font 'DejaVu Sans,11' background rgb 'white'
}
set output output
lowest = Low[1]
highest = High[1]
do for [i = 1:nrow] {
    lowest = Low[i] < lowest ? Low[i] : lowest
    highest = High[i] > highest ? High[i] : highest
}
margin = 0.24 * (highest - lowest) + 1e-6
array Order[nrow]
set multiplot title 'What the time depends on, one value changed at a time' font ',13'
set tmargin at screen 0.82
set bmargin at screen 0.16
set border 1 lc rgb '#444444'
set grid noy
set grid x lc rgb '#dddddd' lt 1
unset key
do for [p = 1:npanel] {
    # the bars of this system, the longest at the top
    n = 0
    do for [i = 1:nrow] { if (System[i] eq word(systems, p)) { n = n + 1; Order[n] = i } }
    do for [a = 1:n] {
        do for [b = a + 1:n] {
            if (High[Order[b]] - Low[Order[b]] > High[Order[a]] - Low[Order[a]]) {
                keep = Order[a]; Order[a] = Order[b]; Order[b] = keep
            }
        }
    }
    unset label
    unset arrow
    unset object
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set title word(systems, p) font ',12'
    set xlabel 'Time / optimum'
    set xrange [lowest - margin:highest + margin]
    set yrange [-n - 0.5:-0.5]
    unset ytics
    do for [k = 1:n] {
        i = Order[k]
        set label k Label[i] at graph -0.02, first -k right font ',9' noenhanced
        set object 2*k - 1 rectangle from Low[i], -k - 0.33 to Base[i], -k + 0.33 fc rgb '#0072b2' fs solid noborder
        set object 2*k rectangle from Base[i], -k - 0.33 to High[i], -k + 0.33 fc rgb '#d55e00' fs solid noborder
        if (Low[i] < Base[i]) { set label n + k LowText[i] at Low[i], -k right offset -0.4, 0 font ',8' noenhanced }
        if (High[i] > Base[i]) { set label 2*n + k HighText[i] at High[i], -k left offset 0.4, 0 font ',8' noenhanced }
    }
    set arrow 1 from Base[Order[1]], graph 0 to Base[Order[1]], graph 1 nohead lc rgb '#444444' lw 1
    plot NaN notitle
}
unset multiplot
