# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration with one slow node, which has least work on the left and most on the right (paper, Figure 10).
# In the data x is imbalance - 1, negative where the slow node has least work. The scale is logarithmic: without helpers
# the time is many times the bound. By hand:
#   gnuplot -c slow_node.gp DIR/slow_node_local.dat figure.svg svg local two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('slow_node.gp')]
load folder.'style.gp'
title = 'Time per iteration with one slow node, '.about.' core allocation'
xname = "Application imbalance (max / mean)\nslow node has least work  ←  |  →  most work"
yname = 'Time per iteration (s), log scale'
logarithmic = 1
panel_foot = 62
stats data using (abs($3)) name 'SIDE' nooutput
set xtics ('1' 0)
do for [i = 1:int(ceil(SIDE_max))] {
    set xtics add (sprintf('%d', i + 1) i, sprintf('%d', i + 1) -i)
}
set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb '#bbbbbb' lw 1
load folder.'panels.gp'
