# SPDX-License-Identifier: BSD-3-Clause
# What all figures share. The caller sets kind ("svg" or "png"), output, npanel, and gap and
# legend_width (pixels).
panel_width = npanel == 1 ? 520 : 340
left = 84.0
width = left + npanel * panel_width + (npanel - 1) * gap + 14 + legend_width
height = 420
if (kind eq 'png') {
    set terminal pngcairo size 2*width,2*height font 'DejaVu Sans,11' fontscale 2 linewidth 2 pointscale 2 background rgb 'white'
} else {
    set terminal svg size width,height dynamic font 'DejaVu Sans,11' background rgb 'white'
}
set output output
set encoding utf8
set datafile missing NaN # a line goes on past the rows of other lines
set border 3 lc rgb '#444444'
set tics nomirror out textcolor rgb '#222222'
set grid y lc rgb '#dddddd' lt 1
set format x '%g'
# Panel p (from 1) is a fixed box, so that all have the same size and the legend stands beside them, over no line.
begin(p) = (left + (p - 1) * (panel_width + gap)) / width
end(p) = begin(p) + panel_width / width
legend_x = (width - legend_width) / width
