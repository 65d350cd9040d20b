# SPDX-License-Identifier: BSD-3-Clause
# Time over the bound, and helper processes, of static degrees and of a graph that grows (ICPP'22 5.2).
# Data: "group variant group_label system degree ratio helpers". By hand:
#   gnuplot -c spreading.gp DIR/spreading.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('spreading.gp')]
stats data using 1:2 name 'AT' nooutput
stats data using 6 name 'RATIO' nooutput
stats data using 7 name 'HELPERS' nooutput
ngroup = int(AT_max_x) + 1
nvariant = int(AT_max_y) + 1
array Group[ngroup]
array Variant[nvariant]
stats data using (Group[int($1) + 1] = strcol(3), \
                  Variant[int($2) + 1] = strcol(4) eq 'dynamic' ? 'dynamic' : strcol(4).', degree '.strcol(5), 1) name 'TEXT' nooutput
npanel = 2
gap = 70.0
legend_width = 170.0
load folder.'style.gp'
array colors[8] = [0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0xcc79a7, 0x000000, 0x56b4e9, 0x888888]
array marks[8] = [7, 9, 5, 11, 13, 12, 15, 4]
set tmargin at screen 0.90
set bmargin at screen 0.32
set xrange [-0.5:ngroup - 0.5]
set xtics rotate by -40 left noenhanced ()
do for [g = 1:ngroup] { set xtics add (Group[g] g - 1) }
set key off
size(v) = Variant[v] eq 'dynamic' ? 1.3 : 0.7
set multiplot
set lmargin at screen begin(1)
set rmargin at screen end(1)
set ylabel 'Time over the bound' offset 1.5,0
set logscale y 2
set yrange [0.98:1.1 * RATIO_max]
set ytics (1, 1.1, 1.25, 1.5, 2, 3, 4)
plot for [v = 1:nvariant] data using ($2 == v - 1 ? $1 : NaN):6 with points pt marks[1 + (v - 1) % 8] ps size(v) \
     lc rgb colors[1 + (v - 1) % 8] notitle
set lmargin at screen begin(2)
set rmargin at screen end(2)
set ylabel 'Helper processes' offset 1.5,0
unset logscale y
set logscale y 10
set yrange [0.8:1.5 * (HELPERS_max + 1)]
set ytics auto
set ytics add ('0' 1)
set key at screen legend_x, 0.90 left top Left reverse samplen 1.5 spacing 1.3 noenhanced on
plot for [v = 1:nvariant] data using ($2 == v - 1 ? $1 : NaN):($7 < 1 ? 1 : $7) with points pt marks[1 + (v - 1) % 8] ps size(v) \
     lc rgb colors[1 + (v - 1) % 8] title Variant[v]
unset multiplot
