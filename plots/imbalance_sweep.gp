# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration over application imbalance, one line per offloading degree (paper, Figure 8). By hand:
#   gnuplot -c imbalance_sweep.gp DIR/imbalance_sweep_global.dat figure.svg svg global
data = ARG1
output = ARG2
kind = ARG3
title = 'Synthetic benchmark, '.ARG4.' core allocation'
folder = ARG0[:strlen(ARG0) - strlen('imbalance_sweep.gp')]
xname = 'Application imbalance (max / mean)'
set xtics 1
set mxtics 4
load folder.'panels.gp'
