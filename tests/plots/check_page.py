#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A result page in a headless browser: tables sort and filter, no errors on the console, nothing wider than 400 pixels
beyond what scrolls, and A4 when printed. Usage: check_page.py PAGE.html WORD [no-figure], WORD in some rows of the first
table and not in all. Ends with 77 where there is no browser."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Runs in the page, after its own script; what it finds becomes the title, which --dump-dom shows.
PROBE = """
<script>
'use strict';
const faults = window.faults;
const expect = (truth, words) => { if (!truth) faults.push(words); };
const part = document.querySelector('.sorts'), table = part.querySelector('table');
const heads = [...table.tHead.rows[0].cells];
const column = c => [...table.tBodies[0].rows].map(row => row.cells[c].textContent.replace(/ to .*/, ''));  // an interval by its begin
const emptyLast = c => column(c).every((text, i, all) => i === 0 || all[i - 1] !== '' || text === '');
heads.forEach((head, c) => {
  head.querySelector('button').click();
  expect(head.getAttribute('aria-sort') === 'ascending', 'column ' + c + ' does not say that it is sorted');
  expect(emptyLast(c), 'column ' + c + ' has what is empty before what is not');
  const values = column(c).filter(text => text !== '').map(Number);
  if (!values.some(Number.isNaN)) {
    expect(values.every((v, i) => i === 0 || values[i - 1] <= v), 'column ' + c + ' is not sorted by number');
    head.querySelector('button').click();
    const back = column(c).filter(text => text !== '').map(Number);
    expect(back.every((v, i) => i === 0 || back[i - 1] >= v), 'column ' + c + ' is not sorted the other way');
    expect(emptyLast(c), 'column ' + c + ' the other way has what is empty before what is not');
  } else {
    expect(column(c).every((v, i, all) => i === 0 || !Number.isNaN(Number(v)) || all[i - 1] <= v), 'column ' + c + ' is not sorted by text');
  }
});
const input = part.querySelector('input');
const shown = () => [...table.tBodies[0].rows].filter(row => !row.hidden).length, all = shown();
input.value = 'nothing-has-this';
input.dispatchEvent(new Event('input'));
expect(shown() === 0, 'the filter leaves rows');
input.value = WORD;
input.dispatchEvent(new Event('input'));
expect(shown() > 0 && shown() < all, 'the filter for a word leaves ' + shown() + ' of ' + all + ' rows');
input.value = '';
input.dispatchEvent(new Event('input'));
expect(shown() === all, 'an empty filter hides rows');
expect(document.documentElement.scrollWidth <= window.innerWidth, 'the page is ' + document.documentElement.scrollWidth + ' pixels wide in ' + window.innerWidth);
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
expect(new Set(ids).size === ids.length, 'an id is there twice');
expect(FIGURES || document.querySelectorAll('figure svg text, .wide svg text, .timeline polygon').length > 5, 'no figure');
const line = document.querySelector('.timeline');
if (line) {
  const svg = line.querySelector('svg'), whole = svg.getAttribute('viewBox'), [closer, , all] = line.querySelectorAll('button');
  closer.click();
  expect(svg.viewBox.baseVal.width === Number(whole.split(' ')[2]) / 2, 'the time line does not zoom');
  all.click();
  expect(svg.getAttribute('viewBox') === whole, 'the time line is not whole again');
}
document.title = 'FAULTS[' + faults.join('; ') + '] at ' + window.innerWidth;
</script>
"""
# The same as on paper, 182 mm of A4 between the margins: what is shown fits, and cells are not squeezed to a letter a line.
PAPER = """
<script>
'use strict';
const faults = [];
if (document.documentElement.scrollWidth > window.innerWidth) { faults.push('what is printed is ' + document.documentElement.scrollWidth + ' pixels wide'); }
const rows = [...document.querySelectorAll('.sorts tbody tr')].map(row => row.offsetHeight).sort((a, b) => a - b);
if (rows.length && rows[rows.length >> 1] > 40) { faults.push('printed rows are ' + rows[rows.length >> 1] + ' pixels high'); }
document.title = 'FAULTS[' + faults.join('; ') + '] at ' + window.innerWidth;
</script>
"""
CATCH = "<script>window.faults = []; window.onerror = (text) => { window.faults.push('error: ' + text); }; " \
        "const said = console.error; console.error = (...words) => { window.faults.push(words.join(' ')); said(...words); };</script>"


def browser():
    for name in 'chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome':
        if shutil.which(name):
            return name
    return None


def run(name, folder, *arguments):
    # Nothing of its own over the network, which may be closed.
    command = [name, '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
               '--disable-component-update', '--disable-sync', f'--user-data-dir={folder}/profile', *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def main():
    name, page = browser(), pathlib.Path(sys.argv[1])
    if not name:
        print('no chromium here: the page is not looked at')
        return 77
    text = page.read_text(encoding='utf-8')
    word = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder, 'probe.html')
        probe.write_text(text.replace('<head>', '<head>' + CATCH, 1).replace('</body>', PROBE.replace('WORD', repr(word)).replace('FIGURES', str(sys.argv[3:] == ['no-figure']).lower()) + '</body>', 1), encoding='utf-8')
        # A frame of 400 pixels: windows of browsers are not so narrow.
        frame = pathlib.Path(folder, 'frame.html')
        frame.write_text(f'<body style="margin:0"><iframe src="{probe.name}" style="width:400px;height:800px;border:0" '
                         'onload="document.title = this.contentDocument.title"></iframe>', encoding='utf-8')
        sheet = pathlib.Path(folder, 'sheet.html')
        sheet.write_text(text.replace('@media print', '@media all').replace('</body>', PAPER + '</body>', 1), encoding='utf-8')
        paper_frame = pathlib.Path(folder, 'paper.html')
        paper_frame.write_text(frame.read_text(encoding='utf-8').replace(probe.name, sheet.name).replace('400px', '688px'), encoding='utf-8')
        faults = []
        for target, width in (probe, None), (frame, '400'), (paper_frame, '688'):
            found = run(name, folder, '--virtual-time-budget=5000', '--allow-file-access-from-files', '--dump-dom', target.as_uri())
            titles = re.findall(r'<title>FAULTS\[(.*?)\] at (\d+)', found.stdout)
            if not titles:
                faults.append(f'{target.name}: the probe did not run: {found.stderr[-300:]}')
            elif titles[0][0] or (width and titles[0][1] != width):
                faults.append(f'{target.name}: {titles[0]}')
        paper = pathlib.Path(folder, 'page.pdf')
        run(name, folder, f'--print-to-pdf={paper}', '--no-pdf-header-footer', page.resolve().as_uri())
        boxes = re.findall(rb'/MediaBox\s*\[\s*0 0 ([0-9.]+) ([0-9.]+)', paper.read_bytes() if paper.exists() else b'')
        if not boxes or any(abs(float(w) - 595) > 2 or abs(float(h) - 842) > 2 for w, h in boxes):
            faults.append(f'printed on {boxes[:3]}, not on A4')
    print('\n'.join(faults))
    return 1 if faults else 0


sys.exit(main())
