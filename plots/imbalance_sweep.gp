# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration over application imbalance, one line per offloading degree (paper, Figure 8).
#   gnuplot -e "data='DIR/imbalance_sweep_global.dat'; output='a.svg'; kind='svg'; what='global'" imbalance_sweep.gp
script_dir = ARG0[:strstrt(ARG0, 'imbalance_sweep.gp') - 2]
if (script_dir eq '') { script_dir = '.' }
xname = 'Application imbalance (max / mean)'
what_title = sprintf('Synthetic benchmark, %s allocation', what)
set xtics 1
set mxtics 2
load script_dir.'/panels.gp'
