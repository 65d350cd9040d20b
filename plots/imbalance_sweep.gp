# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration over application imbalance, one line per offloading degree (paper, Figure 8). By hand:
#   gnuplot -c imbalance_sweep.gp DIR/imbalance_sweep_global.dat figure.svg svg global two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('imbalance_sweep.gp')]
load folder.'style.gp'
title = 'Time per iteration by offloading degree, '.about.' core allocation'
xname = 'Application imbalance (max / mean)'
yname = 'Time per iteration (s)'
logarithmic = 0
set xtics 1
set mxtics 4
load folder.'panels.gp'
