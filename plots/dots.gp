# SPDX-License-Identifier: BSD-3-Clause
# Variants in groups: a point each, with its 95 % interval over replicates; groups from above, a panel per metric, the
# groups' names once. Data: sim/output/figure_dots.h. The caller sets title, npanel, Title[], From[] (where the scale
# begins: a number, "range" or "log") and what style.gp wants.
stats data using 1:2 name 'AT' nooutput
ngroup = int(AT_max_x) + 1
nvariant = int(AT_max_y) + 1
array Group[ngroup]
array Variant[nvariant]
array Owner[nvariant]
array Repeat[nvariant]
longest = 1
stats data using (Group[int($1) + 1] = strcol(3), Variant[int($2) + 1] = strcol(4), Owner[int($2) + 1] = strcol(5), \
                  longest = strlen(strcol(3)) > longest ? strlen(strcol(3)) : longest, 1) name 'TEXT' nooutput
stats data using (strcol(6) eq 'nan' ? 0 : 1) name 'MARKED' nooutput
stats data using ($9 > $8 ? 1 : 0) name 'SPREAD' nooutput
# Lowest (of those above 0) and highest of each panel, with what is published.
array Low[npanel]
array High[npanel]
array Zeros[npanel]
do for [p = 1:npanel] {
    c = 7 + 3 * (p - 1)
    Low[p] = 1e300
    High[p] = 0
    Zeros[p] = 0
    stats data using (Low[p] = column(c) > 0 && column(c + 1) < Low[p] ? column(c + 1) : Low[p], \
                      High[p] = column(c + 2) > High[p] ? column(c + 2) : High[p], \
                      Zeros[p] = Zeros[p] + (column(c) > 0 ? 0 : 1), 1) nooutput
    if (p == 1 && MARKED_sum > 0) {
        stats data using (said = strcol(6) eq 'nan' ? Low[p] : real(strcol(6)), Low[p] = said < Low[p] ? said : Low[p], \
                          High[p] = said > High[p] ? said : High[p], 1) nooutput
    }
}
# Variants of one system are shades of its colour, with marks of their own; many go from light to dark.
array Alike[nvariant]
do for [v = 1:nvariant] {
    Repeat[v] = 0
    Alike[v] = 0
    do for [w = 1:nvariant] {
        if (Owner[w] eq Owner[v]) { Alike[v] = Alike[v] + 1 }
        if (w < v && Owner[w] eq Owner[v]) { Repeat[v] = Repeat[v] + 1 }
    }
}
dot_color(v) = Alike[v] > 4 ? shade(system_color(Owner[v]), Repeat[v], Alike[v]) : variant(system_color(Owner[v]), Repeat[v])
dot_mark(v) = variant_mark(Owner[v], Repeat[v])
do for [v = 1:nvariant] { last = key_add(Variant[v], 'm', dot_color(v), dot_mark(v), 1) }
last = key_interval(SPREAD_sum, 'l', ink)
if (MARKED_sum > 0) { last = key_add('published', 'm', ink, 2, 1) }
if (!exists("per_row")) per_row = 2
narrow = !wide || per_row > 2 # panels
name_chars = wide && per_row > 2 ? 20 : wide ? 28 : 17
name_chars = longest < name_chars ? longest : name_chars
margin = 16 + 6.1 * name_chars
gap = 18
per_row_one = npanel > 1 ? 2 : 1
step = nvariant > 6 ? 7.0 : 9.0 # pixels
# Names take lines, too.
row_height = nvariant * step + (wide ? 10 : 6)
do for [g = 1:ngroup] {
    tall = 15.0 * (1 + lines_beyond_first(wrapped(Group[g], name_chars))) + 2
    row_height = tall > row_height ? tall : row_height
}
panel_height = ngroup * row_height
least_height = panel_height
panel_foot = 30
panel_head = narrow && npanel > 1 ? 54 : 24
# Of a page's height some is title and legend: what one column has no room for needs two.
if (!wide) {
    fitting = per_row_one * int((page_height - 100) / (panel_head + panel_height + panel_foot))
    fitting = fitting < per_row_one ? per_row_one : fitting
    if (npanel > fitting) {
        title = sprintf('%s (%d of %d panels: the others need two columns)', title, fitting, npanel)
        npanel = fitting
    }
}
load folder.'page.gp'
set grid noy
set grid x lc rgb '#dddddd' lt 1
set border 1 lc rgb '#444444'
set xtics rotate by 0
y_of(g, v) = -(g * row_height + 0.5 * (row_height - nvariant * step) + (v + 0.5) * step)
set yrange [-panel_height:0]
unset ytics
do for [p = 1:npanel] {
    c = 7 + 3 * (p - 1)
    eval PANEL
    set title wrapped(Title[p], int(panel_width / 6.5)) font F10 offset 0, -0.6
    unset logscale x
    set format x '%g'
    set xtics autofreq
    low = Low[p]
    high = From[p] eq 'log' ? High[p] : apart(From[p] eq 'range' ? (low < 1 ? low : 1) : real(From[p]), High[p])
    if (From[p] eq 'log') {
        set logscale x
        set format x '%g'
        low = low < 1e300 && low > 0 ? low : 0.1
        high = high > low ? high : 10 * low
        zero = low / (Zeros[p] > 0 ? (high / low)**(narrow ? 0.2 : 0.08) * 1.2 : 2)
        set xrange [zero:high * (narrow ? 2 : 1.5)]
        set xtics ()
        every = narrow && high > 1000 * low ? 2 : 1
        do for [e = -8:14] {
            if (e % every == 0 && 10.0**e > 0.9 * low) { set xtics add ((abs(e) > 3 ? sprintf('10^{%d}', e) : sprintf('%g', 10.0**e)) 10.0**e) }
            do for [m = 2:5:3] {
                if (high < (narrow ? 12 : 100) * low && m * 10.0**e > 0.9 * low && m * 10.0**e < (narrow ? 1 : 1.4) * high) { set xtics add ((abs(e) > 3 ? sprintf('%d·10^{%d}', m, e) : sprintf('%g', m * 10.0**e)) m * 10.0**e) }
            }
        }
        if (Zeros[p] > 0) { set xtics add ('0' zero) }
    }
    # Few numbers on a narrow axis, which would run into each other.
    if (narrow && From[p] ne 'log') {
        quarter = (high - (From[p] eq 'range' ? low : real(From[p]))) / 4.0
        if (quarter > 0) { set xtics round_up(quarter) }
    }
    if (From[p] eq 'range') {
        low = low < 1 ? low : 1
        set xrange [low - 0.05 * (high - low):high + 0.08 * (high - low)]
    }
    if (From[p] ne 'log' && From[p] ne 'range') {
        set xrange [real(From[p]):(high > real(From[p]) ? real(From[p]) + 1.06 * (high - real(From[p])) : real(From[p]) + 1)]
    }
    unset label
    unset arrow
    do for [g = 1:ngroup] {
        if (g > 1) { set arrow g from graph 0, first -(g - 1) * row_height to graph 1, first -(g - 1) * row_height nohead lc rgb '#cccccc' lw 0.7 }
        if (first_of_row(p)) {
            set label g wrapped(Group[g], name_chars) at graph 0, first -(g - 0.5) * row_height right \
                offset -0.8, 0.5 * lines_beyond_first(wrapped(Group[g], name_chars)) noenhanced
        }
    }
    # What is 0 has no place on a logarithmic scale: it stands at its left end.
    at_least(x) = From[p] eq 'log' && !(x > 0) ? zero : x
    plot for [v = 1:nvariant] data using ($2 == v - 1 && column(c + 2) > column(c + 1) ? at_least(column(c)) : NaN):(y_of($1, v - 1)):(at_least(column(c + 1))):(column(c + 2)) \
             with xerrorbars pt 0 lw 1.2 lc rgb dot_color(v) notitle, \
         for [v = 1:nvariant] data using ($2 == v - 1 ? at_least(column(c)) : NaN):(y_of($1, v - 1)) \
             with points pt dot_mark(v) ps 0.6 lw 1.4 lc rgb dot_color(v) notitle, \
         for [v = 1:(p == 1 ? nvariant : 0)] data using ($2 == v - 1 ? $6 : NaN):(y_of($1, v - 1)) with points pt 2 ps 0.7 lw 1.6 lc rgb dot_color(v) notitle
}
load folder.'legend.gp'
