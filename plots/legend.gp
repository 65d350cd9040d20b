# SPDX-License-Identifier: BSD-3-Clause
# Title, and legend in columns beneath the panels: the last plot of a page.
key_x(k) = (10 + ((k - 1) % key_across) * key_width) / width
key_y(k) = (8 + (key_down - 0.5 - (k - 1) / key_across) * key_row) / height
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
unset label
unset arrow
unset object
unset border
unset tics
unset xlabel
unset ylabel
unset title
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
do for [k = 1:nkey] {
    # Each of another width: gnuplot's SVG draws neighbours of one colour and width with the first one's dashes.
    if (KeyWhat[k] eq 'l' || KeyWhat[k] eq 'b') {
        set arrow k from screen key_x(k), key_y(k) to screen key_x(k) + 24 / width, key_y(k) nohead lw 1.8 + 0.001 * k dt KeyDash[k] lc rgb KeyColor[k]
    }
    if (KeyWhat[k] eq 'm' || KeyWhat[k] eq 'b') {
        set label 200 + k '' at screen key_x(k) + 12 / width, key_y(k) point pt KeyMark[k] ps 0.6 lw 1.3 lc rgb KeyColor[k]
    }
    if (KeyWhat[k] eq 'f') {
        set object k rectangle from screen key_x(k) + 6 / width, key_y(k) - 4 / height to screen key_x(k) + 18 / width, key_y(k) + 4 / height \
            fs solid noborder fc rgb KeyColor[k]
    }
    if (KeyWhat[k] eq 'e') {
        set object k rectangle from screen key_x(k) + 6 / width, key_y(k) - 4 / height to screen key_x(k) + 18 / width, key_y(k) + 4 / height \
            fs empty border lc rgb grey fc rgb KeyColor[k]
    }
    set label k Key[k] at screen key_x(k) + 30 / width, key_y(k) left noenhanced
}
set label 1000 title_text at screen 0.5, 1 - 15.0 / height center font F11
if (has_markup(title_text)) { set label 1000 noenhanced } # it is text
plot NaN notitle
unset multiplot
unset output
