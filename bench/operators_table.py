#!/usr/bin/python3
"""Prints the table of operators that runs of compare measured on the models of make_operators.py: a
row for each operator, in each type the medians of the runs.

    operators_table.py ROWS.json...
"""
import sys

from networks_table import figure, median, read_rows

TYPES = ('f32', 'u8', 'i8')


def read_operators(names):
    """For each operator its rows by type."""
    operators = {}
    for model, rows in read_rows(names).items():
        operator, _, kind = model.rpartition('_')
        operators.setdefault(operator, {})[kind] = rows
    return operators


def cells(rows):
    own, peer, ratio = (median(rows, key) for key in ('halyard_us', 'best_peer_us', 'ratio'))
    return f'{figure(own)} | {figure(peer)} | {"" if ratio is None else f"{ratio:.2f}"}'


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print('| operator |' + ''.join(f' {kind}, us | best peer | ratio |' for kind in TYPES))
    print('|---|' + '--:|' * 3 * len(TYPES))
    for operator, kinds in sorted(read_operators(sys.argv[1:]).items()):
        print(f'| {operator} | ' + ' | '.join(cells(kinds.get(kind, [])) for kind in TYPES) + ' |')


if __name__ == '__main__':
    main()
