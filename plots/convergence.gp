# SPDX-License-Identifier: BSD-3-Clause
# Imbalance among the nodes over time: a colour per system, a dash per switch (paper, Figure 11). Data: blocks
# that begin with "NODES IMBALANCE|SYSTEM, SWITCHES|PUBLISHED", the last where the paper says how it ends. By hand:
#   gnuplot -c convergence.gp DIR/convergence.dat figure.svg svg
data = ARG1
output = ARG2
kind = ARG3
folder = ARG0[:strlen(ARG0) - strlen('convergence.gp')]
panel_of(head) = head[:strstrt(head, '|') - 1]
rest_of(head) = head[strstrt(head, '|') + 1:]
label_of(head) = strstrt(rest_of(head), '|') ? rest_of(head)[:strstrt(rest_of(head), '|') - 1] : rest_of(head)
published(head) = strstrt(rest_of(head), '|') ? real(rest_of(head)[strstrt(rest_of(head), '|') + 1:]) : NaN
has(list, item) = strstrt('#'.list.'#', '#'.item.'#') > 0
with(list, item) = has(list, item) ? list : list eq '' ? item : list.'#'.item

# The heads of the blocks, then the panels and the labels of the legend, each once.
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
heads = ''
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    Head[b] = head
}
npanel = 0
nlabel = 0
array Panel[nblock]
array Label[nblock]
panels = ''
labels = ''
marked = ''
do for [b = 1:nblock] {
    if (!has(panels, panel_of(Head[b]))) { npanel = npanel + 1; Panel[npanel] = panel_of(Head[b]) }
    if (!has(labels, label_of(Head[b]))) { nlabel = nlabel + 1; Label[nlabel] = label_of(Head[b]) }
    panels = with(panels, panel_of(Head[b]))
    labels = with(labels, label_of(Head[b]))
    marked = published(Head[b]) > 0 ? 'yes' : marked
}
gap = 48.0
legend_width = 250.0
load folder.'style.gp'

lewi_only(l) = strstrt(l, 'LeWI') && !strstrt(l, 'DROM')
color(l) = strstrt(l, 'local') ? (lewi_only(l) ? 0x56b4e9 : 0x0072b2) : \
           strstrt(l, 'global') ? (lewi_only(l) ? 0xe69f00 : 0xd55e00) : 0x555555
dash(l) = strstrt(l, 'LeWI and DROM') ? 1 : strstrt(l, 'DROM') ? 2 : lewi_only(l) ? 1 : 3
set multiplot title 'Convergence of the imbalance among nodes' font ',13'
set tmargin at screen 0.80
set bmargin at screen 0.15
set yrange [1:*]
do for [p = 1:npanel] {
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set title sprintf('%s nodes, application imbalance %s', word(Panel[p], 1), word(Panel[p], 2)) font ',12'
    set xlabel 'Time (s)'
    set ylabel (p == 1 ? 'Node imbalance (max / mean)' : '')
    unset key
    if (p == npanel) {
        set key at screen legend_x, 0.82 left top Left reverse samplen 3 spacing 1.3
    }
    # up to the end of the shortest run: what is slow goes on as it is for long
    here = ''
    until = 1e9
    do for [b = 1:nblock] {
        if (panel_of(Head[b]) eq Panel[p]) {
            here = here.sprintf(' %d', b)
            stats data index b - 1 every ::1 using 1 name 'RUN' nooutput
            until = RUN_max < until ? RUN_max : until
        }
    }
    set xrange [0:until]
    # Where several end alike, their marks stand beside each other.
    mark_x(k) = until * (0.985 - 0.03 * (words(here) - k))
    plot 1.1 with lines lw 1 dt 3 lc rgb '#888888' notitle, \
         for [k = 1:words(here)] data index int(word(here, k)) - 1 every ::1 using 1:2 \
             with lines lw 1.8 dt dash(Head[int(word(here, k))]) lc rgb color(Head[int(word(here, k))]) notitle, \
         for [k = 1:words(here)] '+' every ::0::0 using (mark_x(k)):(published(Head[int(word(here, k))])) \
             with points pt 2 ps 1.3 lw 2.2 lc rgb color(Head[int(word(here, k))]) notitle, \
         for [k = 1:nlabel] keyentry with lines lw 1.8 dt dash(Label[k]) lc rgb color(Label[k]) title Label[k], \
         keyentry with lines lw 1 dt 3 lc rgb '#888888' title 'converged: 1.1', \
         for [k = 1:words(marked)] keyentry with points pt 2 ps 1.2 lw 2 lc rgb '#222222' title 'published, at the end'
}
unset multiplot
