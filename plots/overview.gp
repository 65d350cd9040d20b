# SPDX-License-Identifier: BSD-3-Clause
# All numeric rows of lbsim reproduce: published against simulated, one in ten marked. Data: "published simulated
# differs state paper". By hand:
#   gnuplot -c overview.gp DIR/overview.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
if (kind eq 'png') {
    set terminal pngcairo size 1240,1240 font 'DejaVu Sans,11' fontscale 2 linewidth 2 pointscale 2 background rgb 'white'
} else { if (kind eq 'pdf') {
    set terminal pdfcairo size 6.2in,6.2in font 'DejaVu Sans,11'
} else {
    set terminal svg size 620,620 dynamic font 'DejaVu Sans,11' background rgb 'white'
} }
size = 'two'
folder = ARG0[:strlen(ARG0) - strlen('overview.gp')]
load folder.'style.gp'
set output output
set border 3 lc rgb '#444444'
set tics nomirror out textcolor rgb '#222222'
set grid lc rgb '#dddddd' lt 1
stats data using 1:2 name 'ROW' nooutput
set logscale xy
set xrange [ROW_min_x / 1.5:ROW_max_x * 1.3]
set yrange [ROW_min_y / 1.5:ROW_max_y * 1.3]
set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
set xlabel 'Published'
set ylabel 'Simulated (mean of the draws)'
set title 'Every number of the four papers, against what is simulated' font ',13'
set key top left Left reverse samplen 1 noenhanced
array Papers[4] = ['ompss2-cluster-dlb', 'chameleon', 'dpb', 'task-packing']
array Names[4] = ['OmpSs-2@Cluster + DLB', 'CHAMELEON', 'DPB', 'Task Packing']
plot x with lines lc rgb '#888888' notitle, x * 1.1 with lines dt 2 lc rgb '#888888' title 'a tenth off', x / 1.1 with lines dt 2 lc rgb '#888888' notitle, \
     for [p = 1:4] data using (strcol(5) eq Papers[p] && $3 == 0 ? $1 : NaN):2 with points pt 7 ps 0.7 lc rgb line_color(p) title Names[p], \
     for [p = 1:4] data using (strcol(5) eq Papers[p] && $3 == 1 ? $1 : NaN):2 with points pt 6 ps 0.9 lc rgb line_color(p) notitle, \
     keyentry with points pt 6 ps 0.9 lc rgb '#444444' title 'open: differs'
