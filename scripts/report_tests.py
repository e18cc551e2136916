"""What ./check ends with: the minutes of each step, the last lines that each failed test printed, a line
that counts, and a line for each failure. The names come last, since a reader may have the end of a long
log only.

    report_tests.py NOTES_FOLDER BUILD_FOLDER...

The results are those of meson's logs in the build folders. NOTES_FOLDER has a file BUILD_FOLDER.STAGE
with the output of each stage (root, setup, compile, test) that failed as a whole, and a file `steps` with
a line BUILD_FOLDER STEP SECONDS for each step that is over. The exit status is 0 if something passed,
nothing failed, and each build folder has results.
"""
import glob
import json
import os
import sys

LINES = 60  # of each stream that a failed test printed to
COLUMNS = 300  # of such a line
STAGES = ('root', 'setup', 'compile', 'test')


def results_of(folder):
    """The results that meson test logged: one object a test."""
    for path in sorted(glob.glob(os.path.join(folder, 'meson-logs', 'testlog*.json'))):
        with open(path, encoding='utf-8') as log:
            for line in log:
                yield json.loads(line)


def verdict(result):
    """'passed', 'failed' or 'skipped': whatever is none of the others has failed."""
    kinds = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
    return kinds.get(result['result'], 'failed')


def test_name(result):
    """SUITE/TEST of 'project:suite+suite / test', or TEST where there is no suite."""
    place, _, test = result['name'].rpartition(' / ')
    suite = place.partition(':')[2].partition('+')[0]
    return f'{suite}/{test}' if suite else test


def test_failure(folder, result):
    """(what failed, what it printed)"""
    how = f"{result['result'].lower()}, status {result['returncode']}, {result['duration']:.1f} s"
    return (f'{folder} {test_name(result)} ({how})', '\n'.join(streams(result)))


def stage_failures(folder, notes, tests_failed):
    """The same for the stages. A failed test makes the stage fail too, and is named by itself."""
    for stage in STAGES:
        path = os.path.join(notes, f'{folder}.{stage}')
        if os.path.exists(path) and not (stage == 'test' and tests_failed):
            with open(path, encoding='utf-8', errors='replace') as log:
                yield f'{folder} {stage}', tail(log.read())


def streams(result):
    """The end of each stream: the log of one must not hide what the other says of the failure."""
    for stream in ('stderr', 'stdout'):
        if result.get(stream):
            yield tail(result[stream])


def minutes(notes, folders):
    """A line for each build folder, and their sum."""
    steps = {folder: [] for folder in folders}
    try:
        with open(os.path.join(notes, 'steps'), encoding='utf-8') as lines:
            for folder, step, seconds in map(str.split, lines):
                steps[folder].append((step, int(seconds)))
    except FileNotFoundError:
        return
    for folder, own in steps.items():
        names = ', '.join(f'{step} {seconds / 60:.1f}' for step, seconds in own)
        yield f'{folder}: {sum(seconds for _, seconds in own) / 60:.1f} minutes ({names})'
    total = sum(seconds for own in steps.values() for _, seconds in own)
    yield f'together: {total / 60:.1f} minutes'


def tail(text):
    return '\n'.join(line[:COLUMNS] for line in text.splitlines()[-LINES:])


def main(notes, folders):
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    failures = []
    for folder in folders:
        results = list(results_of(folder))
        for result in results:
            counts[verdict(result)] += 1
        tests = [test_failure(folder, result) for result in results if verdict(result) == 'failed']
        stages = list(stage_failures(folder, notes, bool(tests)))
        if not results and not stages:
            stages = [(f'{folder} test', 'no test has run, and no step says why')]
        counts['failed'] += len(stages)
        failures += tests + stages

    for line in minutes(notes, folders):
        print(line)
    for what, printed in failures:
        print(f'--- {what}: the last lines\n{printed}')
    print(', '.join(f'{count} {kind}' for kind, count in counts.items()))
    for what, _ in failures:
        print(f'failed: {what}')
    return 1 if failures or not counts['passed'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
