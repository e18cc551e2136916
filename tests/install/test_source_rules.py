#!/usr/bin/env python3
"""Rules of the house that no compiler checks: which folder may include what, and that pages are found.

    test_source_rules.py SOURCE_FOLDER
"""
import os
import re
import sys
import unittest

ROOT = sys.argv[1]

# Folders of ours that each folder may include from, beside itself and the public headers.
MAY_USE = {
    'include': set(),
    'driver_kit': set(),
    'common': set(),
    'cpu_fallback': {'common', 'driver_kit'},
    'cache_store': {'common'},
    'plugins': {'common'},
    'hardware_buffer': {'common'},
    'runtime': {'common', 'cpu_fallback', 'cache_store', 'plugins', 'hardware_buffer'},
    'driverd': {'common', 'cpu_fallback', 'plugins', 'runtime'},
    'sample_driver': {'driver_kit'},
    'xnnpack_driver': {'driver_kit'},
    'libhalyard': {'common'},
    'tools': {'common'},
    'examples': set(),
    'bench': {'common', 'cache_store', 'cpu_fallback', 'libhalyard', 'plugins', 'tools'},
}
PUBLIC = {'android', 'halyard'}

# Folders inside of a folder: those beside it that each may include from. The files that lie in the
# outer folder itself are for all of them, and may use all of them.
INSIDE = {
    'common': {
        'image': 'operations',
        'inference': 'image operations',
        'memory': '',
        'model': 'memory operations',
        'operations': '',
    },
    'cpu_fallback': {
        'buffers': 'kernels program run',
        'cache': 'kernels program',
        'kernels': '',
        'ops': 'buffers kernels program',
        'program': 'buffers cache kernels ops run',
        'run': 'buffers kernels program tuning',
        'tuning': 'cache kernels program',
    },
    'cache_store': {
        'digest': 'records',
        'directory': '',
        'records': 'digest',
    },
    'plugins': {
        'discovery': '',
        'service': 'discovery',
        'support_library': 'discovery',
    },
    'plugins/service': {
        'client': 'process queue wire',
        'process': '',
        'queue': 'wire',
        'server': 'queue wire',
        'wire': '',
    },
    'runtime': {
        'api': 'cache compile device drivers event execute extension handle memory '
               'memory_domain model plan profile report support_library threads',
        'cache': 'device extension profile threads',
        'compile': 'cache control_flow execute extension memory model plan',
        'control_flow': 'drivers execute plan',
        'device': '',
        'drivers': 'cache device extension memory profile threads',
        'event': 'execute threads',
        'execute': 'compile device extension memory model plan threads',
        'extension': '',
        'handle': 'drivers',
        'memory': 'device extension',
        'memory_domain': 'compile extension memory',
        'model': 'device extension memory',
        'plan': 'cache device extension memory model profile',
        'profile': 'device extension',
        'report': 'compile extension plan',
        'support_library': 'compile device execute extension handle report',
        'threads': '',
    },
    'libhalyard': {
        'graph': '',
        'lower': 'graph',
        'preprocess': 'graph tflite',
        'session': 'graph lower preprocess tflite',
        'tflite': 'graph',
    },
    'tools': {
        'cache': '',
        'check_driver': 'vectors',
        'commands': 'cache check_driver profile vectors',
        'profile': '',
        'vectors': '',
    },
}

# Libraries that stay in their place: header, and the files that may include it.
KEPT_IN = [
    ('jansson.h', re.compile(r'.*_json\.[ch]$')),
    ('sodium.h', re.compile(r'cache_store/')),
    ('sqlite3.h', re.compile(r'cache_store/records/records_sql\.h$')),
    ('seccomp.h', re.compile(r'driverd/(seccomp_rules|partial_calls)\.[ch]$')),
    ('png.h', re.compile(r'libhalyard/preprocess/picture_png\.c$')),
    ('jpeglib.h', re.compile(r'libhalyard/preprocess/picture_jpeg\.c$')),
    ('zlib.h', re.compile(r'libhalyard/tflite/metadata/zip_archive\.c$')),
    ('xnnpack.h', re.compile(r'xnnpack_driver/')),
    ('dlfcn.h', re.compile(r'(plugins|bench)/|tools/check_driver/library\.c$')),
]

# Commands and measurements may look at their environment; the library reads it in one place, but
# for what it hands on.
HANDED_ON = 'plugins/service/process/launch_environment.c'
MAY_READ_ENVIRONMENT = re.compile(r'runtime/environment\.c$|tools/|bench/')

# Files of a folder that may call each other in a circle.
LONGEST_CIRCLE = 4

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
GETENV = re.compile(r'\b(?:secure_)?getenv\b')


def sources():
    """(folder, path from the root, text) of every source file of the product."""
    for folder in MAY_USE:
        for place, _, files in os.walk(os.path.join(ROOT, folder)):
            for file in files:
                if file.endswith(('.c', '.h', '.hpp', '.def', '.h.in', '.c.in')):
                    path = os.path.join(place, file)
                    with open(path, encoding='utf-8') as source:
                        yield folder, os.path.relpath(path, ROOT), source.read()


TEXT_OR_COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
FUNCTION = re.compile(r'^(?!static\b|typedef\b|struct \w+ \{)[A-Za-z_][\w \*]*?[\s\*](\w+)\([^;{}]*?\)\s*\{',
                      re.MULTILINE)
STATIC_FUNCTION = re.compile(r'^static\b[^;{}()=]*?[\s\*](\w+)\(', re.MULTILINE)
NAME = re.compile(r'(?<![\w.>])(?<!struct )(?<!enum )(\w+)\b')


def calls(folder):
    """{file: files of the same folder whose functions it names}. Functions of one name in several
    files, as sets of kernels have them, count for none."""
    texts = {path: TEXT_OR_COMMENT.sub(' ', text) for home, path, text in sources()
             if home == folder and path.endswith('.c')}
    homes = {}
    for path, text in texts.items():
        for name in FUNCTION.findall(text):
            homes.setdefault(name, set()).add(path)
    homes = {name: paths.pop() for name, paths in homes.items() if len(paths) == 1 and name != 'main'}
    graph = {}
    for path, text in texts.items():
        named = set(NAME.findall(text)) - set(STATIC_FUNCTION.findall(text))
        graph[path] = {homes[name] for name in named if name in homes} - {path}
    return graph


def circles(graph):
    """The strongly connected components of more than one file: in the order in which a walk leaves
    the files, what can still be reached against the arrows."""
    left, seen = [], set()
    for start in sorted(graph):
        stack = [(start, iter(sorted(graph[start])))] if start not in seen else []
        seen.add(start)
        while stack:
            path, rest = stack[-1]
            following = next((other for other in rest if other not in seen), None)
            if following is None:
                left.append(path)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(sorted(graph[following]))))
    callers = {path: {other for other in graph if path in graph[other]} for path in graph}
    found, seen = [], set()
    for start in reversed(left):
        component, stack = set(), [start]
        while stack:
            path = stack.pop()
            if path not in seen:
                seen.add(path)
                component.add(path)
                stack.extend(callers[path])
        if len(component) > 1:
            found.append(sorted(component))
    return found


def inner_folder(outer, path):
    """The folder of `outer` in which a file lies, at any depth; '' for one elsewhere, or in itself."""
    if not path.startswith(outer + '/'):
        return ''
    inner = path[len(outer) + 1:].split('/')
    return inner[0] if len(inner) > 1 else ''


class SourceRules(unittest.TestCase):
    def test_there_are_sources(self):
        self.assertGreater(sum(1 for _ in sources()), 100)

    def test_includes_go_up_the_table_of_folders(self):
        for folder, path, text in sources():
            for quote, name in INCLUDE.findall(text):
                first = name.split('/')[0]
                if quote == '<' or '/' not in name or first in PUBLIC:
                    continue
                # A first part that is no folder of the house is one inside the file's own.
                home = first if first in MAY_USE or first == 'tests' else folder
                with self.subTest(path, include=name):
                    self.assertNotEqual(first, '..')
                    self.assertIn(home, MAY_USE[folder] | {folder})

    def test_includes_inside_of_a_folder_follow_its_table(self):
        used = {}
        for _, path, text in sources():
            for outer, table in INSIDE.items():
                home = inner_folder(outer, path)
                if not home:
                    continue
                self.assertIn(home, table, f'{path}: no row in the table of {outer}/')
                for quote, name in INCLUDE.findall(text):
                    other = inner_folder(outer, name)
                    if quote == '<' or not other or other == home:
                        continue
                    with self.subTest(path, include=name):
                        self.assertIn(other, table[home].split())
                    used.setdefault((outer, home), set()).add(other)
        for outer, table in INSIDE.items():
            for home, allowed in table.items():
                with self.subTest(f'{outer}/{home}', nobody_includes=allowed):
                    self.assertEqual(set(allowed.split()) - used.get((outer, home), set()), set())

    def test_circles_of_calls_are_found(self):
        graph = {'a': {'b'}, 'b': {'c'}, 'c': {'a', 'd'}, 'd': {'e'}, 'e': set(), 'f': {'a'}}
        self.assertEqual(circles(graph), [['a', 'b', 'c']])

    def test_no_circle_of_calls_is_long(self):
        for folder in MAY_USE:
            for circle in circles(calls(folder)):
                with self.subTest(folder, circle=circle):
                    self.assertLessEqual(len(circle), LONGEST_CIRCLE)

    def test_files_that_pages_about_the_code_name_exist(self):
        for name, fewest in (('architecture', 60), ('adding-an-operation', 25)):
            with open(os.path.join(ROOT, 'docs', name + '.md'), encoding='utf-8') as page:
                paths = set(re.findall(r'`(\w+/[\w./]*)`', page.read()))
            self.assertGreater(len(paths), fewest)
            for path in paths:
                with self.subTest(path):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)))

    def test_lines_of_pages_are_short(self):
        """Rows of tables and lines of code cannot be wrapped."""
        for place, folders, names in os.walk(ROOT):
            folders[:] = [folder for folder in folders
                          if not folder.startswith(('.', 'build')) and folder != 'subprojects']
            for path in (os.path.join(place, name) for name in names if name.endswith('.md')):
                is_code = False
                with open(path, encoding='utf-8') as page:
                    for number, line in enumerate(page, 1):
                        is_code ^= line.lstrip().startswith('```')
                        if not is_code and not line.lstrip().startswith('|') and line[:4] != '    ':
                            with self.subTest(os.path.relpath(path, ROOT), line=number):
                                self.assertLessEqual(len(line.rstrip('\n')), 120)

    def test_every_page_is_in_an_index(self):
        for folder, fewest in (('docs', 35), ('docs/decisions', 10)):
            with open(os.path.join(ROOT, folder, 'README.md'), encoding='utf-8') as index:
                listed = set(re.findall(r'\]\(([\w-]+\.md)\)', index.read()))
            pages = {name for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith('.md')}
            self.assertGreater(len(pages), fewest)
            with self.subTest(folder):
                self.assertEqual(pages - listed - {'README.md'}, set())
                self.assertEqual(listed - pages, set())

    def test_every_variable_of_the_environment_is_documented(self):
        with open(os.path.join(ROOT, 'docs/environment.md'), encoding='utf-8') as page:
            documented = set(re.findall(r'`([A-Z_]+)`', page.read()))
        with open(os.path.join(ROOT, 'runtime/environment.c'), encoding='utf-8') as source:
            known = set(re.findall(r'\{"([A-Z_]+)"', source.read()))
        with open(os.path.join(ROOT, HANDED_ON), encoding='utf-8') as source:
            known |= set(re.findall(r'"(HALYARD_[A-Z_]+[A-Z])="', source.read()))
        self.assertGreater(len(known), 10)
        self.assertEqual(known - documented, set())
        self.assertEqual({name for name in documented if name.startswith('HALYARD_')} - known,
                         set())

    def test_libraries_stay_in_their_place(self):
        for _, path, text in sources():
            names = {name for _, name in INCLUDE.findall(text)}
            for header, place in KEPT_IN:
                if header in names:
                    with self.subTest(path, include=header):
                        self.assertRegex(path, place)

    def test_public_headers_include_libc_and_each_other_alone(self):
        for folder, path, text in sources():
            if folder != 'include':
                continue
            # Headers of the C++ library have no dot.
            allowed = (r'^(halyard/\w+\.h|[a-z_]+)$' if path.endswith('.hpp') else
                       r'^((android|halyard)/\w+|NeuralNetworks\w*|std\w+|string|sys/\w+)\.h$')
            for _, name in INCLUDE.findall(text):
                with self.subTest(path, include=name):
                    self.assertRegex(name, allowed)

    def test_header_for_cpp_has_every_function_option_and_type_of_sessions(self):
        with open(os.path.join(ROOT, 'include/halyard/session.h'), encoding='utf-8') as file:
            c_text = file.read()
        with open(os.path.join(ROOT, 'include/halyard/session.hpp'), encoding='utf-8') as file:
            cpp_text = TEXT_OR_COMMENT.sub(' ', file.read())
        code = TEXT_OR_COMMENT.sub(' ', c_text)
        functions = set(re.findall(r'\b(halyard_(?:network|session)_\w+)\(', code))
        constants = set(re.findall(r'\b(HALYARD_(?:TYPE|FIT|CHANNELS|LAYOUT)_\w+)\b', code))
        options, = re.findall(r'struct halyard_session_options \{(.*?)\};', code, re.S)
        members = set(re.findall(r'(\w+);', options))
        self.assertGreater(min(len(functions), len(constants), len(members)), 14)
        self.assertEqual({name for name in functions | constants if not re.search(rf'\b{name}\b', cpp_text)},
                         set())
        self.assertEqual({name for name in members if f'c_options.{name} =' not in cpp_text}, set())

    def test_environment_is_read_in_one_place(self):
        for _, path, text in sources():
            if GETENV.search(text):
                with self.subTest(path):
                    self.assertRegex(path, MAY_READ_ENVIRONMENT)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
