#!/usr/bin/env python3
"""Prints a public header with comments for doxygen: the INPUT_FILTER of the reference.

    filter.py HEADER

The headers have plain comments, above a declaration or behind it, and no commands of doxygen. The number of lines
stays the same, so that warnings name the right line. The rules:

- The first comment describes the header. A title, /* ---- Title ---- */, begins a group. In a header without titles
  every comment above a blank line is a title, up to its first full stop, and a description.
- Other comments above a blank line, or above a struct without members, add to the description of the group. In a
  struct they are titles.
- A comment holds for the declarations below it, down to a blank line or the next comment. A comment above a
  declaration with a comment of its own behind it is a title of the lines down to the next blank line.
- Rows of "  name  text" are parameters above a function, and a list elsewhere. Lines that begin with an error code
  begin a paragraph.
- `code`, names of declarations and docs/page.md become what they look like; nothing else is markup.
- The members struct_size and reserved need no comment, nor what has the name of something in C: functions in a table,
  members of C++ classes, enumerators that are constants of C.
"""
import glob
import os
import re
import sys

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'include')
SAME = {'struct_size': 'The size of the struct in bytes.', 'reserved': '0.'}
BREAK = ' \\ilinebr '  # a line break for doxygen that is none in the file

NAME = r'A(?:NeuralNetworks|HardwareBuffer|NEURAL|HARDWARE)\w+|halyard_\w+|hy_\w+|HY_\w+|HALYARD_\w+'
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\n|[^\S\n]+|[{}();,]|\w+|.', re.DOTALL)
DIRECTIVE = re.compile(r'#(?:\\\n|/(?!\*)|[^\n/\\]|\\)*')
TITLE = re.compile(r'/\* -+ (.*?) -+ \*/')
ROW = re.compile(r' {2,3}(\S+(?: \S+)*?) {2,}(\S.*)')
TAG = re.compile(r'((?:Since 1\.1\. )?)(required|optional(?:: group \w+)?)')
FORWARD = re.compile(r'\s*struct \w+;')
PARAGRAPH = re.compile(r'(?:Errors|-E[A-Z]+|[A-Z_*]{5,})\b[^.]*?: |(?:in|out|T): ')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def declared():
    code = ' '.join(map(read, glob.glob(os.path.join(INCLUDE, '*', '*.h*'))))
    code = re.sub(r'/\*.*?\*/|^#[ \t]*(?!define).*?$', '', code, flags=re.S | re.M)
    return set(re.findall(r'\b(?:' + NAME + r')\b', code))


DECLARED = declared()


def link(match):
    name, member = match.groups()
    if name not in DECLARED:
        return match[0]
    if member and name[0] == 'h':
        return f'@ref {name}::{member} "{match[0]}"'
    return f'@ref {name} "{name}"' + match[0][len(name):]


def prose(line):
    line = re.sub(r'[\\@<>&#%$]', r'\\\g<0>', line)
    line = re.sub(r'\bdocs/([\w-]+\.md)', r'<a href="../docs/\1">docs/\1</a>', line)
    line = re.sub(r'`([^`]*)`', r'<code>\1</code>', line)
    return re.sub(r'(?<![\w/])(' + NAME + r')\b(?:\.([a-z]\w*))?(?!\w*[*/])', link, line)


def converted(comment, of_function=False):
    """The text of a comment, for doxygen."""
    out, rows, tag, in_row, in_code = [], [], '', False, False
    for line in comment[2:-2].lstrip('*').split('\n'):
        line = re.sub(r'^\s*\* ?', '', line).rstrip() if out else line.strip()
        is_deep, row = line.startswith('    '), ROW.fullmatch(line)
        if is_deep and not in_row and (in_code or not out[-1]):
            out[-1] += '' if in_code else '@code'
            out.append(line)
            in_code = True
            continue
        if is_deep and in_row:
            line = ' ' + prose(line.strip())
        elif row and of_function:
            line = f'@param {row[1]} {prose(row[2])}'
        elif row:
            line = f'- <b>{prose(row[1])}</b> {prose(row[2])}'
        elif TAG.fullmatch(line.strip()):
            tag, line = '<p><em>' + TAG.sub(r'\1\2', line.strip()).capitalize() + '</em>', ''
        else:
            begins = out and out[-1].endswith('.') and PARAGRAPH.match(line)
            line = ('<p>' if begins else '') + prose(line)
        in_row = bool(row or is_deep and in_row)
        (rows if in_row and of_function else out).append(('@endcode ' if in_code else '') + line)
        in_code = False
    (rows or out)[-1] += tag
    return '\n'.join(out + rows).rstrip(' ')


def on_one_line(text):
    return re.sub(r'\s*\n\s*', ' ', re.sub(r'\n[ \t]*\n', '<p>', text)).strip()


def shown(text, mark='/**'):
    return mark + ('' if text[:1] in ('', '\n') else ' ') + text + ' */'


def identifier(text):
    return re.sub(r'\W+', '_', text).strip('_').lower()


class Filter:
    def __init__(self, text, name):
        self.text, self.name, self.place = text, name, 0
        self.has_titles = bool(TITLE.search(text))
        self.group = identifier(name)
        self.is_first = True             # no comment yet
        self.open = []                   # scopes in which a group has begun, with 'run' for a group of lines
        self.scopes = [('file', '')]     # kind and name; the kinds: file, struct, enum, body
        self.head, self.parens = '', 0   # of the declaration: its words until here
        self.has_own = False             # the declaration has a comment
        self.shared = None               # the comment that holds for the next declaration as well
        self.is_blank, self.newlines = True, 0  # the line until here; since the last token
        self.missing = []                # enumerators without a comment: doxygen 1.9.4 does not miss them

    # What stands at the place.

    def line_below(self):
        return re.match(r'[ \t]*\n?[ \t]*([^\n]*)', self.text[self.place:])[1]

    def declaration(self, token=''):
        """The next declaration, and the comment behind it, if there is one."""
        text = token + self.text[self.place:]
        if text.lstrip().startswith('#') or self.scopes[-1][0] == 'enum':
            return re.match(r'\s*([^\n]*)', text)[1]
        return re.match(r'\s*([^;{]*;?[^\n]*)', text)[1]

    # Groups.

    def begin(self, scope, commands, lines=0):
        """A comment of so many line breaks that begins a group."""
        before = self.end(scope)
        self.open.append(scope)
        text = BREAK.join(filter(None, commands))
        return before + '/** ' + text + '\n' * (lines - text.count('\n')) + BREAK + '@{ */'

    def end(self, *scopes):
        """What ends the groups of the scopes."""
        ended = [scope for scope in self.open if scope in scopes]
        self.open = [scope for scope in self.open if scope not in scopes]
        return '/** @} */ ' * len(ended)

    def group_comment(self, token, title, is_alone):
        kind, text, lines = self.scopes[-1][0], converted(token).strip(), token.count('\n')
        if kind == 'enum':
            return token
        if kind == 'file' and self.has_titles and not title and is_alone:
            return self.begin('file', ['@addtogroup ' + self.group, text], lines)
        name, text = (title[1], '') if title else re.fullmatch(r'(.*?)(?:\.|\.\s+(.*))?', text, re.DOTALL).groups()
        name = re.sub(r'@ref \S+ "([^"]*)"', r'\1', on_one_line(name))
        if kind == 'struct' or not is_alone:
            return self.begin('struct' if kind == 'struct' else 'run', ['@name ' + name, text], lines)
        self.group = identifier(self.name + ' ' + name)
        return self.begin('file', [f'@defgroup {self.group} {name}', '@ingroup ' + identifier(self.name), text], lines)

    # Comments.

    def comment(self, token):
        if self.scopes[-1][0] == 'body' or self.parens:
            return token
        self.shared = None
        below, title = self.line_below(), TITLE.fullmatch(token)
        if not self.is_blank:
            line = self.text[:self.place].rpartition('\n')[2]
            return token if FORWARD.match(line) else shown(converted(token), '/**<')
        if self.is_first:
            self.is_first = False
            group = self.begin('file', [f'@defgroup {self.group} {self.name}', converted(token)])
            end = self.end('file') if self.has_titles else ''
            return f'/** @file {self.name}{BREAK}See @ref {self.group}. */ ' + group + end
        is_alone = title or not below or FORWARD.match(below)
        if is_alone or '/*' in self.declaration() and not below.startswith('#if'):
            return self.group_comment(token, title, is_alone)
        if below.startswith('#') and not below.startswith('#define'):
            return token
        self.has_own, self.shared = True, converted(token)
        return shown(converted(token, of_function='(' in self.declaration()))

    def comment_of(self, token):
        """The comment of a declaration that begins with the token, and has none above it."""
        declaration = self.declaration(token)
        name = re.search(r'\(\*(\w+)\)', declaration) or \
            re.search(r'(\w+)(?:\[\w+\])?\s*(?:\(|(?:=[^;,]*)?(?:[;{,]|$))', declaration)
        if '/*' in declaration or not name or token in ('friend', 'public', 'private'):
            return ''
        same = self.same_in_c(name[1], declaration)
        text = SAME.get(name[1]) or self.shared and on_one_line(self.shared) or \
            same and f'As @ref {same} "{same.replace("::", ".")}".'
        if self.scopes[-1][0] == 'enum' and not text:
            self.missing.append(name[1])
        return shown(text) + ' ' if text else ''

    def same_in_c(self, name, declaration):
        """The function, member or constant of C for a name of a table or of C++; else None."""
        constant = re.fullmatch(r'\w+ = (HALYARD_\w+),?', declaration.strip())
        if constant or name.startswith('ANeuralNetworks'):
            return constant[1] if constant else name
        owner = self.scopes[-1][1]
        struct = 'halyard_' + re.sub(r'(?<=[a-z])(?=[A-Z])', '_', owner).lower()
        for function in f'{struct}_get_{name.removesuffix("_info")}', f'{struct}_{name}':
            if function in DECLARED:
                return function
        return f'{struct}::{name}' if struct in DECLARED and name not in (owner, 'operator') else None

    # Code.

    def directive(self, token):
        if not token.startswith('#define'):
            self.shared = None
        elif self.shared and not self.has_own and '/*' not in self.declaration(token):
            token = token.rstrip() + ' ' + shown(on_one_line(self.shared), '/**<')
        self.has_own = False
        return token

    def code(self, token):
        kind, before = self.scopes[-1][0], ''
        if not (self.head or self.has_own or self.parens or kind == 'body' or token in '{};,'):
            before = self.comment_of(token)
        self.parens += {'(': 1, ')': -1}.get(token, 0)
        self.head += token + ' '
        if token == '{':
            self.enter(self.head.split())
        elif token == '}':
            before = self.leave()
        elif self.head in ('public : ', 'private : '):
            self.scopes[-1] = ('struct' if self.head == 'public : ' else 'body', self.scopes[-1][1])
            self.head = ''
        elif token == ';' or token == ',' and kind == 'enum':
            self.head, self.has_own = '', False
        return before + token

    def enter(self, words):
        kinds = {'(': 'body', 'enum': 'enum', 'namespace': 'file', 'extern': 'file', 'struct': 'struct',
                 'class': 'struct'}
        kind = next((kinds[word] for word in kinds if word in words), 'body')
        name = next((words[at + 1] for at, word in enumerate(words) if word in ('struct', 'class', 'namespace')), '')
        self.scopes.append((kind, name))
        self.head, self.has_own, self.shared = '', False, None

    def leave(self):
        kind, name = self.scopes.pop()
        self.shared = None
        if kind in ('body', 'file'):
            self.head, self.has_own = '', False
        # A group of the file ends with its namespace. The brace of extern "C" is none for doxygen.
        return self.end('struct') if kind == 'struct' else \
            self.end('file') if kind == 'file' and name and len(self.scopes) == 1 else ''

    def output(self):
        out = []
        while self.place < len(self.text):
            is_directive = self.is_blank and self.text[self.place] == '#'
            token = (DIRECTIVE if is_directive else TOKEN).match(self.text, self.place)[0]
            self.place += len(token)
            if token == '\n':
                self.is_blank, self.newlines = True, self.newlines + 1
                if self.newlines == 2:
                    self.shared = None
                    out.append(self.end('run'))
            elif not token.isspace() and not token.startswith('//'):
                make = self.comment if token.startswith('/*') else self.directive if is_directive else self.code
                token = make(token)
                self.is_blank, self.newlines = False, 0
            out.append(token)
        text, _, rest = ''.join(out).rpartition('\n#endif')
        return text + self.end('file') + '\n#endif' + rest


if __name__ == '__main__':
    header = os.path.abspath(sys.argv[1])
    sys.stdout.write(Filter(read(header), '/'.join(header.split('/')[-2:])).output())
