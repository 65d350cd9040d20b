# SPDX-License-Identifier: BSD-3-Clause
# What the decisions of the global policy cost, by number of nodes (ICPP'22 5.4.2; data: sim/output/figure_dots.h). By hand:
#   gnuplot -c policy_cost.gp DIR/policy_cost.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('policy_cost.gp')]
load folder.'style.gp'
title = 'What deciding costs: who pays, and for how much of the machine at once'
npanel = 2
array Title[2] = ['Time per iteration / bound', 'Decisions']
array From[2] = ['1', '0']
per_row = 2
load folder.'dots.gp'
