#!/usr/bin/env python3
"""What `meson install` gives: the files, the library's names and what it asks for.

    test_install.py MESON BUILD_FOLDER PREFIX LIBDIR LIBEXECDIR DATADIR MANDIR SOURCES CC...
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MESON, BUILD, PREFIX, LIBDIR, LIBEXECDIR, DATADIR, MANDIR, SOURCES = sys.argv[1:9]
CC = sys.argv[9:]

FILES = [
    'include/android/NeuralNetworks.h',
    'include/android/NeuralNetworksOEM.h',
    'include/android/NeuralNetworksOperations.h',
    'include/android/NeuralNetworksSupportLibraryImpl.h',
    'include/android/NeuralNetworksTypes.h',
    'include/android/hardware_buffer.h',
    'include/android/rect.h',
    'include/halyard/driver.h',
    'include/halyard/halyard.h',
    'include/halyard/operations.h',
    'include/halyard/session.h',
    'include/halyard/session.hpp',
    'bin/halyard',
    f'{LIBDIR}/libhalyard.so.0',
    f'{LIBDIR}/libneuralnetworks.so.1',
    f'{LIBEXECDIR}/halyard/halyard-driverd',
    'sbin/halyard-driverd',
    f'{LIBDIR}/pkgconfig/halyard.pc',
    f'{LIBDIR}/pkgconfig/halyard-driver-kit.pc',
    f'{LIBDIR}/pkgconfig/neuralnetworks.pc',
    f'{LIBDIR}/halyard/examples/libhalyard_sample.so',
    f'{LIBDIR}/halyard/examples/sample_driver.json',
    f'{LIBDIR}/halyard/examples/sample_quantised.json',
    f'{DATADIR}/doc/halyard/README.md',
    f'{DATADIR}/bash-completion/completions/halyard',
    f'{DATADIR}/bash-completion/completions/halyard-driverd',
    f'{DATADIR}/zsh/site-functions/_halyard',
    f'{DATADIR}/zsh/site-functions/_halyard-driverd',
    f'{DATADIR}/fish/vendor_completions.d/halyard.fish',
    f'{DATADIR}/fish/vendor_completions.d/halyard-driverd.fish',
    f'{DATADIR}/doc/halyard/docs/manifest.md',
    f'{DATADIR}/doc/halyard/examples/hello.c',
    f'{DATADIR}/doc/halyard/examples/digits/digits.tflite',
    f'{MANDIR}/man1/halyard.1',
    f'{MANDIR}/man8/halyard-driverd.8',
    'lib/systemd/system/halyard-driverd@.service',
    'lib/systemd/system/halyard-driverd@.socket',
]

# Function names of the API that are exported, with the version node of each group.
API_COUNT = 75
SUPPORT_LIBRARY = 'ANeuralNetworks_getSLDriverImpl'
NODES = [
    (re.compile(f'{SUPPORT_LIBRARY}$'), {'LIBNEURALNETWORKS_SL'}),
    (re.compile(r'ANeuralNetworks'), {'LIBNEURALNETWORKS', 'LIBNEURALNETWORKS_PLATFORM'}),
    (re.compile(r'(halyard|AHardwareBuffer)_'), {'HALYARD_0.1'}),
]

# The loader and libc, and the three libraries that the runtime is built on.
NEEDED = re.compile(r'(libc|libm|libdl|libpthread|ld-linux[-\w]*|libjansson|libsodium|libxxhash|libsqlite3)\.so')


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def install(folder, *options):
    subprocess.run([MESON, 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', folder,
                    *options], check=True, stdout=subprocess.DEVNULL)
    return folder + PREFIX


def exported(library):
    """(name, version node) of each."""
    for line in output_of('nm', '-D', '--defined-only', '--with-symbol-versions', library).splitlines():
        kind, name = line.split()[-2:]
        if kind != 'A':  # the nodes themselves
            name, _, node = name.partition('@')
            yield name, node.lstrip('@')


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = install(cls.folder.name)
        cls.libdir = os.path.join(cls.root, LIBDIR)
        cls.library = os.path.join(cls.libdir, 'libneuralnetworks.so')

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_files_are_there(self):
        for file in FILES:
            with self.subTest(file):
                self.assertTrue(os.path.isfile(os.path.join(self.root, file)))

    def test_bare_library_name_is_part_of_the_runtime(self):
        """Clients dlopen the bare name, so it may not come with the development files alone."""
        with tempfile.TemporaryDirectory() as folder:
            alias = os.path.join(install(folder, '--tags', 'runtime'), LIBDIR,
                                 'libneuralnetworks.so')
            self.assertTrue(os.path.lexists(alias))
            self.assertEqual(os.path.basename(os.path.realpath(alias)), 'libneuralnetworks.so.1')

    def test_manifests_name_a_plugin_that_is_installed(self):
        for manifest in glob.glob(os.path.join(self.root, DATADIR, 'halyard/*/*.json')):
            with self.subTest(manifest), open(manifest) as file:
                name = re.search(r'"library_path": "([^"/]+)"', file.read()).group(1)
                self.assertTrue(os.path.isfile(os.path.join(self.libdir, 'halyard/drivers', name)))

    def test_runtime_part_brings_drivers_with_their_manifests_and_no_example(self):
        with tempfile.TemporaryDirectory() as folder:
            root = install(folder, '--tags', 'runtime')
            manifests = glob.glob(os.path.join(root, DATADIR, 'halyard/drivers.d/*.json'))
            plugins = glob.glob(os.path.join(root, LIBDIR, 'halyard/drivers/*.so'))
            self.assertEqual(len(manifests), len(plugins))
            self.assertFalse(os.path.exists(os.path.join(root, LIBDIR, 'halyard/examples')))
            self.assertFalse(os.path.exists(os.path.join(root, 'include')))
            self.assertTrue(os.path.exists(os.path.join(root, 'bin/halyard')))

    def devices(self, **environment):
        """What the installed tool says of the devices, with no variable set but these."""
        path = os.path.join(self.root, 'bin/halyard')
        run = subprocess.run([path, 'devices', '--json'], check=True, capture_output=True, text=True,
                             env=dict(environment, HOME='/dev/null', HALYARD_STATE_DIR='/dev/null/none'))
        return json.loads(run.stdout)

    def test_installed_tool_starts_in_any_folder_with_no_variable_set(self):
        names = [device['name'] for device in self.devices()['devices']]
        self.assertEqual(names[-2:], ['halyard-cpu', 'nnapi-reference'])

    def test_tool_looks_for_drivers_in_its_prefix(self):
        folders = [folder['path'] for folder in self.devices()['directories']]
        self.assertIn(os.path.join(PREFIX, DATADIR, 'halyard/drivers.d'), folders)

    def complete(self, *words, program='bin/halyard'):
        """What bash offers for the last of the words."""
        name = os.path.basename(program)
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "$0"; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        path = os.path.join(self.root, DATADIR, 'bash-completion/completions', name)
        run = subprocess.run(['bash', '-c', script, '_' + name.replace('-', '_'), path,
                              os.path.join(self.root, program), *words],
                             check=True, capture_output=True, text=True)
        return run.stdout.split()

    @unittest.skipUnless(shutil.which('bash'), 'no bash')
    def test_bash_completes_commands_options_and_devices(self):
        self.assertEqual(self.complete('be'), ['bench'])
        self.assertEqual(self.complete('run', '--output'), ['--output-dir'])
        self.assertEqual(self.complete('run', '--device', 'halyard-c'), ['halyard-cpu'])
        self.assertEqual(self.complete('cache', 'v'), ['verify'])

    @unittest.skipUnless(shutil.which('bash'), 'no bash')
    def test_bash_completes_options_and_manifests_of_the_host_program(self):
        program = 'libexec/halyard/halyard-driverd'
        self.assertEqual(self.complete('--idle', program=program), ['--idle-seconds'])
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, 'acme.json'), 'w').close()
            os.environ['HALYARD_DRIVER_FILES'] = folder
            self.addCleanup(os.environ.pop, 'HALYARD_DRIVER_FILES')
            self.assertEqual(self.complete('ac', program=program), ['acme'])

    def test_sample_devices_take_no_part_unless_asked_for(self):
        examples = os.path.join(self.libdir, 'halyard/examples')
        names = [device['name'] for device in self.devices()['devices']]
        self.assertEqual([name for name in names if 'sample' in name], [])
        named = self.devices(HALYARD_ADD_DRIVER_FILES=examples)
        self.assertEqual(named['refused'], [])
        names = [device['name'] for device in named['devices']]
        self.assertGreater(len([name for name in names if 'sample' in name]), 5)

    @unittest.skipUnless(shutil.which('pkg-config'), 'no pkg-config')
    def test_pkg_config_names_the_folders_of_drivers_and_of_manifests(self):
        for variable, folder in (('driverdir', f'{LIBDIR}/halyard/drivers'),
                                 ('manifestdir', f'{DATADIR}/halyard/drivers.d')):
            with self.subTest(variable):
                said = self.pkg_config(f'--variable={variable}', 'neuralnetworks')
                self.assertTrue(said[0].endswith(os.path.join(PREFIX, folder)))

    def test_only_our_names_are_exported_under_their_nodes(self):
        names = list(exported(self.library))
        self.assertEqual(sum(name.startswith('ANeuralNetworks') and name != SUPPORT_LIBRARY
                             for name, _ in names), API_COUNT)
        self.assertIn(SUPPORT_LIBRARY, [name for name, _ in names])
        for name, node in names:
            with self.subTest(name):
                nodes = next((nodes for pattern, nodes in NODES if pattern.match(name)), set())
                self.assertIn(node, nodes)

    def test_library_of_sessions_exports_its_header_under_one_node(self):
        with open(os.path.join(self.root, 'include/halyard/session.h')) as header:
            text = re.sub(r'/\*.*?\*/', '', header.read(), flags=re.S)
        declared = set(re.findall(r'\b(halyard_(?:network|session)_\w+)\(', text))
        names = dict(exported(os.path.join(self.libdir, 'libhalyard.so.0')))
        self.assertGreater(len(names), 30)
        self.assertEqual(set(names.values()), {'HALYARD_0'})
        self.assertEqual(set(names) - declared, set())

    def test_library_of_sessions_needs_the_runtime(self):
        needed = re.findall(r'\(NEEDED\).*\[(.+)\]',
                            output_of('readelf', '-d', os.path.join(self.libdir, 'libhalyard.so.0')))
        self.assertIn('libneuralnetworks.so.1', needed)

    def pkg_config(self, *arguments):
        environment = dict(os.environ, PKG_CONFIG_LIBDIR=os.path.join(self.libdir, 'pkgconfig'),
                           PKG_CONFIG_SYSROOT_DIR=self.folder.name)
        return subprocess.run(['pkg-config', *arguments], check=True, env=environment,
                              capture_output=True, text=True).stdout.split()

    def test_whole_driver_kit_is_installed(self):
        def files(folder):
            return sorted(name for name in os.listdir(folder) if name.endswith(('.c', '.h')))
        self.assertEqual(files(os.path.join(self.root, DATADIR, 'halyard/driver_kit')),
                         files(os.path.join(SOURCES, 'driver_kit')))

    @unittest.skipUnless(shutil.which('pkg-config'), 'no pkg-config')
    def test_driver_is_built_with_the_installed_kit(self):
        kit, = self.pkg_config('--variable=sourcedir', 'halyard-driver-kit')
        if not os.path.exists(kit):  # some versions leave the system root out of variables
            kit = self.folder.name + kit
        sources = glob.glob(os.path.join(kit, '*.c')) + \
            glob.glob(os.path.join(SOURCES, 'sample_driver/*.c'))
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, 'driver.so')
            subprocess.run([*CC, '-shared', '-fPIC', '-fvisibility=hidden', '-Wall', '-Wextra',
                            '-Werror', '-DSAMPLE_VERSION="1"', *sources, '-o', library,
                            *self.pkg_config('--cflags', '--libs', 'halyard-driver-kit')], check=True)
            self.assertEqual([name for name, _ in exported(library)], ['hy_driver_query'])

    def build(self, compiler, source, program, package):
        """Builds a program as an app of the installed library is built."""
        subprocess.run([*compiler, '-Wall', '-Wextra', '-Werror', source,
                        *self.pkg_config('--cflags', '--libs', package), '-o', program], check=True)

    @unittest.skipUnless(shutil.which('pkg-config'), 'no pkg-config')
    def test_examples_are_built_with_pkg_config_and_run(self):
        examples = os.path.join(self.root, DATADIR, 'doc/halyard/examples')
        cpp_compilers = [path for path in map(shutil.which, ('g++', 'clang++')) if path]
        for cpp in cpp_compilers or [None]:
            with tempfile.TemporaryDirectory() as folder, self.subTest(cpp):
                for file, package in (('hello.c', 'neuralnetworks'), ('classify.c', 'neuralnetworks'),
                                      ('session.c', 'halyard'), ('from_cpp.cpp', 'halyard')):
                    name, extension = os.path.splitext(file)
                    compiler = [*CC, '-std=c17'] if extension == '.c' else [cpp, '-std=c++17']
                    if compiler[0]:
                        self.build(compiler, os.path.join(examples, file),
                                   os.path.join(folder, name), package)
                subprocess.run([sys.executable, os.path.join(SOURCES, 'tests/install/test_examples.py'),
                                folder, SOURCES], check=True,
                               env=dict(os.environ, LD_LIBRARY_PATH=self.libdir))

    def test_functions_of_hardware_buffers_are_those_of_their_header(self):
        with open(os.path.join(self.root, 'include/android/hardware_buffer.h')) as header:
            declared = re.findall(r'^(?:int|void) (AHardwareBuffer_\w+)\(', header.read(), re.M)
        self.assertGreater(len(declared), 10)
        names = [name for name, _ in exported(self.library) if name.startswith('AHardwareBuffer_')]
        self.assertEqual(sorted(declared), sorted(names))

    def test_plugins_export_one_symbol(self):
        plugins = glob.glob(os.path.join(self.libdir, 'halyard/drivers/*.so'))
        self.assertGreater(len(plugins), 0)
        for plugin in plugins:
            with self.subTest(plugin):
                self.assertEqual([name for name, _ in exported(plugin)], ['hy_driver_query'])

    def test_dlopen_of_the_bare_name_finds_every_function(self):
        names = [name for name, _ in exported(self.library)]
        code = ('import ctypes, sys\n'
                'library = ctypes.CDLL("libneuralnetworks.so")\n'
                '[getattr(library, name) for name in sys.argv[1:]]\n')
        environment = dict(os.environ, LD_LIBRARY_PATH=self.libdir)
        subprocess.run([sys.executable, '-c', code, *names], check=True, env=environment)

    def test_support_library_holds_its_own_functions(self):
        """Nothing that another library of the process exports may take the place of ours."""
        relocations = output_of('readelf', '-rW', self.library)
        self.assertNotIn('ANeuralNetworks', relocations)

    def test_support_library_has_level_8(self):
        code = ('import ctypes\n'
                'get = ctypes.CDLL("libneuralnetworks.so.1").ANeuralNetworks_getSLDriverImpl\n'
                'get.restype = ctypes.POINTER(ctypes.c_int64)\n'
                'print(get()[0])\n')
        environment = dict(os.environ, LD_LIBRARY_PATH=self.libdir)
        level = subprocess.run([sys.executable, '-c', code], check=True, env=environment,
                               capture_output=True, text=True).stdout
        self.assertEqual(level.strip(), '1000008')

    def test_library_needs_nothing_unexpected(self):
        needed = re.findall(r'\(NEEDED\).*\[(.+)\]', output_of('readelf', '-d', self.library))
        self.assertTrue(needed)
        for name in needed:
            with self.subTest(name):
                self.assertRegex(name, NEEDED)

    def test_library_stays_loaded_and_has_its_soname(self):
        dynamic = output_of('readelf', '-d', self.library)
        self.assertIn('[libneuralnetworks.so.1]', dynamic)
        self.assertIn('NODELETE', dynamic)

    def unit(self):
        with open(os.path.join(self.root, 'lib/systemd/system/halyard-driverd@.service')) as file:
            return file.read()

    def test_unit_limits_memory_and_tasks_and_is_killed_first(self):
        for key in ['MemoryMax', 'MemorySwapMax', 'TasksMax', 'OOMScoreAdjust', 'OOMPolicy']:
            with self.subTest(key):
                self.assertRegex(self.unit(), f'(?m)^{key}=.')

    def test_unit_serves_the_manifest_of_its_name(self):
        program = os.path.join(PREFIX, 'libexec/halyard/halyard-driverd')
        self.assertRegex(self.unit(), f'(?m)^ExecStart={program} %i$')

    @unittest.skipUnless(shutil.which('systemd-analyze'), 'no systemd-analyze')
    def test_unit_has_no_line_that_systemd_does_not_know(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'halyard-driverd@x.service')
            with open(path, 'w') as file:
                file.write(re.sub(r'(?m)^ExecStart=\S+', 'ExecStart=/bin/true', self.unit()))
            shutil.copy(os.path.join(self.root, 'lib/systemd/system/halyard-driverd@.socket'),
                        os.path.join(folder, 'halyard-driverd@x.socket'))
            said = subprocess.run(['systemd-analyze', 'verify', '--man=no', path],
                                  capture_output=True, text=True).stderr
            self.assertEqual([line for line in said.splitlines() if folder in line], [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
