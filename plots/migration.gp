# SPDX-License-Identifier: BSD-3-Clause
# What task migration gains: time, speedup over the baseline and migrated tasks, with the published values of
# CHAMELEON (JPDC 2020) that its text gives. Data: blocks headed by "PATH|X WORDS|SYSTEM|LINE", PATH that of x, of
# "x time_s low high speedup low high migrated_tasks low high". By hand:
#   gnuplot -c migration.gp DIR/migration.dat figure.svg svg matmul two
data = ARG1
output = ARG2
kind = ARG3
about = ARG4
size = ARG5
folder = ARG0[:strlen(ARG0) - strlen('migration.gp')]
load folder.'style.gp'
model = word(about, 1)
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
array Owner[nblock]
array Repeat[nblock]
spread = 0
least_s = 1e300
most_s = 0
least_x = 1e300
most_x = -1e300
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    Head[b] = part(head, 4)
    Owner[b] = part(head, 3)
    path = part(head, 1)
    name = part(head, 2)
    Repeat[b] = 0
    do for [c = 1:b - 1] { if (Owner[c] eq Owner[b]) { Repeat[b] = Repeat[b] + 1 } }
    stats data index b - 1 every ::1 using ($4 > $3 ? 1 : 0) name 'SPREAD' nooutput
    spread = spread + SPREAD_sum
    stats data index b - 1 every ::1 using 1:2 name 'LINE' nooutput
    least_s = LINE_min_y < least_s ? LINE_min_y : least_s
    most_s = LINE_max_y > most_s ? LINE_max_y : most_s
    least_x = LINE_min_x < least_x ? LINE_min_x : least_x
    most_x = LINE_max_x > most_x ? LINE_max_x : most_x
}
npanel = 3
title = 'Task migration: '.model_words(model)

# x, speedup, migrated tasks of an iteration (NaN: not given), which of chameleon's lines (from 0; -1: of all)
$none << EOD
NaN NaN NaN -1
EOD
$threads << EOD
4 1.97 1190 -1
EOD
$sizes << EOD
50 0.79 200 -1
EOD
$clock << EOD
1.833333 1.31 NaN -1
EOD
$limiter << EOD
16 1.06 NaN 0
32 1.05 NaN 0
64 1.09 NaN 0
128 1.07 NaN 0
16 1.05 NaN 1
32 1.02 NaN 1
64 1.05 NaN 1
128 1.00 NaN 1
EOD
published = model eq 'limiter' ? '$limiter' : model ne 'matmul' ? '$none' : \
            path eq 'platform.cores_per_node' ? '$threads' : path eq 'workload.matmul_size' ? '$sizes' : \
            path eq 'workload.slow_factor' ? '$clock' : '$none'
color(b) = variant(system_color(Owner[b]), Repeat[b])
mark(b) = variant_mark(Owner[b], Repeat[b])
dash(b) = Repeat[b] == 0 ? 1 : Repeat[b] == 1 ? 2 : 4
do for [b = 1:nblock] { last = key_add(Head[b], 'b', color(b), mark(b), dash(b)) }
last = key_interval(spread, 'l', ink)
if (published ne '$none') { last = key_add('published', 'm', ink, 2, 1) }
load folder.'page.gp'
if (path eq 'platform.nodes') { set logscale x 2 } else { if (most_x > least_x) { set xtics round_up((most_x - least_x) / 5.0) } }
# Lines that differ by more than this lie on each other where they are low.
logarithmic = least_s > 0 && most_s > 20 * least_s
array Title = ['Time per iteration (s)'.(logarithmic ? ', log scale' : ''), 'Speedup over the baseline', 'Migrated tasks per iteration']
set offsets graph 0.04, graph 0.04, graph 0.08, 0
set xlabel name
do for [p = 1:npanel] {
    c = 3 * p - 1
    eval PANEL
    if (p == 1 && logarithmic) {
        set logscale y
        set yrange [least_s / 1.5:most_s * 1.5]
        set ytics ()
        do for [e = -6:6] { do for [m in '1 2 5'] { if (most_s < 200 * least_s || m eq '1') { set ytics add (sprintf('%g', real(m) * 10.0**e) real(m) * 10.0**e) } } }
    } else {
        unset logscale y
        set ytics autofreq
        set yrange [0:*]
    }
    set title Title[p] font F10 offset 0, -0.6
    plot for [b = 1:nblock] data index b - 1 every ::1 using (p > 1 && Owner[b] eq 'baseline' || !(column(c + 2) > column(c + 1)) ? NaN : $1):(column(c)):(column(c + 1)):(column(c + 2)) \
             with yerrorbars pt 0 lw 1 lc rgb color(b) notitle, \
         for [b = 1:nblock] data index b - 1 every ::1 using (p > 1 && Owner[b] eq 'baseline' ? NaN : $1):(column(c)) \
             with linespoints lw 1.5 dt dash(b) pt mark(b) ps 0.55 lc rgb color(b) notitle, \
         @published using 1:(p == 1 ? NaN : column(p)):($4 < 0 ? ink : variant(system_color('chameleon'), int($4))) with points pt 2 ps 0.9 lw 2 lc rgb variable notitle
}
load folder.'legend.gp'
