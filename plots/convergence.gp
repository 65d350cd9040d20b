# SPDX-License-Identifier: BSD-3-Clause
# Imbalance among the nodes over time: a panel per machine and system, so that no curve hides another's; a dash per
# switch (paper, Figure 11). Data: blocks that begin with "NODES IMBALANCE|SYSTEM|SWITCHES|PUBLISHED", the last where the
# paper says how it ends. By hand:
#   gnuplot -c convergence.gp DIR/convergence.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('convergence.gp')]
load folder.'style.gp'
panel_of(head) = part(head, 1).'|'.part(head, 2)
published(head) = strlen(part(head, 4)) ? real(part(head, 4)) : NaN
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
array Panel[nblock]
array Until[nblock]
array Highest[nblock]
npanel = 0
most = 1.2
panels = ''
labels = ''
marked = 0
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    Head[b] = head
    stats data index b - 1 every ::1 using 1:2 name 'RUN' nooutput
    Until[b] = RUN_max_x
    Highest[b] = RUN_max_y
    most = RUN_max_y > most ? RUN_max_y : most
    if (!holds(panels, panel_of(head))) { npanel = npanel + 1; Panel[npanel] = panel_of(head) }
    panels = joined(panels, panel_of(head))
    marked = marked + (published(head) > 0)
    if (!holds(labels, part(head, 3))) {
        # The most balanced in full, the others so that all can be seen where they cross.
        l = part(head, 3)
        last = key_add(l, 'l', l eq 'LeWI and DROM' ? ink : mix(ink, 0xffffff, 0.35), 0, l eq 'LeWI and DROM' ? 1 : l eq 'DROM only' ? 2 : l eq 'LeWI only' ? 4 : 3)
    }
    labels = joined(labels, part(head, 3))
}
dash(l) = l eq 'LeWI and DROM' ? 1 : l eq 'DROM only' ? 2 : l eq 'LeWI only' ? 4 : 3
tint(s, l) = l eq 'LeWI and DROM' ? mix(system_color(s), 0xffffff, 0.25) : l eq 'DROM only' ? mix(system_color(s), 0x000000, 0.75) : l eq 'LeWI only' ? system_color(s) : grey
# The one in full is broad, so that what goes the same way is seen on it.
thick(l) = l eq 'LeWI and DROM' ? 3.5 : 1.4
last = key_add('converged: 1.1', 'l', 0x888888, 0, 3)
if (marked) { last = key_add('published, at the end', 'm', ink, 2, 1) }
title = 'Convergence of the imbalance among nodes'
yname = 'Node imbalance (max / mean)'
per_row = 2
gap = 20
number_chars = tic_chars(1, 1.05 * most) < 4 ? 4 : tic_chars(1, 1.05 * most) # 1.25 where another machine has less
panel_height = 150
load folder.'page.gp'
do for [p = 1:npanel] {
    eval PANEL
    machine = part(Panel[p], 1)
    system = part(Panel[p], 2)
    set title sprintf('%s: %s nodes, application imbalance %s', system, word(machine, 1), word(machine, 2)) font F10 offset 0, -0.6 noenhanced
    set ylabel (first_of_row(p) ? vertical(yname) : '')
    set format y (first_of_row(p) ? '%g' : '')
    # up to the end of the shortest run: what is slow goes on as it is for long
    here = ''
    until = 1e300
    last = 0
    highest = 1.2
    do for [b = 1:nblock] {
        if (panel_of(Head[b]) eq Panel[p]) { here = here.sprintf(' %d', b) }
        if (part(Head[b], 1) eq machine) {
            until = Until[b] < until ? Until[b] : until
            last = Until[b] > last ? Until[b] : last
            highest = Highest[b] > highest ? Highest[b] : highest
        }
    }
    set yrange [1:1.05 * highest]
    set xrange [0:until]
    set xlabel (until < last ? sprintf('Time (s), until the first run ends; the last one: %.3g', last) : 'Time (s)')
    # Where several end alike, their marks stand beside each other.
    mark_x(k) = until * (0.985 - 0.03 * (words(here) - k))
    plot 1.1 with lines lw 1 dt 3 lc rgb '#888888' notitle, \
         for [k = 1:words(here)] data index int(word(here, k)) - 1 every ::1 using 1:2 with lines lw thick(part(Head[int(word(here, k))], 3)) \
             dt dash(part(Head[int(word(here, k))], 3)) lc rgb tint(system, part(Head[int(word(here, k))], 3)) notitle, \
         for [k = 1:words(here)] '+' every ::0::0 using (mark_x(k)):(published(Head[int(word(here, k))])) \
             with points pt 2 ps 0.9 lw 2.2 lc rgb tint(system, part(Head[int(word(here, k))], 3)) notitle
}
load folder.'legend.gp'
