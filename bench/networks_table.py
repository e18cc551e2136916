#!/usr/bin/python3
"""Prints the table of the networks that several runs of compare measured: medians of the runs.

    networks_table.py ROWS.json...
"""
import json
import statistics
import sys

FIGURES = ('halyard_us', 'best_peer_us', 'ratio')


def read_rows(names):
    """For each network the rows of all runs, in the order of the first run."""
    networks = {}
    for name in names:
        with open(name, encoding='utf-8') as file:
            for row in json.load(file)['rows']:
                if row['kind'] == 'in-process':
                    networks.setdefault(row['model'].removesuffix('.tflite'), []).append(row)
    return networks


def figure(value):
    return f'{value:.0f}' if value >= 100 else f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print('| network | halyard-cpu, us | TensorFlow Lite, us | its kernels | ratio | lowest, highest |')
    print('|---|--:|--:|---|--:|---|')
    for network, rows in read_rows(sys.argv[1:]).items():
        own, peer, ratio = (statistics.median(row[key] for row in rows) for key in FIGURES)
        kernels = ' or '.join(sorted({row['best_peer'].removeprefix('TFLite ') for row in rows}))
        ratios = sorted(row['ratio'] for row in rows)
        print(f'| {network} | {figure(own)} | {figure(peer)} | {kernels} | {ratio:.2f} '
              f'| {ratios[0]:.2f}, {ratios[-1]:.2f} |')


if __name__ == '__main__':
    main()
