#!/usr/bin/env python3
"""What calls of the API run through, for one CONV_2D: functions, files and directories.

    bench/trips/trips.py [--tree TRIP] [BUILD_FOLDER]

Builds the library without optimization and with -finstrument-functions in BUILD_FOLDER (build-trips
if not given), and prints a Markdown table. With --tree, prints instead the tree of calls of the trip
of that name: before each function stands how many calls it makes, with those of its callees.

A hop is a step from a call to the next call that lies in another file, or directory. What kernels do
(cpu_fallback/kernels) is not counted: a call into one is. Threads of the library are not counted.
A burst to an isolated driver counts how often it looks for the answer, which differs from run to run.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
KERNELS = 'cpu_fallback/kernels'


def build(folder):
    """Returns the program."""
    if not (folder / 'build.ninja').exists():
        subprocess.run(['meson', 'setup', folder, SOURCE, '-Doptimization=0', '-Dwerror=false',
                        '-Dc_args=-finstrument-functions'], check=True, stdout=sys.stderr)
    subprocess.run(['ninja', '-C', folder, '--quiet', 'bench/trips', 'driverd/halyard-driverd'],
                   check=True, stdout=sys.stderr)
    return folder / 'bench/trips'


def run(program, folder, isolate):
    """Returns {trip: events}; an event is (object, offset), or None where a function was left."""
    trips = {}
    with tempfile.TemporaryDirectory() as state:
        cache = pathlib.Path(state, 'cache')
        (cache / 'first').mkdir(parents=True)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith('HALYARD_')}
        environment |= {'HALYARD_STATE_DIR': state, 'HALYARD_DRIVER_FILES': '',
                        'HALYARD_DRIVERD': str(folder / 'driverd/halyard-driverd'),
                        'HALYARD_ISOLATE': 'all' if isolate else ''}
        lines = subprocess.run([program] + ([] if isolate else [cache]), env=environment, check=True,
                               stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for line in lines:
        if line.startswith('trip '):
            events = trips.setdefault(line[5:] + (', isolated driver' if isolate else ''), [])
        else:
            events.append(None if line == '-' else tuple(line.rsplit(' ', 1)))
    return trips


def file_of(path):
    """Returns the path in this checkout; from a compiler cache come objects of another one."""
    parts = pathlib.Path(os.path.normpath(path)).parts
    return next((file for file in ('/'.join(parts[i:]) for i in range(1, len(parts)))
                 if (SOURCE / file).exists()), path)


def find_functions(trips):
    """Returns {event: (function, file)}."""
    found = {}
    events = {event for events in trips.values() for event in events if event}
    for library in sorted({event[0] for event in events}):
        offsets = sorted(event[1] for event in events if event[0] == library)
        lines = subprocess.run(['addr2line', '-f', '-e', library], input='\n'.join(offsets),
                               check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        for offset, function, place in zip(offsets, lines[::2], lines[1::2]):
            found[library, offset] = function, file_of(place.split(':')[0])
    return found


def walk(events, functions):
    """Returns the calls in their order, each a (depth, function, file)."""
    calls, depth, kernel = [], 0, None
    for event in events:
        if not event:
            depth -= 1
            kernel = None if kernel is not None and depth < kernel else kernel
            continue
        depth += 1
        if kernel is not None:
            continue
        calls.append((depth, *functions[event]))
        if functions[event][1].startswith(KERNELS):
            kernel = depth
    return calls


def count(calls):
    """Calls, functions, files, directories, hops between files and between directories, depth."""
    files = [file for _, _, file in calls]
    folders = [os.path.dirname(file) for file in files]
    hops = [sum(a != b for a, b in zip(places, places[1:])) for places in (files, folders)]
    return [len(calls), len({call[1:] for call in calls}), len(set(files)), len(set(folders)), *hops,
            max(depth for depth, _, _ in calls)]


def print_tree(calls):
    for i, (depth, function, file) in enumerate(calls):
        end = next((j for j in range(i + 1, len(calls)) if calls[j][0] <= depth), len(calls))
        print(f'{end - i - 1:6} {"  " * (depth - 1)}{function} {file}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--tree', metavar='TRIP')
    parser.add_argument('folder', nargs='?', type=pathlib.Path, default=SOURCE / 'build-trips')
    options = parser.parse_args()
    folder = options.folder.resolve()

    program = build(folder)
    trips = run(program, folder, False) | run(program, folder, True)
    functions = find_functions(trips)
    if options.tree:
        print_tree(walk(trips[options.tree], functions))
        return
    print('| trip | calls | functions | files | directories | file hops | directory hops | depth |')
    print('|---|--:|--:|--:|--:|--:|--:|--:|')
    for trip, events in trips.items():
        figures = [f'{figure:,}' for figure in count(walk(events, functions))]
        print('| ' + ' | '.join([trip, *figures]) + ' |')


main()
