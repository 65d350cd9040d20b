# SPDX-License-Identifier: BSD-3-Clause
# Time over the bound, and helper processes, of static degrees and of a graph that grows (ICPP'22 5.2; data: sim/output/
# figure_dots.h). By hand:
#   gnuplot -c spreading.gp DIR/spreading.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('spreading.gp')]
load folder.'style.gp'
title = 'Static offloading degrees, and helpers as they are needed'
npanel = 2
array Title[2] = ['Time per iteration / bound', 'Helper processes, log scale']
array From[2] = ['1', 'log']
per_row = 2
load folder.'dots.gp'
