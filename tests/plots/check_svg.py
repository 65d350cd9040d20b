#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does any text of a figure lie over another, or leave the page; is that higher than 24 cm; have two lines of the legend become one? Usage: check_svg.py FIGURE.svg...

Boxes are estimated from DejaVu Sans, whose widths are known; a little less where two meet, so that texts that touch are fine."""
import re
import sys
import xml.etree.ElementTree as tree

SVG = '{http://www.w3.org/2000/svg}'
LEGEND = 24  # pixels that a line of the legend is long (plots/legend.gp)
HIGHEST = 907  # pixels: 24 cm of a page (plots/style.gp)
NARROW, WIDE = set("iljI.,:;'|!()[]/ tfr1-"), set('mwMW%@')


def width_of(text, size):
    em = sum(0.34 if c in NARROW else 0.90 if c in WIDE else 0.60 for c in text)
    return em * size


def box_of(group, size, text):
    """(left, top, right, bottom) of a <text> in gnuplot's group around it."""
    move = re.match(r'translate\(([-0-9.]+),([-0-9.]+)\)(?:\s*rotate\(([-0-9.]+)\))?', group.get('transform', ''))
    if not move:
        return None
    x, y, turn = float(move[1]), float(move[2]), float(move[3] or 0)
    width, anchor = width_of(text, size), group.get('text-anchor', 'start')
    left = {'start': 0, 'middle': -width / 2, 'end': -width}[anchor]
    corners = [(left, -0.35 * size), (left + width, -0.35 * size), (left, 0.35 * size), (left + width, 0.35 * size)]
    if abs(turn) > 80:
        corners = [(b, a) for a, b in corners]
    elif abs(turn) > 1:
        return None  # slanted texts stand side by side
    if abs(turn) > 80 and turn < 0:
        corners = [(a, -b) for a, b in corners]
    xs, ys = [x + a for a, b in corners], [y + b for a, b in corners]
    return min(xs), min(ys), max(xs), max(ys)


def texts_of(root):
    for group in root.iter(SVG + 'g'):
        for text in group.findall(SVG + 'text'):
            words = ''.join(text.itertext()).strip()
            spans = [s.get('font-size') for s in text.iter(SVG + 'tspan') if s.get('font-size')]
            size = float((spans or [group.get('font-size', '10')])[0].replace('px', ''))
            box = box_of(group, size, words) if words else None
            if box:
                yield words, box


def check(name):
    root = tree.parse(name).getroot()
    page = [float(v) for v in root.get('viewBox').split()]
    found = list(texts_of(root))
    faults = [] if found else ['no text at all']
    if page[3] > HIGHEST:
        faults.append(f'{page[3]:g} pixels high, where a page has {HIGHEST}')
    for i, (words, a) in enumerate(found):
        if a[0] < 0 or a[1] < 0 or a[2] > page[2] or a[3] > page[3]:
            faults.append(f"'{words}' leaves the page")
        for others, b in found[:i]:
            slack = 0.025 * (a[2] - a[0] + b[2] - b[0])
            if a[0] + slack < b[2] and b[0] + slack < a[2] and a[1] < b[3] and b[1] < a[3]:
                faults.append(f"'{words}' lies over '{others}'")
    for path in root.iter(SVG + 'path'):
        # gnuplot writes lines of one colour and width as one path, with the dashes of the first
        ends = re.findall(r'M([-0-9.]+),([-0-9.]+) L([-0-9.]+),([-0-9.]+)', path.get('d', ''))
        keys = [e for e in ends if e[1] == e[3] and abs(float(e[2]) - float(e[0]) - LEGEND) < 0.02]
        if len(keys) > 1 and len(keys) == len(ends) and path.get('stroke-dasharray'):
            faults.append(f'{len(keys)} lines of the legend have the dashes of the first, at {keys[0][0]},{keys[0][1]}')
    for fault in faults:
        print(f'{name}: {fault}')
    return not faults


sys.exit(0 if all([check(name) for name in sys.argv[1:]]) else 1)
