# SPDX-License-Identifier: BSD-3-Clause
# What task migration gains: time, speedup over the baseline and migrated tasks, with the published values of
# CHAMELEON (JPDC 2020) that its text gives. Data: blocks headed by "PATH|LINE", PATH
# that of x, of "x time_s speedup migrated_tasks". By hand:
#   gnuplot -c migration.gp DIR/migration.dat figure.svg svg matmul
data = ARG1
output = ARG2
kind = ARG3
model = word(ARG4, 1)
folder = ARG0[:strlen(ARG0) - strlen('migration.gp')]
stats data using (strlen(strcol(1)) > 0 ? 1 : 0) name 'ALL' nooutput
nblock = ALL_blocks
array Head[nblock]
do for [b = 1:nblock] {
    stats data index b - 1 every ::0::0 using (head = strcol(1), 0) name 'HEAD' nooutput
    path = head[:strstrt(head, '|') - 1]
    Head[b] = head[strstrt(head, '|') + 1:]
}
npanel = 3
gap = 96.0
legend_width = 270.0
load folder.'style.gp'

# x, speedup, migrated tasks of an iteration (NaN: not given)
$none << EOD
NaN NaN NaN
EOD
$threads << EOD
4 1.97 1190
EOD
$sizes << EOD
50 0.79 200
EOD
$clock << EOD
1.833333 1.31 NaN
EOD
$limiter << EOD
16 1.06 NaN
32 1.05 NaN
64 1.09 NaN
128 1.07 NaN
16 1.05 NaN
32 1.02 NaN
64 1.05 NaN
128 1.00 NaN
EOD
published = model eq 'limiter' ? '$limiter' : model ne 'matmul' ? '$none' : \
            path eq 'platform.cores_per_node' ? '$threads' : path eq 'workload.matmul_size' ? '$sizes' : \
            path eq 'workload.slow_factor' ? '$clock' : '$none'
name = path eq 'platform.cores_per_node' ? 'Threads per rank' : path eq 'workload.matmul_size' ? 'Size of the matrices' : \
       path eq 'workload.slow_factor' ? 'Slowness of the first node' : path eq 'platform.nodes' ? 'Nodes' : path
if (path eq 'platform.nodes') { set logscale x 2 }
baseline(l) = strstrt(l, 'baseline') > 0
color(b) = baseline(Head[b]) ? 0x555555 : int(word('0x0072b2 0xd55e00 0x009e73 0xcc79a7 0xe69f00 0x56b4e9', (b - 1) % 6 + 1))
array Title = ['Time per iteration (s)', 'Speedup over the baseline', 'Migrated tasks per iteration']
set offsets graph 0.04, graph 0.04, graph 0.06, 0
set multiplot title 'Task migration, '.model font ',13'
set tmargin at screen 0.86
set bmargin at screen 0.15
set xlabel name
set yrange [0:*]
do for [p = 1:npanel] {
    set lmargin at screen begin(p)
    set rmargin at screen end(p)
    set ylabel Title[p]
    unset key
    if (p == npanel) {
        set key at screen legend_x, 0.86 left top Left reverse samplen 2.2 spacing 1.3
    }
    plot for [b = 1:nblock] data index b - 1 every ::1 \
             using 1:(p > 1 && baseline(Head[b]) ? NaN : column(p + 1)) smooth unique \
             with linespoints lw 1.8 pt 7 ps 0.5 lc rgb color(b) notitle, \
         for [b = 1:nblock] keyentry with linespoints lw 1.8 pt 7 ps 0.6 lc rgb color(b) title Head[b] noenhanced, \
         @published using 1:(p == 1 ? NaN : column(p)) with points pt 2 ps 1.4 lw 2 lc rgb '#000000' notitle, \
         keyentry with points pt 2 ps 1.4 lw 2 lc rgb (published eq '$none' ? '#ffffff' : '#000000') \
             title (published eq '$none' ? '' : 'published')
}
unset multiplot
