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


def median(rows, key):
    """None where no peer can run the network."""
    values = [row[key] for row in rows if row[key] is not None]
    return statistics.median(values) if values else None


def figure(value):
    if value is None:
        return ''
    return f'{value:.0f}' if value >= 100 else f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def print_network(network, rows):
    own, peer, ratio = (median(rows, key) for key in FIGURES)
    kernels = ' or '.join(sorted({(row['best_peer'] or 'none').removeprefix('TFLite ')
                                  for row in rows}))
    ratios = sorted(row['ratio'] for row in rows if row['ratio'] is not None)
    ends = f'{ratios[0]:.2f}, {ratios[-1]:.2f}' if ratios else ''
    print(f'| {network} | {figure(own)} | {figure(peer)} | {kernels} '
          f'| {"" if ratio is None else f"{ratio:.2f}"} | {ends} |')


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print('| network | halyard-cpu, us | TensorFlow Lite, us | its kernels | ratio | lowest, highest |')
    print('|---|--:|--:|---|--:|---|')
    for network, rows in read_rows(sys.argv[1:]).items():
        print_network(network, rows)


if __name__ == '__main__':
    main()
