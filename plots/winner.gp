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
bests = ''
stats data index 1 using (holds(bests, strcol(11)) ? 0 : (bests = joined(bests, strcol(11)), \
                          last = key_add(strcol(11), 'f', mix(system_color(strcol(12)), 0xffffff, 0.6), 0, 1)), 1) nooutput
last = key_add('open: replicates differ', 'e', 0xffffff, 0, 1)
cell_of = '($14 > 0 ? mix(system_color(strcol(12)), 0xffffff, 0.6) : 0xffffff)'
cell_text = '(sprintf("%.2f", $7))'
cell_height = 22.0
load folder.'map.gp'
