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
title = about eq '' ? 'Every system on every workload' : 'Systems compared: '.model_words(word(about, 1))
npanel = 4
array Title[4] = ['Time per iteration / bound', 'Cores used', 'Data moved (GB), log scale', 'Decisions, log scale']
array From[4] = ['1', '0', 'log', 'log']
# Many workloads make one row of all panels.
stats data using 1 name 'WORKLOAD' nooutput
per_row = WORKLOAD_max > 5 ? 4 : 2
load folder.'dots.gp'
