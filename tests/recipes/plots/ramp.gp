# SPDX-License-Identifier: BSD-3-Clause
# The worked example of a figure (CONTRIBUTING.md): time over the bound of every system. Data: "system nodes
# ratio_to_optimal low high". By hand:
#   gnuplot -c ramp.gp DIR/ramp.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('ramp.gp')]
load folder.'style.gp'
title = 'The ramp'
npanel = 1
load folder.'page.gp'
p = 1
eval PANEL
set yrange [0:*]
set ylabel 'Time over the bound'
plot data using 0:3:4:5:xticlabels(1) with yerrorlines pt 7 lc rgb line_color(1)
load folder.'legend.gp'
