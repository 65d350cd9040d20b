# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration with one slow node; to the left it has least work, to the right most (paper, Figure 10).
script_dir = ARG0[:strstrt(ARG0, 'slow_node.gp') - 2]
if (script_dir eq '') { script_dir = '.' }
xname = 'least ←  imbalance  → most'
what_title = sprintf('One slow node, with least work on the left and most on the right, %s allocation', what)
set xtics ('4' -3, '3' -2, '2' -1, '1' 0, '2' 1, '3' 2, '4' 3)
load script_dir.'/panels.gp'
