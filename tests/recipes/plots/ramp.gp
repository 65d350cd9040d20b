# SPDX-License-Identifier: BSD-3-Clause
# The worked example of a figure (CONTRIBUTING.md): time over the bound of every system. Data: "system nodes
# ratio_to_optimal". By hand:
#   gnuplot -c ramp.gp DIR/ramp.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('ramp.gp')]
npanel = 1
gap = 30.0
legend_width = 20.0
load folder.'style.gp'
unset key
set yrange [0:*]
set ylabel 'Time over the bound'
plot data using 0:3:xticlabels(1) with linespoints pt 7
