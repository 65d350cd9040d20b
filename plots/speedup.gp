# SPDX-License-Identifier: BSD-3-Clause
# Speedups over a reference as bars in groups, the reference first; what was published as diamonds (DPB paper, Figures 4
# to 7). Data: "group variant group_label variant_label speedup published group_title". By hand:
#   gnuplot -c speedup.gp DIR/speedup.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('speedup.gp')]
stats data using 1:2 name 'AT' nooutput
stats data using 5 name 'S' nooutput
ngroup = int(AT_max_x) + 1
nvariant = int(AT_max_y) + 1
array Group[ngroup]
array Variant[nvariant]
stats data using (Group[int($1) + 1] = strcol(3), Variant[int($2) + 1] = strcol(4), 1) name 'TEXT' nooutput
npanel = 1
gap = 0.0
legend_width = 270.0
xname = ''
stats data using (xname = strcol(7), 1) name 'NAME' nooutput
load folder.'style.gp'
set lmargin at screen begin(1)
set rmargin at screen end(1)
set tmargin at screen 0.92
set bmargin at screen 0.16
array colors[8] = [0x999999, 0x0072b2, 0xe69f00, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xf0e442]
set label xname at (ngroup - 1) / 2.0, graph -0.13 center noenhanced
set ylabel 'Speedup over the first'
set yrange [0:1.25 * S_max]
set xrange [-0.6:ngroup - 0.4]
unset xtics
do for [g = 1:ngroup] { set label Group[g] at g - 1, graph -0.05 center noenhanced }
set style fill solid 0.9 noborder
bar = 0.8 / nvariant
place(g, v) = g + (v - (nvariant - 1) / 2.0) * bar
set key at screen legend_x, 0.92 left top Left reverse samplen 1.5 spacing 1.3 noenhanced
plot for [v = 0:nvariant - 1] data using ($2 == v ? place($1, v) : NaN):5:(0.92 * bar) with boxes lc rgb colors[1 + v % 8] title Variant[v + 1], \
     data using (place($1, $2)):5:(sprintf('%.2f', $5)) with labels offset 0, -0.6 font ',8' tc rgb '#ffffff' notitle, \
     data using (place($1, $2)):6 with points pt 13 ps 1.1 lc rgb '#000000' title 'published'
