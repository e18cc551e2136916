#!/usr/bin/env python3
"""What ./check and ./demo need first, and how ./check ends: it counts, and whatever failed is named in the
last lines.

    test_check.py SOURCE_FOLDER

A copy of ./check runs with commands in the place of meson and ninja that do what a case says.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = sys.argv[1]

DPKG_QUERY = 'echo installed\n'
ARM64_ROOT = '''
[ ! -e broken/root ] || { cat broken/root; exit 1; }
'''
NINJA = '''
folder=$2
echo "$*" >>compiled
[ ! -e broken/compile-$folder ] || { cat broken/compile-$folder; exit 1; }
'''
APT_GET = r'''
echo "$*" >>apt
[ -s refusals ] || exit 0
head -n 1 refusals >&2
sed -i 1d refusals
exit 100
'''
LOCKED = 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)'
# Ends what it is called for after so many seconds, which take no time.
SLEEP = r'''
seconds=$(($(cat slept 2>/dev/null || echo 0) + $1))
echo $seconds >slept
[ $seconds -lt 130 ] || rm -f steps
'''
MESON = r'''
case $1 in
setup)
    [ ! -e broken/setup-$2 ] || { cat broken/setup-$2; exit 1; }
    mkdir -p $2/meson-logs $2/meson-info
    touch $2/build.ninja
    sed "s:FOLDER:$PWD/$2:g" targets >$2/meson-info/intro-targets.json
    cp known $2/meson-info/intro-tests.json
    echo "$CC $*" >>setups
    ;;
test)
    case $* in
    *--list*--suite*) echo "halyard:runtime / fence"; exit ;;
    *--list*) printf '%s\n' "halyard:runtime / fence" "halyard / tools"; exit ;;
    esac
    echo "$*" >>tests
    [ ! -e results-$3 ] || cp results-$3 $3/meson-logs/testlog.json
    [ ! -e broken/test-$3 ] || exit $(cat broken/test-$3)
    ;;
esac
'''
PASSED = {'name': 'halyard:runtime / fence', 'result': 'OK', 'returncode': 0, 'duration': 0.5,
          'stdout': 'nothing to see'}
FAILED = {'name': 'halyard:contract+quick / contract_fenced', 'result': 'FAIL', 'returncode': 1,
          'duration': 0.25, 'stdout': 'first\n' * 100 + 'last line\n', 'stderr': 'to stderr\n'}
TIMED_OUT = {'name': 'halyard / tools', 'result': 'TIMEOUT', 'returncode': -15, 'duration': 30,
             'stdout': None}
SKIPPED = {'name': 'halyard:peers / compare_ops', 'result': 'SKIP', 'returncode': 77, 'duration': 0,
           'stdout': ''}
LINES = '-Dwerror=true -Ddebug=false -Dc_args=-g1'
BUILDS = ['build', 'build-clang', 'build-tsan', 'build-arm64']


class Check(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        shutil.copy(os.path.join(ROOT, 'check'), self.folder)
        shutil.copytree(os.path.join(ROOT, 'scripts'), os.path.join(self.folder, 'scripts'))
        for name, text in (('dpkg-query', DPKG_QUERY), ('ninja', NINJA), ('meson', MESON)):
            path = self.write(os.path.join('bin', name), '#!/bin/sh\n' + text)
            os.chmod(path, 0o755)
        self.write('scripts/arm64_root.sh', '#!/bin/sh\n' + ARM64_ROOT)
        self.write('targets', json.dumps([{'id': name, 'filename': [f'FOLDER/{name}']}
                                          for name in ('test_fence', 'test_tools', 'benchmark')]))
        self.write('known', json.dumps([{'name': 'fence', 'depends': ['test_fence']},
                                        {'name': 'tools', 'depends': ['test_tools']}]))
        for build in BUILDS:
            self.write_results(build, PASSED)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return file.read()

    def write_results(self, build, *results):
        self.write(f'results-{build}', ''.join(json.dumps(result) + '\n' for result in results))

    def check(self, *arguments):
        """The lines that it printed and its exit status."""
        path = os.path.join(self.folder, 'bin') + os.pathsep + os.environ['PATH']
        run = subprocess.run(['sh', './check', *arguments], cwd=self.folder, text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env=dict(os.environ, PATH=path, CC='cc'))
        return run.stdout.splitlines(), run.returncode

    def shell(self, commands):
        """What the commands print that have scripts/common.sh, and their exit status."""
        for name, text in (('sleep', SLEEP), ('apt-get', APT_GET), ('dpkg-query', ''),
                           ('sudo', 'exec "$@"\n')):
            os.chmod(self.write(os.path.join('bin', name), '#!/bin/sh\n' + text), 0o755)
        path = os.path.join(self.folder, 'bin') + os.pathsep + os.environ['PATH']
        run = subprocess.run(['sh', '-euc', '. scripts/common.sh\n' + commands], cwd=self.folder,
                             text=True, check=False, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=dict(os.environ, PATH=path))
        return run.stdout.splitlines(), run.returncode

    def test_minutes_of_each_step_come_before_the_counts(self):
        lines, status = self.check()
        self.assertEqual(status, 0)
        self.assertEqual(lines[-3:], ['build: 0.0 minutes (setup 0.0, compile 0.0, tests 0.0)',
                                      'together: 0.0 minutes', '1 passed, 0 failed, 0 skipped'])

    def test_one_build_without_results_and_without_a_reason_is_a_failure(self):
        os.remove(os.path.join(self.folder, 'results-build-clang'))
        lines, status = self.check('--all')
        self.assertEqual(lines[-1], 'failed: build-clang test')
        self.assertEqual(status, 1)

    def test_missing_packages_wait_for_another_program_that_has_the_lock(self):
        self.write('refusals', f'{LOCKED}\n' * 5)
        lines, status = self.shell('need_packages meson')
        self.assertEqual(lines, ['installing meson', "waiting for another program that has apt's lock"])
        self.assertEqual(status, 0)
        commands = self.read('apt').splitlines()
        self.assertEqual(len(commands), 7)
        self.assertTrue(all('DPkg::Lock::Timeout=600' in command for command in commands))
        self.assertRegex(commands[-1], 'install .*meson')

    def test_lock_that_is_never_given_back_is_a_failure(self):
        self.write('refusals', f'{LOCKED}\n' * 1000)
        lines, status = self.shell('need_packages meson')
        self.assertEqual(lines[-1], LOCKED)
        self.assertNotEqual(status, 0)

    def test_failed_update_is_repeated(self):
        self.write('refusals', 'E: Failed to fetch\n' * 2)
        lines, status = self.shell('need_packages meson')
        self.assertEqual(lines, ['installing meson'] + ['apt-get update failed; once more in 5 s'] * 2)
        self.assertEqual(status, 0)

    def test_packages_that_do_not_come_are_a_failure_in_the_words_of_apt(self):
        self.write('refusals', 'E: Failed to fetch\n' * 3)
        lines, status = self.shell('need_packages meson')
        self.assertEqual(lines[-1], 'E: Failed to fetch')
        self.assertNotEqual(status, 0)

    def test_progress_of_compiling_is_a_line_a_minute(self):
        self.write('steps', '[1/9] Compiling a.c\n[7/9] Compiling b.c\nFAILED: b.o\n')
        lines, _ = self.shell('exec 3>&1; follow steps build')
        self.assertEqual(lines, ['build: compiling, [7/9] after 60 s',
                                 'build: compiling, [7/9] after 120 s'])

    def test_success_ends_with_the_counts(self):
        self.write_results('build', PASSED, SKIPPED, PASSED)
        lines, status = self.check()
        self.assertEqual(lines[-1], '2 passed, 0 failed, 1 skipped')
        self.assertEqual(status, 0)

    def test_all_builds_are_set_up_with_their_compilers_and_counted(self):
        lines, status = self.check('--all')
        self.assertEqual(lines[-1], '4 passed, 0 failed, 0 skipped')
        self.assertEqual(status, 0)
        self.assertEqual(self.read('setups').splitlines(), [
            f'cc setup build {LINES}',
            f'clang setup build-clang {LINES} -Db_sanitize=address,undefined -Db_lundef=false',
            f'cc setup build-tsan {LINES} -Db_sanitize=thread -Db_lundef=false -Doptimization=1',
            'cc setup build-arm64 -Dwerror=true --cross-file build-arm64-root/cross.ini'])

    def test_compilers_compile_all_and_thread_sanitizer_what_its_tests_need(self):
        self.check('--all')
        self.assertEqual(self.read('compiled').splitlines()[:3], [
            '-C build -k 0 all', '-C build-clang -k 0 all',
            '-C build-tsan -k 0 test_fence'])

    def test_without_a_list_of_what_they_need_they_compile_all(self):
        self.write('targets', 'no list')
        lines, status = self.check('--all')
        self.assertEqual(lines[-1], '4 passed, 0 failed, 0 skipped')
        self.assertIn('-C build-tsan -k 0 all', self.read('compiled'))

    def test_failed_tests_are_named_last_after_what_they_printed(self):
        self.write_results('build-clang', PASSED, FAILED, TIMED_OUT)
        self.write('broken/test-build-clang', '2')
        lines, status = self.check('--all')
        self.assertEqual(lines[-3:], [
            '4 passed, 2 failed, 0 skipped',
            'failed: build-clang contract/contract_fenced (fail, status 1, 0.2 s)',
            'failed: build-clang tools (timeout, status -15, 30.0 s)'])
        self.assertEqual(status, 1)
        start = lines.index('--- build-clang contract/contract_fenced (fail, status 1, 0.2 s):'
                            ' the last lines')
        self.assertEqual(lines[start + 1:start + 62], ['to stderr'] + ['first'] * 59 + ['last line'])
        self.assertNotIn('nothing to see', lines)

    def test_build_that_does_not_compile_is_a_failure_and_the_others_go_on(self):
        self.write('broken/compile-build', '[1/9] Compiling a.c\nFAILED: runtime/burst.o\n'
                   'error: no such thing\n[2/9] Compiling c.c\n')
        lines, status = self.check('--all')
        self.assertEqual(lines[-2:], ['3 passed, 1 failed, 0 skipped', 'failed: build compile'])
        self.assertEqual(lines[-5:-2], ['--- build compile: the last lines',
                                        'FAILED: runtime/burst.o', 'error: no such thing'])
        self.assertEqual(status, 1)
        self.assertNotIn('-C build --', self.read('tests'))

    def test_build_that_cannot_be_set_up_is_a_failure(self):
        self.write('broken/setup-build-clang', 'no such compiler\n')
        lines, status = self.check('--all')
        self.assertEqual(lines[-3:], ['no such compiler', '3 passed, 1 failed, 0 skipped',
                                      'failed: build-clang setup'])
        self.assertEqual(status, 1)

    def test_packages_for_arm64_that_do_not_come_are_a_failure(self):
        self.write('broken/root', 'no such package\n')
        lines, status = self.check('--all')
        self.assertEqual(lines[-3:], ['no such package', '3 passed, 1 failed, 0 skipped',
                                      'failed: build-arm64 root'])
        self.assertEqual(status, 1)

    def test_arm64_is_tested_on_processors_with_ever_more(self):
        self.check('--all')
        runs = [line.split() for line in self.read('tests').splitlines() if 'build-arm64' in line]
        self.assertEqual({run[run.index('--logbase') + 1] for run in runs},
                         {'testlog-cortex-a72', 'testlog-neoverse-n1', 'testlog-max'})

    def test_test_run_that_breaks_off_is_a_failure(self):
        self.write('broken/test-build', '125')
        lines, status = self.check()
        self.assertEqual(lines[-3:], ['meson test: status 125', '1 passed, 1 failed, 0 skipped',
                                      'failed: build test'])
        self.assertEqual(status, 1)

    def test_results_of_an_earlier_run_do_not_count(self):
        self.check()
        os.remove(os.path.join(self.folder, 'results-build'))
        lines, status = self.check()
        self.assertEqual(lines[-2:], ['0 passed, 1 failed, 0 skipped', 'failed: build test'])
        self.assertEqual(status, 1)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
