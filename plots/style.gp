# SPDX-License-Identifier: BSD-3-Clause
# What all figures share: terminal, colours that colour-blind readers can tell apart (Okabe and Ito), grid.
# The caller sets kind ("svg" or "png"), output, width and height (pixels).
if (kind eq 'png') {
    set terminal pngcairo size width,height font 'DejaVu Sans,11' background rgb 'white'
} else {
    set terminal svg size width,height dynamic font 'DejaVu Sans,11' background rgb 'white'
}
set output output
set encoding utf8
set datafile missing NaN
set border 3 lc rgb '#444444'
set tics nomirror out textcolor rgb '#222222'
set grid y lc rgb '#dddddd' lt 1
# one colour per offloading degree, the paper's blue for 1 and red for 4
color(degree) = degree == 1 ? 0x0072b2 : degree == 2 ? 0xe69f00 : degree == 3 ? 0x009e73 : \
                degree == 4 ? 0xd55e00 : degree == 8 ? 0xcc79a7 : 0x555555
mark(degree) = degree == 1 ? 7 : degree == 2 ? 9 : degree == 3 ? 5 : degree == 4 ? 11 : 13
