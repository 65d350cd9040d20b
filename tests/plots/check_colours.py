#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are the figures' colours told apart by who does not see all of them, and in grey?

The palette is read from where it stands, plots/style.gp. Each pair of colours that may meet in one figure is compared as
it is seen: by all, with protanopia, deuteranopia and tritanopia (the matrices of severity 1 of Machado, Oliveira and
Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009), and in grey (luminance
alone). The distance is CIEDE2000; about 2 is the least that eyes notice where two colours touch. Marks differ beside the
colours, which is tested, too; what is stacked has no marks, and there neighbours must differ much in grey.
Pages (page_figure.c, page_timeline.c beside it) have copies of some, which are held against it.
Usage: check_colours.py STYLE.gp [table]"""
import itertools
import math
import pathlib
import re
import sys

SEEN = {
    'by all': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protanopia': ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    'deuteranopia': ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    'tritanopia': ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    'in grey': ((0.2126, 0.7152, 0.0722),) * 3,
}


def linear(colour):
    for shift in 16, 8, 0:
        c = (colour >> shift & 255) / 255
        yield c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def lab(colour, matrix):
    """CIE L*a*b* under D65 of 0xRRGGBB, seen through a matrix of linear sRGB."""
    given = tuple(linear(colour))
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, given)))) for row in matrix)
    white = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, \
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in white)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one, two):
    """Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula", 2005."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - math.sqrt(mean / (mean + 25 ** 7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = 1 - 0.17 * math.cos(math.radians(hm - 30)) + 0.24 * math.cos(math.radians(2 * hm)) + \
        0.32 * math.cos(math.radians(3 * hm + 6)) - 0.20 * math.cos(math.radians(4 * hm - 63))
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rt = -2 * math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((hm - 275) / 25) ** 2)))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


LEAST = {'by all': 14, 'protanopia': 8, 'deuteranopia': 8, 'tritanopia': 8, 'in grey': 3}
LEAST_STACKED = 20

# The formula's authors give these pairs: a wrong sign or quadrant is seen here, not in a figure.
KNOWN = [((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, -1, 2), (50, 0, 0), 2.3669),
         ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195), ((50, 2.5, 0), (73, 25, -18), 27.1492),
         ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
         ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082)]


def numbers_of(style, name):
    found = re.search(r'array %s\[(\d+)\] = \[((?:[^\]])*)\]' % name, style)
    values = [int(v, 0) for v in re.findall(r'0x[0-9a-f]+|\d+', found[2])]
    assert len(values) == int(found[1]), f'{name}: {len(values)} values'
    return values


def closest(colours, matrix, pairs):
    seen = [lab(c, matrix) for c in colours]
    return min((ciede2000(seen[i], seen[j]), i, j) for i, j in pairs)


def main():
    for one, two, distance in KNOWN:
        assert abs(ciede2000(one, two) - distance) < 1e-4, (one, two, ciede2000(one, two))
    style = open(sys.argv[1], encoding='utf-8').read()
    systems = re.search(r"known_systems = '(.*)'", style)[1].split()
    others = len(numbers_of(style, 'SystemColor')) - len(systems)
    sets = [('SystemColor', 'SystemMark', systems + [f'other {i + 1}' for i in range(others)], False),
            ('LineColor', 'LineMark', None, False), ('RankColor', None, None, True)]
    faults = 0
    for name, marks, words, neighbours in sets:
        colours = numbers_of(style, name)
        mark = numbers_of(style, marks) if marks else None
        words = words or [f'{name} {i + 1}' for i in range(len(colours))]
        assert len(words) == len(colours), f'{name}: {len(words)} names for {len(colours)} colours'
        if mark and len(set(mark)) != len(mark):
            print(f'{marks}: two have one mark')
            faults += 1
        n = len(colours)
        pairs = [(i, (i + 1) % n) for i in range(n)] if neighbours else list(itertools.combinations(range(n), 2))
        for how, matrix in SEEN.items():
            least = LEAST[how] if not neighbours else LEAST_STACKED
            distance, i, j = closest(colours, matrix, pairs)
            if distance < least:
                faults += 1
            if distance < least or sys.argv[2:] == ['table']:
                print(f"{name}, {how}: {words[i]} (0x{colours[i]:06x}) and {words[j]} (0x{colours[j]:06x}) are {distance:.1f} apart; "
                      f'allowed is from {least}')
    for file, name in ('page_figure.c', 'LineColor'), ('page_timeline.c', 'RankColor'):
        text = pathlib.Path(sys.argv[1]).with_name(file).read_text(encoding='utf-8')
        copies = [int(v, 16) for v in re.findall(r'"#([0-9a-f]{6})"', text)]
        for colour in set(copies) - set(numbers_of(style, name)) or ([] if copies else [0]):
            print(f'{file}: 0x{colour:06x} is none of {name} in {sys.argv[1]}')
            faults += 1
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
