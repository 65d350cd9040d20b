# SPDX-License-Identifier: BSD-3-Clause
# Where a claim holds, over two swept values, a panel for each combination of the others (data: sim/output/figure_claim.c).
# By hand:
#   gnuplot -c claim.gp DIR/claim.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('claim.gp')]
load folder.'style.gp'
last = key_add('holds', 'f', 0x9fd3f2, 0, 1)
last = key_add('open: replicates differ', 'f', 0xe8e8e8, 0, 1)
last = key_add('does not hold', 'f', 0xf0a070, 0, 1)
cell_color(verdict) = verdict > 0 ? 0x9fd3f2 : verdict < 0 ? 0xf0a070 : 0xe8e8e8
cell_of = '(cell_color($11))'
# With what is freed beneath, where that is asked for.
stats data index 1 using 10 name 'FREED' nooutput
cell_text = FREED_max > 0 ? '(sprintf("%.2f\n%.0f %%", $7, 100 * $10))' : '(sprintf("%.2f", $7))'
cell_shift = FREED_max > 0 ? 0.35 : 0
cell_height = FREED_max > 0 ? 29.0 : 22.0
stats data index 1 using ($9 > $8 ? 1 : 0) name 'SPREAD' nooutput
if (SPREAD_sum == 0) { last = key_interval(0, '', ink) }
load folder.'map.gp'
