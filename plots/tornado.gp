# SPDX-License-Identifier: BSD-3-Clause
# How far each parameter moves the time from that of the base, one panel per system; whiskers at either end are the 95 %
# interval of what it moves, over pairs of runs of one seed, so that noise is not taken for effect. Data: "system what
# base_values base low high its_values lowest low high its_values highest low high runs", quoted. By hand:
#   gnuplot -c tornado.gp DIR/tornado.dat figure.svg svg '' two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('tornado.gp')]
load folder.'style.gp'
systems = ''
rows = ''
nrow = 0
longest = 1
array Label[100]
array Span[100]
label_of(a, b) = a.' = '.b
stats data using (systems = with(systems, strcol(1)), here = label_of(strcol(2), strcol(3)), \
                  holds(rows, here) ? 0 : (rows = joined(rows, here), nrow = nrow + 1, Label[nrow] = here, Span[nrow] = 0, \
                  longest = strlen(here) > longest ? strlen(here) : longest), 1) name 'ROW' nooutput
at_label(l) = int(sum [i = 1:nrow] (Label[i] eq l ? i : 0))
stats data using (k = at_label(label_of(strcol(2), strcol(3))), Span[k] = $12 - $8 > Span[k] ? $12 - $8 : Span[k], 1) name 'SPAN' nooutput
# the longest at the top, in all panels
array Place[100]
do for [i = 1:nrow] {
    Place[i] = 1
    do for [j = 1:nrow] { if (Span[j] > Span[i] || (Span[j] == Span[i] && j < i)) { Place[i] = Place[i] + 1 } }
}
# where a bar and both of its whiskers end
left_end(base, low, low_end, high, high_begin) = high > base && high_begin < low_end ? high_begin : low_end
right_end(base, low, low_begin, high, high_end) = low < base && low_begin > high_end ? low_begin : high_end
stats data using (left_end($4, $8, $9, $12, $13)) name 'LOW' nooutput
stats data using (right_end($4, $8, $10, $12, $14)) name 'HIGH' nooutput
npanel = words(systems)
array Base[npanel]
do for [p = 1:npanel] { stats data using (Base[p] = strcol(1) eq word(systems, p) ? $4 : Base[p], 1) nooutput }
title = 'What the time depends on, one value changed at a time'
last = key_add('faster', 'f', line_color(6), 0, 1)
last = key_add('slower', 'f', line_color(4), 0, 1)
last = key_add('95 % interval of what it moves', 'l', ink, 0, 1)
last = key_add('base', 'l', grey, 0, 2)
per_row = 2
# On one column names are smaller, so that two panels fit on a page.
name_chars = wide ? 36 : 29
name_chars = longest < name_chars ? longest : name_chars
name_font = wide ? F10 : F8
name_line = wide ? 15.0 : 11.5
margin = 16 + (wide ? 6.1 : 4.6) * name_chars
gap = wide ? 34 : 18 # numbers at the ends of two axes
# Rows as high as their words, from above.
array Middle[nrow]
panel_height = 0
do for [place = 1:nrow] {
    do for [i = 1:nrow] {
        if (Place[i] == place) {
            tall = name_line * (1 + lines_beyond_first(wrapped(Label[i], name_chars))) + 2
            tall = tall < (wide ? 20 : 16) ? (wide ? 20.0 : 16.0) : tall
            Middle[i] = panel_height + 0.5 * tall
            panel_height = panel_height + tall
        }
    }
}
least_height = panel_height
load folder.'page.gp'
# Values stand beyond the whiskers, and have room there; the room makes a pixel worth more.
low = LOW_min
high = apart(low, HIGH_max)
left = low
right = high + 1e-6
digits(text) = 5.6 * strlen(text) + 10
do for [round = 1:8] {
    pixel = (right - left) / panel_width
    left_new = low - 4 * pixel
    right_new = high + 4 * pixel
    stats data using (at = left_end($4, $8, $9, $12, $13) - digits(strcol(7)) * pixel, left_new = $8 < $4 && at < left_new ? at : left_new, \
                      at = right_end($4, $8, $10, $12, $14) + digits(strcol(11)) * pixel, right_new = $12 > $4 && at > right_new ? at : right_new, 1) nooutput
    left = left_new
    right = right_new + 1e-6
}
set xrange [left:right]
set xtics round_up(48 * (right - left) / panel_width)
set yrange [-panel_height:0]
set border 1 lc rgb '#444444'
set grid noy
set grid x lc rgb '#dddddd' lt 1
unset ytics
set xlabel 'Time per iteration / bound'
y_of(what, base) = -Middle[at_label(label_of(what, base))]
half = 5.5 # of a bar, pixels
do for [p = 1:npanel] {
    s = word(systems, p)
    eval PANEL
    set title s font F10 offset 0, -0.6 noenhanced
    unset label
    if (first_of_row(p)) {
        do for [i = 1:nrow] {
            set label i wrapped(Label[i], name_chars) at graph 0, first -Middle[i] right offset -0.8, 0.5 * lines_beyond_first(wrapped(Label[i], name_chars)) font name_font noenhanced
        }
    }
    set arrow 1 from Base[p], graph 0 to Base[p], graph 1 nohead front lw 1.4 dt 2 lc rgb grey
    plot data using (strcol(1) eq s ? 0.5 * ($4 + $8) : NaN):(y_of(strcol(2), strcol(3))):(0.5 * ($4 - $8)):(half) with boxxyerror fs solid noborder lc rgb line_color(6) notitle, \
         data using (strcol(1) eq s ? 0.5 * ($4 + $12) : NaN):(y_of(strcol(2), strcol(3))):(0.5 * ($12 - $4)):(half) with boxxyerror fs solid noborder lc rgb line_color(4) notitle, \
         data using (strcol(1) eq s && $8 < $4 && $10 > $9 ? $8 : NaN):(y_of(strcol(2), strcol(3))):9:10 with xerrorbars pt 0 lw 1.2 lc rgb ink notitle, \
         data using (strcol(1) eq s && $12 > $4 && $14 > $13 ? $12 : NaN):(y_of(strcol(2), strcol(3))):13:14 with xerrorbars pt 0 lw 1.2 lc rgb ink notitle, \
         data using (strcol(1) eq s && $8 < $4 ? left_end($4, $8, $9, $12, $13) : NaN):(y_of(strcol(2), strcol(3))):7 with labels right offset -0.5, 0 font F8 noenhanced notitle, \
         data using (strcol(1) eq s && $12 > $4 ? right_end($4, $8, $10, $12, $14) : NaN):(y_of(strcol(2), strcol(3))):11 with labels left offset 0.5, 0 font F8 noenhanced notitle
}
load folder.'legend.gp'
