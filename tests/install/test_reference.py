#!/usr/bin/env python3
"""The reference of the public headers: every public name has a comment, and doxygen finds nothing to warn of.

    test_reference.py SOURCE_FOLDER [DOXYGEN]

Without doxygen the rules of docs/reference/filter.py alone are tested, and the exit status is 77.
"""
import glob
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv[1])
DOXYGEN = sys.argv[2] if len(sys.argv) > 2 else ''
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'docs', 'reference'))
import filter as comments  # noqa: E402

HEADERS = sorted(glob.glob(os.path.join(ROOT, 'include', '*', '*.h*')))


def filtered(text, name='halyard/sample.h'):
    """What doxygen reads of a header with the text behind its first comment."""
    return comments.Filter('/*\n * A header.\n */\n' + text + '\n\n#endif\n', name).output()


class Rules(unittest.TestCase):
    def test_comments_above_and_behind(self):
        text = filtered('/* Adds.\n * Twice. */\nint add(void);\nint b; /* a sum */\n')
        self.assertIn('/** Adds.\nTwice. */\nint add(void);\n', text)
        self.assertIn('int b; /**< a sum */', text)
        self.assertIn('struct s; /* of t */', filtered('struct s; /* of t */\n'))

    def test_a_comment_holds_until_a_blank_line(self):
        text = filtered('struct s {\n    /* Rows */\n    int a;\n    int b;\n\n    int c;\n};')
        self.assertIn('/** Rows */\n    int a;\n    /** Rows */ int b;\n\n    int c;', text)

    def test_members_and_functions_that_need_no_comment(self):
        text = filtered('struct s {\n    uint32_t struct_size;\n    int (*ANeuralNetworksModel_create)(int a);\n};')
        self.assertIn('in bytes. */ uint32_t struct_size', text)
        self.assertIn('/** As @ref ANeuralNetworksModel_create "ANeuralNetworksModel_create". */ int (*', text)

    def test_members_of_classes_are_those_of_c(self):
        text = filtered('class Session\n{\n  public:\n    void run()\n    {\n    }\n    TensorInfo input_info() const\n'
                        '    {\n    }\n\n  private:\n    int wait;\n};')
        self.assertIn('/** As @ref halyard_session_run "halyard_session_run". */ void run()', text)
        self.assertIn('@ref halyard_session_get_input ', text)
        self.assertIn('    int wait;', text)

    def test_titles_are_groups(self):
        text = filtered('/* ---- The cache ---- */\n\n/* Of all. */\n\n/* One. */\nint one;\n')
        self.assertRegex(text, r'@defgroup halyard_sample_h_the_cache The cache .*@ingroup halyard_sample_h ')
        self.assertRegex(text, r'@addtogroup halyard_sample_h_the_cache .*Of all\.')
        self.assertEqual(text.count('@{'), text.count('@}'))

    def test_a_title_of_lines(self):
        text = filtered('/* Kinds. Two. */\n#define A 1 /* a */\n#define B 2 /* b */\n\nint c;\n')
        self.assertRegex(text, r'@name Kinds .*Two\..*\n#define A 1 /\*\*< a \*/\n#define B 2 /\*\*< b \*/\n'
                               r'/\*\* @} \*/ \n')

    def test_rows_are_parameters(self):
        text = filtered('/*\n * Opens.\n *   path  where, and\n *         why\n *   mode  how\n'
                        ' * BAD_DATA: wrong.\n */\nint open(int path, int mode);')
        self.assertIn('\nOpens.\n<p>BAD_DATA: wrong.\n\n@param path where, and\n why\n@param mode how */\nint',
                      text)

    def test_text_is_no_markup(self):
        text = filtered('/* `a` < b @ #3 hy_host.map of HY_POOL_* and docs/cache.md */\nint b;')
        self.assertIn('<code>a</code> \\< b \\@ \\#3 @ref hy_host::map "hy_host.map" of HY_POOL_* and '
                      '<a href="../docs/cache.md">docs/cache.md</a>', text)

    def test_code_and_bodies_stay(self):
        text = filtered('/* Zero. */\nstatic inline int f(int a)\n{\n    /* why */\n    return a; /* here */\n}\n')
        self.assertIn('\n{\n    /* why */\n    return a; /* here */\n}\n', text)

    def test_every_header_keeps_its_lines_and_code(self):
        for path in HEADERS:
            text = comments.read(path)
            made = comments.Filter(text, os.path.relpath(path, ROOT)).output()
            self.assertEqual(text.count('\n'), made.count('\n'), path)
            bare = [re.sub(r'/\*.*?\*/|\s', '', header, flags=re.S) for header in (text, made)]
            self.assertEqual(bare[0], bare[1], path)

    def test_every_enumerator_has_a_comment(self):
        for path in HEADERS:
            header = comments.Filter(comments.read(path), os.path.relpath(path, ROOT))
            header.output()
            self.assertEqual(header.missing, [], path)


def build(sources, folder):
    """Runs doxygen on a tree of sources, with pages in the folder."""
    settings = comments.read(os.path.join(ROOT, 'docs', 'reference', 'Doxyfile.in'))
    for name, value in ('VERSION', '0'), ('SOURCE', sources), ('PYTHON', sys.executable):
        settings = settings.replace(f'@{name}@', value)
    return subprocess.run([DOXYGEN, '-'], input=settings, capture_output=True, text=True,
                          env=dict(os.environ, REFERENCE_DIR=folder))


def page(path):
    text = re.sub(r'<(script|style)\b.*?</\1>|<[^>]*>', ' ', comments.read(path), flags=re.S)
    return ' '.join(html.unescape(text).split())


def letters(text):
    return re.sub(r'[^a-z0-9]', '', text.lower())


@unittest.skipUnless(DOXYGEN, 'no doxygen')
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.done = build(ROOT, cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def page(self, name):
        return page(os.path.join(self.folder, name + '.html'))

    def test_doxygen_warns_of_nothing(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ''))

    def test_main_page_leads_to_every_header(self):
        text = self.page('index')
        for path in HEADERS:
            self.assertIn(os.path.relpath(path, os.path.join(ROOT, 'include')), text)

    def test_text_stands_under_its_name(self):
        models = self.page('group__android__neuralnetworks__h__models').partition('Function Documentation')[2]
        self.assertRegex(models, r'◆ ANeuralNetworksModel_addOperand\(\)[^◆]* Add an operand\. [^◆]*'
                                 r'Its index is the number of operands added before\. BAD_DATA: type is not known')
        info = self.page('structhalyard__device__info')
        self.assertIn('uint32_t burst_depth The number of requests in one queue of a burst; 0: the device has', info)
        self.assertIn('HALYARD_DEVICE_SERVICE only, else 0 and ""', info)
        sessions = self.page('group__halyard__session__h__sessions').partition('Function Documentation')[2]
        self.assertRegex(sessions, r'◆ halyard_session_run\(\)[^◆]*Runs once, on the calling thread\.')
        device = self.page('structhy__device')
        self.assertRegex(device, r'◆ burst_open[^◆]*Opens a burst\.[^◆]*Optional: group burst')
        session = self.page('classhalyard_1_1Session')
        self.assertRegex(session, r'◆ wait\(\)[^◆]*As halyard_session_wait')

    def test_no_text_is_lost(self):
        """Each sentence of C that the filter gives to doxygen is in a page. C++ has private parts."""
        pages = '|'.join(letters(page(path)) for path in glob.glob(os.path.join(self.folder, '*.html')))
        for path in filter(lambda path: path.endswith('.h'), HEADERS):
            text = comments.read(path)
            made = comments.Filter(text, os.path.relpath(path, ROOT)).output()
            for comment in set(re.findall(r'/\*.*?\*/', text, re.S)) - set(re.findall(r'/\*.*?\*/', made, re.S)):
                lines = re.sub(r'\n +\* ?', '\n', comment).split('\n')
                prose = ' '.join('.' if line.startswith('    ') or comments.ROW.match(line) or
                                 comments.TAG.fullmatch(line.strip(' /*')) else line for line in lines)
                for sentence in re.split(r'(?<=[.:]) ', prose):
                    self.assertIn(letters(sentence), pages, f'{path}: {sentence}')

    def test_a_name_without_a_comment_is_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(ROOT, 'include'), os.path.join(folder, 'include'))
            shutil.copytree(os.path.join(ROOT, 'docs', 'reference'), os.path.join(folder, 'docs', 'reference'))
            with open(os.path.join(folder, 'include', 'android', 'rect.h'), 'a', encoding='utf-8') as header:
                header.write('\nint bare_function(void);\nstruct bare {\n    int bare_member;\n};\n'
                             '#define BARE 1\n')
            done = build(folder, os.path.join(folder, 'pages'))
        self.assertNotEqual(done.returncode, 0)
        for name in 'bare_function', 'bare', 'bare_member', 'BARE':
            self.assertRegex(done.stderr, rf'rect\.h:\d+: \w+: \w+ {name}\b.* is not documented')


if __name__ == '__main__':
    tests = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(1 if not tests.wasSuccessful() else 0 if DOXYGEN else 77)
