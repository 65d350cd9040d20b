# SPDX-License-Identifier: BSD-3-Clause
# Cells over two swept values, each with a number, a panel for each combination of the others. Data: "title" "x" "y"; then,
# as a second block, rows that begin with panel "its words" y "its value" x "its value" number. The caller sets cell_of (an
# expression: the colour of a row's cell), cell_text (its text), cell_height (pixels) and what style.gp wants.
stats data index 0 every ::0::0 using (title = strcol(1), xname = strcol(2), yname = strcol(3), 1) nooutput
stats data index 1 using 1 name 'PANEL_AT' nooutput
stats data index 1 using 3 name 'ROW_AT' nooutput
stats data index 1 using 5 name 'COLUMN_AT' nooutput
npanel = int(PANEL_AT_max) + 1
nrow = int(ROW_AT_max) + 1
ncolumn = int(COLUMN_AT_max) + 1
array Name[npanel]
array RowName[nrow]
array ColumnName[ncolumn]
do for [k = 1:npanel] { Name[k] = '' }
do for [k = 1:nrow] { RowName[k] = '' }
do for [k = 1:ncolumn] { ColumnName[k] = '' }
# Long numbers of round thousands and millions in short.
ends_with(text, zeros) = strlen(text) > 4 && text[strlen(text) - strlen(zeros) + 1:] eq zeros
counts(text) = (sum [i = 1:strlen(text)] (strstrt('0123456789', text[i:i]) > 0 ? 0 : 1)) == 0
short(text) = !counts(text) ? text : ends_with(text, '000000') ? text[:strlen(text) - 6].' M' : \
              ends_with(text, '000') ? text[:strlen(text) - 3].' k' : text
stats data index 1 using (Name[int($1) + 1] = strcol(2), RowName[int($3) + 1] = short(strcol(4)), ColumnName[int($5) + 1] = short(strcol(6)), 1) nooutput
row_longest = 1
do for [k = 1:nrow] { if (strlen(RowName[k]) > row_longest) { row_longest = strlen(RowName[k]) } }
panel_height = cell_height * nrow
least_height = 0.75 * panel_height
margin = 36 + 6.5 * row_longest
gap = 16
load folder.'page.gp'
if (!exists('cell_shift')) cell_shift = 0 # of the text, lines
set xrange [-0.5:ncolumn - 0.5]
set yrange [-0.5:nrow - 0.5]
set grid nox noy
set tics scale 0 noenhanced # file names and the like
set border 0
set xtics ()
do for [k = 1:ncolumn] { set xtics add (ColumnName[k] k - 1) }
do for [p = 1:npanel] {
    eval PANEL
    set title (npanel > 1 ? Name[p] : '') font F10 offset 0, -0.6 noenhanced
    set xlabel xname noenhanced
    set label 900 (first_of_row(p) ? yname : '') at screen 10.0 / width, 0.5 * (top(p) + bottom(p)) center rotate noenhanced
    set ytics ()
    do for [k = 1:nrow] { set ytics add ((first_of_row(p) ? RowName[k] : '') k - 1) }
    plot data index 1 using ($1 == p - 1 ? $5 : NaN):3:(0.48):(0.47):(@cell_of) with boxxyerror fs solid noborder lc rgb variable notitle, \
         data index 1 using ($1 == p - 1 ? $5 : NaN):3:(@cell_text) with labels font F8 offset 0, cell_shift notitle
}
load folder.'legend.gp'
