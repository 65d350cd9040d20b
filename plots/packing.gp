# SPDX-License-Identifier: BSD-3-Clause
# What packing gives over the number of processes, with the fractions that the text of Task Packing (Utrera et al.)
# gives. Data: blocks headed by the line's name, of "processes time_s imbalance_fraction freed_fraction energy_J"; the
# last is what is published. By hand:
#   gnuplot -c packing.gp DIR/packing.dat figure.svg svg ft
data = ARG1
output = ARG2
kind = ARG3
model = word(ARG4, 1)
folder = ARG0[:strlen(ARG0) - strlen('packing.gp')]
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nline = ALL_blocks - 1
array Head[nline]
do for [b = 1:nline] {
    stats data index b - 1 every ::0::0 using (Head[b] = strcol(1), 0) name 'HEAD' nooutput
}
stats data index nline using (strcol(1) eq 'published' ? 0 : 1) name 'MARK' nooutput
marked = MARK_sum > 0
npanel = 4
gap = 84.0
legend_width = 320.0
load folder.'style.gp'
set logscale x 2
array Title = ['Time per iteration (s)', 'Imbalance fraction, fastest nodes', 'CPUs freed of the fastest nodes', \
               'Energy per iteration (J)']
color(b) = int(word('0x555555 0x0072b2 0xd55e00 0x009e73 0xcc79a7 0xe69f00 0x56b4e9', (b - 1) % 7 + 1))
mark(b) = int(word('7 5 9 11 13 15 6', (b - 1) % 7 + 1))
set multiplot title 'Task packing, '.(model eq 'ft' ? 'FT' : model eq 'minife' ? 'miniFE' : model) font ',13'
set tmargin at screen 0.86
set bmargin at screen 0.15
set xlabel 'Processes'
do for [p = 1:npanel] {
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set ylabel Title[p] offset 1
    set yrange [0:*]
    if (p == 2 || p == 3) { set yrange [0:1] }
    set offsets graph 0.04, graph 0.04, 0, 0
    unset key
    if (p == npanel) {
        set key at screen legend_x, 0.86 left top Left reverse samplen 2.2 spacing 1.3 noenhanced
    }
    plot for [b = 1:nline] data index b - 1 every ::1 using 1:(column(p + 1)) \
             with linespoints lw 1.8 pt mark(b) ps 0.6 lc rgb color(b) notitle, \
         for [b = 1:nline] keyentry with linespoints lw 1.8 pt mark(b) ps 0.6 lc rgb color(b) title Head[b], \
         for [i = 1:marked] data index nline every ::1 using 1:(column(p + 1)) with points pt 2 ps 1.4 lw 2 lc rgb '#000000' notitle, \
         for [i = 1:marked] keyentry with points pt 2 ps 1.4 lw 2 lc rgb '#000000' title 'published'
}
unset multiplot
