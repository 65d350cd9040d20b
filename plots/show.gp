# SPDX-License-Identifier: BSD-3-Clause
# Any metric over any swept value, one line per value of another. The data file has a block per line, of rows
# "x mean half_width label"; x is the label's place where labels are words.
#   gnuplot -c show.gp figure.dat figure.svg svg 'x title|y title|title of lines|lines|numbers or words|line 1|line 2|...'
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('show.gp')]
field(k) = (rest = ARG4.'|', sum [i = 2:k] (rest = rest[strstrt(rest, '|') + 1:], 0), rest[:strstrt(rest, '|') - 1])
nline = int(field(4))
npanel = 1
gap = 0.0
legend_width = 190.0
load folder.'style.gp'
set lmargin at screen begin(1)
set rmargin at screen end(1)
set tmargin at screen 0.92
set bmargin at screen (field(5) eq 'words' ? 0.26 : 0.16)
set xlabel field(1) noenhanced
set ylabel field(2) noenhanced
set yrange [0:*]
set offsets graph 0.03, graph 0.03, graph 0.05, 0
set key at screen legend_x, 0.92 left top Left reverse samplen 2.2 spacing 1.3 noenhanced title field(3) left noenhanced
array colors[8] = [0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0xcc79a7, 0x56b4e9, 0xf0e442, 0x555555]
color(i) = colors[1 + i % 8]
array marks[8] = [7, 9, 5, 11, 13, 15, 6, 4]
mark(i) = marks[1 + i % 8]
set autoscale xfix
if (field(5) eq 'words') {
    set xtics rotate by -30 noenhanced
    plot for [i = 0:nline - 1] data index i using 1:2:3:xticlabels(4) with yerrorbars pt 0 lw 1 lc rgb color(i) notitle, \
         for [i = 0:nline - 1] data index i using 1:2 with lines lw 1.8 lc rgb color(i) notitle, \
         for [i = 0:nline - 1] data index i using 1:2 with points pt mark(i) ps 0.7 lc rgb color(i) notitle, \
         for [i = 0:nline - 1] keyentry with linespoints lw 1.8 pt mark(i) ps 0.7 lc rgb color(i) title field(6 + i)
} else {
    plot for [i = 0:nline - 1] data index i using 1:2:3 with yerrorbars pt 0 lw 1 lc rgb color(i) notitle, \
         for [i = 0:nline - 1] data index i using 1:2 with lines lw 1.8 lc rgb color(i) notitle, \
         for [i = 0:nline - 1] data index i using 1:2 with points pt mark(i) ps 0.7 lc rgb color(i) notitle, \
         for [i = 0:nline - 1] keyentry with linespoints lw 1.8 pt mark(i) ps 0.7 lc rgb color(i) title field(6 + i)
}
