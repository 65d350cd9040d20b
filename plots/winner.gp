# SPDX-License-Identifier: BSD-3-Clause
# Which of the compared is fastest, over two swept values, a panel for each combination of the others (data:
# sim/output/figure_winner.c). By hand:
#   gnuplot -c winner.gp DIR/winner.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('winner.gp')]
load folder.'style.gp'
array Owner[max_keys]
bests = ''
# those that win somewhere for certain
stats data index 1 using ($14 == 0 || holds(bests, strcol(11)) ? 0 : (bests = joined(bests, strcol(11)), last = key_add(strcol(11), 'f', 0, 0, 1), \
                          Owner[nkey] = strcol(12)), 1) nooutput
# Variants of one system are shades of its colour, as wide apart as their number lets them.
alike(k, top) = int(sum [i = 1:top] (Owner[i] eq Owner[k] ? 1 : 0))
nbest = nkey
do for [k = 1:nbest] { KeyColor[k] = mix(shade(system_color(Owner[k]), alike(k, k) - 1, alike(k, nbest)), 0xffffff, alike(k, nbest) > 1 ? 0.5 : 0.6) }
best(text) = int(sum [k = 1:nbest] (Key[k] eq text ? k : 0))
last = key_add('open: none is fastest for certain', 'e', 0xffffff, 0, 1)
cell_of = '($14 > 0 ? KeyColor[best(strcol(11))] : 0xffffff)'
cell_text = '(sprintf("%.2f", $7))'
cell_height = 22.0
stats data index 1 using ($9 > $8 ? 1 : 0) name 'SPREAD' nooutput
if (SPREAD_sum == 0) { last = key_interval(0, '', ink) }
load folder.'map.gp'
