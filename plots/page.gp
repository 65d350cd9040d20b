# SPDX-License-Identifier: BSD-3-Clause
# The page: title, panels in rows, the legend beneath them over no line. Of the caller: title, npanel, the legend
# (style.gp), and what differs from the following.
if (!exists('panel_height')) panel_height = 190    # pixels
if (!exists('least_height')) least_height = 90     # where so many panels would be higher than a page
if (!exists('panel_head')) panel_head = 20         # above a panel, for its title
if (!exists('panel_foot')) panel_foot = 48         # beneath, for tics and label
if (!exists('margin')) margin = 54                 # at the left, for tics and label
if (!exists('number_chars')) number_chars = 3      # at the vertical axis, at most; more than 3 need more room
if (number_chars > 3) margin = margin + 7 * (number_chars - 3)
if (!exists('gap')) gap = margin                   # between two panels of a row
if (!exists('per_row')) per_row = 3
if (!exists('per_row_one')) per_row_one = 1        # the same on one column
font_px = 10
char_px = 6.1 # of that font, on average
width = wide ? 690.0 : 336.0
across = wide ? per_row : per_row_one
across = npanel < across ? npanel : across
down = (npanel + across - 1) / across

title_lines = 1 + int(strlen(title) * 6.9 / (width - 20))
title_text = wrapped(title, int((width - 20) / 6.9))
head = 12 + 14 * title_lines

key_longest = 1
do for [k = 1:nkey] { key_longest = strlen(Key[k]) > key_longest ? strlen(Key[k]) : key_longest }
key_width = 40 + char_px * key_longest
key_across = int((width - 16) / key_width)
key_across = key_across < 1 ? 1 : key_across > nkey ? (nkey > 0 ? nkey : 1) : key_across
key_down = (nkey + key_across - 1) / key_across
key_row = 15.0
around = head + down * (panel_head + panel_foot) + key_down * key_row + 10
fitting_height = (page_height - around) / down
panel_height = panel_height <= fitting_height || panel_height <= least_height ? panel_height : \
               fitting_height < least_height ? least_height : fitting_height
height = around + down * panel_height

# The words at the vertical axis stay beside their own panel, on two lines where they are longer (of the caller: yname).
vertical_chars = int((panel_height + panel_head + 20) / char_px)
vertical(text) = wrapped(text, vertical_chars)
if (exists('yname')) { if (strlen(yname) > vertical_chars) { margin = margin + 14 } }

panel_width = (width - margin - 14 - (across - 1) * gap) / across
begin(p) = (margin + ((p - 1) % across) * (panel_width + gap)) / width
end(p) = begin(p) + panel_width / width
top(p) = 1 - (head + ((p - 1) / across) * (panel_head + panel_height + panel_foot) + panel_head) / height
bottom(p) = top(p) - panel_height / height
first_of_row(p) = (p - 1) % across == 0
last_of_column(p) = p + across > npanel
PANEL = 'set lmargin at screen begin(p); set rmargin at screen end(p); set tmargin at screen top(p); set bmargin at screen bottom(p)'

# The same size in print: 690 pixels at 96 a inch are the 18 cm of two columns, 336 the 9 cm of one.
if (kind eq 'png') {
    set terminal pngcairo size 2*width,2*height font 'DejaVu Sans,7.5' fontscale 2 linewidth 2 pointscale 2 background rgb 'white'
}
if (kind eq 'pdf') {
    set terminal pdfcairo size width/96.0,height/96.0 font 'DejaVu Sans,7.5' fontscale 1 linewidth 0.75 pointscale 0.6 background rgb 'white'
}
if (kind ne 'png' && kind ne 'pdf') {
    set terminal svg size width,height dynamic font 'DejaVu Sans,10' background rgb 'white'
    set xlabel offset 0, 0.5 # gnuplot's SVG has it lower, on the next row's titles
}
set output output
set border 3 lc rgb '#444444'
set tics nomirror out textcolor rgb '#222222' scale 0.6
set grid y lc rgb '#dddddd' lt 1
set format x '%g'
set bars 0.6
set pointsize 0.55
unset key
set multiplot
