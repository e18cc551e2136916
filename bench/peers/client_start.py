#!/usr/bin/python3
"""What the second start of a client gains from HALYARD_CACHE_DIR. Starts TensorFlow Lite as it is
shipped, told to use NNAPI: without a cache, and twice in processes that share a new cache folder.
Compares how long the client took to get ready, and of that, the compilation.

    client_start.py --program CLIENT_START --client LIBTENSORFLOWLITE_C.SO --folder LIBRARY_FOLDER
                    [--rounds N] MODEL...

CLIENT_START is the program of client_start.c, LIBRARY_FOLDER has the libneuralnetworks.so. Prints a
Markdown table of medians. cache.sh knows where all of them are.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile


OUTCOMES = {'without': 'off', 'first': 'stored', 'second': 'hit'}


def start(arguments, model, cache, report):
    """(ready, compiled, outcomes): nanoseconds, and what became of the cache, step by step."""
    environment = dict(os.environ, LD_LIBRARY_PATH=arguments.folder, HALYARD_CACHE_DIR=cache,
                       HALYARD_REPORT=report)
    with open(report, 'w', encoding='utf-8'):
        pass
    done = subprocess.run([arguments.program, arguments.client, model], env=environment, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with open(report, encoding='utf-8') as lines:
        compiled = [entry for entry in map(json.loads, lines) if entry['event'] == 'finish']
    if not compiled:
        sys.exit(f'{model}: the client compiled nothing here')
    steps = [step for entry in compiled for step in entry['steps']]
    return (int(done.stdout), sum(entry['compile_ns'] for entry in compiled),
            {step.get('cache', {}).get('outcome', 'off') for step in steps})


def measure(arguments, model):
    samples = {which: [] for which in OUTCOMES}
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory(prefix='halyard-') as folder:
            for which in samples:
                ready, compiled, outcomes = start(
                    arguments, model, '' if which == 'without' else folder,
                    folder + '/report.json')
                if outcomes != {OUTCOMES[which]}:
                    sys.exit(f'{model}: the start "{which}": {", ".join(outcomes)}')
                samples[which].append((ready, compiled))
    cells = [os.path.basename(model)]
    for kind in (0, 1):
        without, first, second = (statistics.median(sample[kind] for sample in samples[which]) / 1e6
                                  for which in OUTCOMES)
        cells += [f'{without:.2f}', f'{first:.2f}', f'{second:.2f}', f'{without / second:.1f}',
                  f'{first / second:.1f}']
    print('|', ' | '.join(cells), '|', flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--rounds', type=int, default=15)
    for name in ('--program', '--client', '--folder'):
        parser.add_argument(name, required=True)
    parser.add_argument('models', nargs='+')
    arguments = parser.parse_args()
    print(f'Milliseconds, medians of {arguments.rounds} rounds.\n\n'
          '| model | ready, without a cache | first start | second | without / second | '
          'first / second | compiled, without a cache | first start | second | '
          'without / second | first / second |\n'
          '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
    for model in arguments.models:
        measure(arguments, model)


if __name__ == '__main__':
    main()
