# SPDX-License-Identifier: BSD-3-Clause
# Speedups over the first of each group; what was published beside them (DPB paper, Figures 4 to 7; data: sim/output/
# figure_dots.h). By hand:
#   gnuplot -c speedup.gp DIR/speedup.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('speedup.gp')]
load folder.'style.gp'
stats data every ::0::0 using (reference = strcol(4), 1) nooutput
title = 'Speedup over '.reference
npanel = 1
array Title[1] = ['Speedup']
array From[1] = ['range']
load folder.'dots.gp'
