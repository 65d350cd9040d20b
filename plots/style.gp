# SPDX-License-Identifier: BSD-3-Clause
# What all figures share: the colours, marks and dashes of systems, degrees and lines, and words. A script takes its
# arguments first (data, output, kind "svg", "pdf" or "png", words, size "one" or "two" columns of a page), loads this,
# says what panels and legend it has, and then loads page.gp.
set encoding utf8
set datafile missing NaN # a line goes on past the rows of other lines
wide = size ne 'one'
page_height = 907.0 # pixels: 24 cm
ink = 0x222222
# Fonts of so many pixels; points in print and in pictures.
point = kind eq 'pdf' || kind eq 'png' ? 0.75 : 1
F8 = sprintf(',%g', 8 * point)
F9 = sprintf(',%g', 9 * point)
F10 = sprintf(',%g', 10 * point)
F11 = sprintf(',%g', 11 * point)
grey = 0x8a8a8a

# Lists of words, and of items between '#'.
has(list, item) = strstrt(' '.list.' ', ' '.item.' ') > 0
with(list, item) = has(list, item) ? list : list eq '' ? item : list.' '.item
rank(list, top) = (sorted = '', sum [v = 0:top] (has(list, sprintf('%d', v)) ? (sorted = with(sorted, sprintf('%d', v)), 0) : 0), sorted)
holds(list, item) = strstrt('#'.list.'#', '#'.item.'#') > 0
joined(list, item) = holds(list, item) ? list : list eq '' ? item : list.'#'.item

# Part k (from 1) of a text with '|' between.
part(text, k) = (rest = text.'|', sum [i = 2:k] (rest = rest[strstrt(rest, '|') + 1:], 0), rest[:strstrt(rest, '|') - 1])

# Lines of at most n characters, broken after a comma or else at blanks.
blank_before(text, n) = n < 2 ? strlen(text) : text[n:n] eq ' ' ? n : blank_before(text, n - 1)
comma_before(text, n, least) = n < least ? 0 : text[n - 1:n] eq ', ' ? n : comma_before(text, n - 1, least)
break_before(text, n) = (comma_at = comma_before(text, n, n / 3), comma_at > 0 ? comma_at : blank_before(text, n))
wrapped(text, n) = strlen(text) <= n ? text : (at = break_before(text, n), text[:at - 1]."\n".wrapped(text[at + 1:], n))
lines_beyond_first(text) = int(sum [i = 1:strlen(text)] (text[i:i] eq "\n"))

# Near Okabe and Ito's colours, moved until readers of any colour-blindness can tell all of them apart, and in grey, too
# (tests/plots/check_colours.py computes it). The same system has the same colour and mark in every figure; others, as of
# plug-ins, take the next of the last ones.
known_systems = 'baseline dlb dpb local global dynamic chameleon packing tight'
array SystemColor[13] = [0x696465, 0x11c0ff, 0x9e9022, 0x2f7ec3, 0xb7540a, 0x82389f, 0x45af62, 0xb56e93, 0x000000, \
                         0x7a4205, 0xf9b127, 0x201984, 0x96af90]
array SystemMark[13] = [4, 6, 8, 7, 5, 9, 11, 13, 3, 10, 12, 14, 15]
other_systems = ''
place(list, item) = has(list, item) ? int(sum [i = 1:words(list)] (word(list, i) eq item ? i : 0)) : 0
system_place(s) = (has(known_systems, s) ? 0 : (other_systems = with(other_systems, s), 0), \
                   has(known_systems, s) ? place(known_systems, s) : 10 + (place(other_systems, s) - 1) % 4)
system_color(s) = SystemColor[system_place(s)]
system_mark(s) = SystemMark[system_place(s)]

# Towards another colour, 0 to 1.
channel(a, b, t, shift) = (int((1 - t) * ((a >> shift) & 255) + t * ((b >> shift) & 255)) & 255) << shift
mix(a, b, t) = channel(a, b, t, 16) + channel(a, b, t, 8) + channel(a, b, t, 0)
# The k-th (from 0) of n shades of a colour, from light to dark.
shade(c, k, n) = n < 2 ? c : (t = 2.0 * k / (n - 1) - 1, t < 0 ? mix(c, 0xffffff, -0.5 * t) : mix(c, 0x000000, 0.55 * t))
# Its mark, then the same open or filled, then others.
twin(m) = m % 2 ? m - 1 : m + 1
other_mark(s, k) = (mark_at = 0, mark_found = 0, sum [i = 1:8] (LineMark[i] == system_mark(s) || LineMark[i] == twin(system_mark(s)) ? 0 : \
                    (mark_at = mark_at + 1, mark_found = mark_at == k ? LineMark[i] : mark_found, 0)), mark_found)
variant_mark(s, k) = k == 0 ? system_mark(s) : k == 1 ? twin(system_mark(s)) : other_mark(s, 1 + (k - 2) % 6)
# Variants of one system: itself, then darker, lighter, much darker.
variant(c, k) = k % 4 == 0 ? c : k % 4 == 1 ? mix(c, 0x000000, 0.45) : k % 4 == 2 ? mix(c, 0xffffff, 0.45) : mix(c, 0x000000, 0.75)

# Is there anything in a text that gnuplot would take for markup?
has_markup(text) = (sum [i = 1:strlen(text)] (strstrt('_^{}@&~\', text[i:i]) > 0 ? 1 : 0)) > 0

# Few dashes for a short line, as in a legend.
set dashtype 2 (7.5, 5)
set dashtype 3 (2, 4)
set dashtype 4 (11, 4, 2, 4)

# 1, 2 or 5 times a power of ten, not below x: a step of tics.
decade(x) = 10.0**floor(log10(x))
round_up(x) = (x / decade(x) <= 1 ? 1 : x / decade(x) <= 2 ? 2 : x / decade(x) <= 5 ? 5 : 10) * decade(x)

# Characters of the longest number at an axis: linear, with the tics that gnuplot chooses; logarithmic, with those that
# the script sets, steps "1 2 5" of each power of ten.
ceiling(x) = -floor(-x)
tic_step(r) = (each = decade(r), many = 20 * each / r, each * (many > 40 ? 0.05 : many > 20 ? 0.1 : many > 10 ? 0.2 : many > 4 ? 0.5 : many > 1 ? 1 : many > 0.5 ? 2 : ceiling(r / each)))
longer(text) = (chars = strlen(text) > chars ? strlen(text) : chars, 0)
tic_chars(low, high) = !(high > low) ? 1 : (chars = 1, step = tic_step(high - low), \
                       sum [k = int(ceiling(low / step)):int(floor(high / step))] longer(sprintf('%g', k * step)), chars)
log_tic_chars(low, high, steps) = (chars = 0, sum [e = -9:12] (sum [k = 1:words(steps)] (tic_at = word(steps, k) * 10.0**e, \
                                  tic_at >= low && tic_at <= high ? longer(sprintf('%g', tic_at)) : 0)), chars)

# The end of an axis from `low`, not so near that numbers of six digits are alike.
apart(low, high) = high - low > 0.002 * abs(low) ? high : low + 0.002 * abs(low)

# Workloads' names.
model_words(m) = m eq 'matmul' ? 'matrix multiplication' : m eq 'mesh' ? 'adaptive mesh' : m eq 'limiter' ? 'limiter on a mesh' : \
                 m eq 'cholesky' ? 'Cholesky' : m eq 'nbody' ? 'n-body' : m eq 'micropp' ? 'MicroPP' : m eq 'trace' ? 'recorded loads' : m

# Lines that are no systems.
array LineColor[8] = [0x006aa9, 0xf3a920, 0x0e9767, 0xba5100, 0xd581ad, 0x00b5f7, 0x969401, 0x565555]
array LineMark[8] = [7, 9, 5, 11, 13, 15, 6, 4]
line_color(k) = LineColor[1 + (k - 1) % 8]
line_mark(k) = LineMark[1 + (k - 1 + (k - 1) / 8) % 8] # of all 64 lines none has another's colour and mark

# Apprank a (from 0): stacked, so that neighbours differ in lightness.
array RankColor[8] = [0x0072b2, 0xf0b340, 0x00694d, 0xe58a5a, 0x7b3294, 0x9fd3f2, 0x6e6e6e, 0xf0e442]
rank_color(a) = RankColor[1 + a % 8]

# Offloading degrees: marks of their own, shades of the system's colour.
degree_mark(d) = d <= 1 ? 6 : d == 2 ? 9 : d == 3 ? 5 : d == 4 ? 7 : d == 6 ? 15 : d == 8 ? 13 : 11

# Legend: an entry each. What: l line, m mark, b line and mark, f filled box, e empty box.
max_keys = 80
array Key[max_keys]
array KeyWhat[max_keys]
array KeyColor[max_keys]
array KeyMark[max_keys]
array KeyDash[max_keys]
nkey = 0
key_add(text, what, color, mark, dash) = (nkey = nkey + 1, Key[nkey] = text, KeyWhat[nkey] = what, KeyColor[nkey] = color, \
                                          KeyMark[nkey] = mark, KeyDash[nkey] = dash, nkey)
# The entry for intervals; where there are none the reader is told why.
key_interval(spread, what, color) = spread > 0 ? key_add('95 % interval', what, color, 0, 1) : \
                                    key_add('no interval: one run each, or all alike', '', color, 0, 1)
