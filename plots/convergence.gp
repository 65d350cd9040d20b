# SPDX-License-Identifier: BSD-3-Clause
# Imbalance among nodes over time, one line per policy and switches (paper, Figure 11). Data: blocks titled
# "NODES IMBALANCE|LABEL".
script_dir = ARG0[:strstrt(ARG0, 'convergence.gp') - 2]
if (script_dir eq '') { script_dir = '.' }
stats data using 1 name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
do for [b = 1:nblock] {
    Head[b] = system(sprintf("awk 'BEGIN{b=1;e=0} /^$/{e++; next} {if(e>=2)b++; e=0; if(b==%d){gsub(/\"/,\"\"); print; exit}}' '%s'", b, data))
}
panels = ''
panel(h) = h[:strstrt(h, '|') - 1]
label(h) = h[strstrt(h, '|') + 1:]
do for [b = 1:nblock] {
    id = sprintf('%s:%s', word(panel(Head[b]), 1), word(panel(Head[b]), 2))
    if (!strstrt(' '.panels.' ', ' '.id.' ')) { panels = panels.(panels eq '' ? '' : ' ').id }
}
npanel = words(panels)
width = 220 + 430 * npanel
height = 420
load script_dir.'/style.gp'
# systems by colour, switches by dash
line_color(l) = strstrt(l, 'local') ? (strstrt(l, 'LeWI') && !strstrt(l, 'DROM') ? 0x56b4e9 : 0x0072b2) : \
                (strstrt(l, 'LeWI') && !strstrt(l, 'DROM') ? 0xe69f00 : 0xd55e00)
line_dash(l) = strstrt(l, 'LeWI + DROM') ? 1 : strstrt(l, 'DROM') ? 2 : strstrt(l, 'LeWI') ? 4 : 3
set multiplot layout 1,npanel margins char 8,char 24,char 4.2,char 5 spacing char 5,0 title 'Convergence of the imbalance among nodes' font ',13'
do for [p = 1:npanel] {
    id = word(panels, p)
    colon = strstrt(id, ':')
    set title sprintf('%s nodes, imbalance %s', id[:colon - 1], id[colon + 1:]) font ',12'
    set xlabel 'Time (s)'
    set ylabel (p == 1 ? 'Node imbalance (max / mean)' : '')
    set yrange [1:*]
    if (p == npanel) {
        set key at screen 0.995, 0.86 right top Left reverse samplen 3 spacing 1.3 font ',10'
    } else {
        unset key
    }
    plot 1.1 with lines lw 1 dt 3 lc rgb '#999999' title '1.1', \
         for [b = 1:nblock] data index b-1 \
             using (sprintf('%s:%s', word(panel(Head[b]), 1), word(panel(Head[b]), 2)) eq id ? $1 : NaN):2 \
             with lines lw 2 dt line_dash(label(Head[b])) lc rgb line_color(label(Head[b])) \
             title (sprintf('%s:%s', word(panel(Head[b]), 1), word(panel(Head[b]), 2)) eq id ? label(Head[b]) : '')
}
unset multiplot
