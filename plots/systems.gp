# SPDX-License-Identifier: BSD-3-Clause
# Every system on every workload: time over the bound, cores used, data moved, decisions, as bars in groups. Data:
# "workload system workload_label system_label ratio_to_optimal cores_used moved_GB decisions". By hand:
#   gnuplot -c systems.gp DIR/systems.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('systems.gp')]
stats data using 1:2 name 'AT' nooutput
stats data using 5 name 'RATIO' nooutput
nwork = int(AT_max_x) + 1
nsystem = int(AT_max_y) + 1
array Work[nwork]
array System[nsystem]
stats data using (Work[int($1) + 1] = strcol(3), System[int($2) + 1] = strcol(4), 1) name 'TEXT' nooutput
npanel = 2
gap = 20.0
legend_width = 150.0
load folder.'style.gp'
if (kind eq 'png') { set terminal pngcairo size 2*width,3*height } else { set terminal svg size width,1.5*height }
array colors[10] = [0x999999, 0x56b4e9, 0xe69f00, 0x009e73, 0x0072b2, 0xd55e00, 0xcc79a7, 0xf0e442, 0x000000, 0x882255]
array Title[4] = ['Time per iteration / bound', 'Cores used', 'Data moved, GB', 'Decisions']
array Bottom[4] = [0.66, 0.66, 0.24, 0.24]
bar = 0.84 / nsystem
place(w, s) = w + (s - (nsystem - 1) / 2.0) * bar
set style fill solid 0.9 noborder
set xrange [-0.6:nwork - 0.4]
set multiplot
do for [q = 1:4] {
    p = 1 + (q - 1) % 2
    set lmargin at screen begin(p) + (p == 2 ? 0.03 : 0)
    set rmargin at screen end(p)
    set bmargin at screen Bottom[q]
    set tmargin at screen Bottom[q] + 0.27
    set title Title[q] offset 0, -0.6
    unset xtics
    unset label
    if (q > 2) { do for [w = 1:nwork] { set label Work[w] at w - 1, graph -0.05 right rotate by 35 font ',9' noenhanced } }
    unset logscale y
    set ytics autofreq
    set yrange [0:*]
    if (q == 1) { set yrange [1:RATIO_max * 1.05] }
    if (q > 2) { set logscale y; set yrange [*:*] }
    set format y (q > 2 ? '10^{%T}' : '%g')
    unset key
    # Not the key, which would break into columns beyond the page.
    if (q == 2) { do for [s = 1:nsystem] { set label System[s] at screen legend_x, 0.94 - 0.03 * s left offset 1.5, 0 \
        point pt 5 ps 2 lc rgb colors[1 + (s - 1) % 10] noenhanced } }
    plot for [s = 0:nsystem - 1] data using ($2 == s ? place($1, s) : NaN):(column(4 + q) > 0 ? column(4 + q) : NaN):(0.95 * bar) \
        with boxes lc rgb colors[1 + s % 10]
}
unset multiplot
