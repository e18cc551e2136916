#!/usr/bin/python3
"""Puts the rows of several runs of compare into one file, and draws their ratios: a bar for each
model and number of threads, what Halyard takes in parts of what the fastest of the others takes.
MACHINE, a line of text, is in both.

    compare_chart.py ROWS.json... --machine MACHINE --json ALL.json --svg CHART.svg
"""
import argparse
import html
import json

LABELS, WIDTH, ROW, BAR, TOP = 240, 520, 34, 12, 80
MOST = 1.6  # what is longer is cut
COLOURS = {1: '#2b6cb0', 2: '#63b3ed'}


def place(ratio):
    return LABELS + min(ratio, MOST) / MOST * WIDTH


def text(x, y, words, anchor='start', size=12):
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}">'
            f'{html.escape(words)}</text>')


def line(x, top, bottom, colour, dashes=''):
    return (f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"'
            f' stroke-dasharray="{dashes}"/>')


def bar(row, y):
    end = place(row['ratio'])
    parts = [f'<rect x="{LABELS}" y="{y}" width="{end - LABELS:.1f}" height="{BAR}"'
             f' fill="{COLOURS.get(row["threads"], "#888")}"/>',
             text(end + 4, y + BAR - 2, f'{row["ratio"]:.2f}', size=10)]
    if row['target']:
        parts.append(line(place(row['target']), y - 1, y + BAR + 1, '#c53030'))
    return parts


def legend():
    parts = []
    for i, (threads, colour) in enumerate(COLOURS.items()):
        x = LABELS + i * 110
        parts.append(f'<rect x="{x}" y="46" width="{BAR}" height="{BAR}" fill="{colour}"/>')
        parts.append(text(x + 18, 57, f'{threads} thread{"s" if threads > 1 else ""}'))
    parts.append(line(LABELS + 230, 45, 59, '#c53030'))
    parts.append(text(LABELS + 238, 57, 'target'))
    return parts


def draw(rows, machine):
    models = list(dict.fromkeys(row['model'] for row in rows))
    height = TOP + len(models) * ROW + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABELS + WIDTH + 50} {height}"'
             ' font-family="sans-serif" font-size="12">',
             f'<rect width="100%" height="{height}" fill="white"/>',
             text(8, 18, 'Time of one inference on halyard-cpu / fastest of TensorFlow Lite, XNNPACK '
                  'and ONNX Runtime', size=13),
             text(8, 34, machine, size=11)] + legend()
    for ratio in (0.25, 0.5, 0.75, 1.0, 1.25, 1.5):
        parts.append(line(place(ratio), TOP - 4, height - 8, '#000' if ratio == 1 else '#ccc',
                          '' if ratio == 1 else '2'))
        parts.append(text(place(ratio), TOP - 8, f'{ratio:g}', 'middle', 10))
    for i, model in enumerate(models):
        y = TOP + i * ROW
        parts.append(text(LABELS - 8, y + ROW / 2, model.removesuffix('.tflite'), 'end'))
        for row in (row for row in rows if row['model'] == model):
            parts += bar(row, y + 2 + (row['threads'] > 1) * (BAR + 2))
    return '\n'.join(parts + ['</svg>', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('files', nargs='+')
    parser.add_argument('--machine', required=True)
    parser.add_argument('--json', required=True)
    parser.add_argument('--svg', required=True)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.files:
        with open(name, encoding='utf-8') as file:
            rows += json.load(file)['rows']
    with open(arguments.json, 'w', encoding='utf-8') as file:
        json.dump({'machine': arguments.machine, 'rows': rows}, file, indent=2)
    with open(arguments.svg, 'w', encoding='utf-8') as file:
        file.write(draw([row for row in rows if row['kind'] == 'in-process' and row['ratio']],
                        arguments.machine))


if __name__ == '__main__':
    main()
