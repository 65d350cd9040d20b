# SPDX-License-Identifier: BSD-3-Clause
# Every system on every workload: time over the bound, cores used, data moved, decisions (data: sim/output/
# figure_dots.h). By hand:
#   gnuplot -c systems.gp DIR/systems.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('systems.gp')]
load folder.'style.gp'
title = 'Every system on every workload'
npanel = 4
array Title[4] = ['Time per iteration / bound', 'Cores used', 'Data moved (GB), log scale', 'Decisions, log scale']
array From[4] = ['1', '0', 'log', 'log']
per_row = 2
load folder.'dots.gp'
