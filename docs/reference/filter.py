#!/usr/bin/env python3
"""Prints a public header with comments for doxygen: the INPUT_FILTER of the reference.

    filter.py HEADER

The headers have plain comments, above a declaration or behind it. The number of lines stays the same, so that
warnings of doxygen name the right line. The rules:

- The first comment describes the header. /* ---- Title ---- */ begins a group, in a header without such titles every
  comment above a blank line.
- A comment holds for the declarations below it, down to a blank line or the next comment. A comment above a
  declaration that has a comment behind it belongs to the group, and in an enum to the source alone.
- Rows of "  name  text" are parameters above a function, and a list elsewhere.
- `code`, names of declarations and docs/page.md become what they look like; nothing else is markup.
- Members struct_size and reserved need no comment, nor the functions of NeuralNetworks.h in a table.
"""
import glob
import os
import re
import sys

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'include')
SAME = {'struct_size': 'The size of the struct in bytes.', 'reserved': '0.'}
NAME = r'A(?:NeuralNetworks|HardwareBuffer|NEURAL|HARDWARE)\w+|halyard_\w+|hy_\w+|HY_\w+|HALYARD_\w+'
ROW = re.compile(r' {2,3}(\S+(?: \S+)*?) {2,}(\S.*)')
TAG = re.compile(r'((?:Since 1\.1\. )?)(required|optional(?:: group \w+)?)')
SECTION = re.compile(r'/\* -+ (.*?) -+ \*/')
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\n|[^\S\n]+|[{}();,]|\w+|.', re.DOTALL)
DIRECTIVE = re.compile(r'#(?:\\\n|/(?!\*)|[^\n/\\]|\\)*')
BREAK = ' \\ilinebr '  # a line break for doxygen that is none in the file


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


def converted(comment, parameters=False):
    """The text of a comment, for doxygen."""
    out, last, tag, row, code = [], [], '', False, False
    for line in comment[2:-2].lstrip('*').split('\n'):
        line = re.sub(r'^\s*\* ?', '', line).rstrip() if out else line.strip()
        deep, match = line.startswith('    '), ROW.fullmatch(line)
        if deep and not row and (code or not out[-1]):
            out[-1] += '' if code else '@code'
            out.append(line)
            code = True
            continue
        if deep and row:
            line = ' ' + prose(line.strip())
        elif match and parameters:
            line = f'@param {match[1]} {prose(match[2])}'
        elif match:
            line = f'- <b>{prose(match[1])}</b> {prose(match[2])}'
        elif TAG.fullmatch(line.strip()):
            tag, line = '<p><em>' + TAG.sub(r'\1\2', line.strip()).capitalize() + '</em>', ''
        else:
            line = prose(line)
        row = bool(match or deep and row)
        (last if row and parameters else out).append(('@endcode ' if code else '') + line)
        code = False
    (last or out)[-1] += tag
    return '\n'.join(out + last).rstrip(' ')


def shown(text, mark='/**'):
    return mark + ('' if text[:1] in ('', '\n') else ' ') + text + ' */'


def on_one_line(text):
    return re.sub(r'\s*\n\s*', ' ', re.sub(r'\n[ \t]*\n', '<p>', text)).strip()


def identifier(text):
    return re.sub(r'\W+', '_', text).strip('_').lower()


class Filter:
    def __init__(self, text, name):
        self.text, self.name, self.place = text, name, 0
        self.group = identifier(name)
        self.titles = SECTION.search(text)
        self.described = False  # the first comment is over
        self.open = set()       # depths of scopes in which a group has begun
        self.scopes, self.names, self.parens = ['file'], [''], 0
        self.head = ''          # of the declaration: its words until here
        self.own = False        # the declaration has a comment
        self.shared = None      # the comment that holds for the next declaration as well
        self.blank, self.newlines = True, 0

    def begin(self, commands, lines=0):
        """Ends the group of the scope, and begins another: a comment of so many line breaks."""
        depth = 1 if self.scopes[-1] == 'file' else len(self.scopes)
        before = '/** @} */ ' if depth in self.open else ''
        self.open.add(depth)
        text = BREAK.join(filter(None, commands))
        return before + '/** ' + text + '\n' * (lines - text.count('\n')) + BREAK + '@{ */'

    def declaration(self, token=''):
        """The next declaration, and the comment behind it, if there is one."""
        text = token + self.text[self.place:]
        end = r'\s*(#[^\n]*)' if text.lstrip()[:1] == '#' else \
            r'\s*([^\n]*)' if self.scopes[-1] == 'enum' else r'\s*([^;{]*;?[^\n]*)'
        return re.match(end, text)[1]

    def group_comment(self, token, title):
        text = converted(token).strip()
        if title:
            name, text = title[1], ''
        elif self.titles and self.scopes[-1] == 'file':
            return self.begin(['@addtogroup ' + self.group, text], token.count('\n'))
        else:
            name, text = re.fullmatch(r'([^.]*)\.?\s*(.*)', text, re.DOTALL).groups()
        if self.scopes[-1] == 'struct':
            return self.begin(['@name ' + on_one_line(name), text], token.count('\n'))
        self.group = identifier(self.name + ' ' + name)
        commands = [f'@defgroup {self.group} {on_one_line(name)}', '@ingroup ' + identifier(self.name), text]
        return self.begin(commands, token.count('\n'))

    def comment(self, token):
        if self.scopes[-1] == 'body' or self.parens:
            return token
        if not self.blank:
            self.shared = None
            return shown(converted(token), '/**<')
        below = re.match(r'[ \t]*\n?[ \t]*([^\n]*)', self.text[self.place:])[1]
        if not self.described:
            self.described = True
            group = self.begin([f'@defgroup {self.group} {self.name}', converted(token)])
            if self.titles:
                group = group.replace(BREAK + '@{', '')
                self.open.remove(1)
            return f'/** @file {self.name}{BREAK}See @ref {self.group}. */ ' + group
        self.shared = None
        title = SECTION.fullmatch(token)
        if below.startswith('#') and not below.startswith('#define'):
            return token
        if title or not below or '/*' in self.declaration():
            return token if self.scopes[-1] == 'enum' else self.group_comment(token, title)
        self.own, self.shared = True, converted(token)
        return shown(converted(token, '(' in self.declaration()))

    def directive(self, token):
        if not token.startswith('#define'):
            self.shared = None
        elif self.shared and not self.own and '/*' not in self.declaration(token):
            token = token.rstrip() + ' ' + shown(on_one_line(self.shared), '/**<')
        self.own = False
        return token

    def uncommented(self, token):
        """The comment of a declaration that begins with the token, and has none above it."""
        declaration = self.declaration(token)
        name = re.search(r'\(\*(\w+)\)', declaration) or \
            re.search(r'(\w+)(?:\[\w+\])?\s*(?:\(|(?:=[^;,]*)?(?:[;{,]|$))', declaration)
        if '/*' in declaration or not name or token in ('friend', 'public', 'private'):
            return ''
        if name[1] in SAME:
            return shown(SAME[name[1]]) + ' '
        if self.shared:
            return shown(on_one_line(self.shared)) + ' '
        same = self.same_in_c(name[1], declaration)
        return shown(f'As @ref {same} "{same.replace("::", ".")}".') + ' ' if same else ''

    def same_in_c(self, name, declaration):
        """The function, member or constant of C for a name of a table or of C++; else None."""
        if name.startswith('ANeuralNetworks'):
            return name
        constant = re.fullmatch(r'\w+ = (HALYARD_\w+),?', declaration.strip())
        if constant:
            return constant[1]
        struct = 'halyard_' + re.sub(r'(?<=[a-z])(?=[A-Z])', '_', self.names[-1]).lower()
        for function in f'get_{name.removesuffix("_info")}', name:
            if f'{struct}_{function}' in DECLARED:
                return f'{struct}_{function}'
        return f'{struct}::{name}' if struct in DECLARED and name not in (self.names[-1], 'operator') else None

    def code(self, token):
        scope, before = self.scopes[-1], ''
        if not (self.head or self.own or self.parens or scope == 'body' or token in '{};,'):
            before = self.uncommented(token)
        self.parens += {'(': 1, ')': -1}.get(token, 0)
        self.head += token + ' '
        if token == '{':
            self.enter(self.head.split())
        elif token == '}':
            before = self.leave()
        elif self.head in ('public : ', 'private : '):
            self.scopes[-1] = 'struct' if self.head == 'public : ' else 'body'
            self.head = ''
        elif token == ';' or token == ',' and scope == 'enum':
            self.head, self.own = '', False
        return before + token

    def enter(self, words):
        kinds = {'(': 'body', 'enum': 'enum', 'namespace': 'file', 'extern': 'file', 'struct': 'struct', 'class': 'struct'}
        kind = next((kind for word, kind in kinds.items() if word in words), 'body')
        at = next((at for at, word in enumerate(words) if word in ('struct', 'class', 'namespace')), None)
        self.scopes.append(kind)
        self.names.append(words[at + 1] if at is not None else '')
        self.head, self.own, self.shared = '', False, None

    def leave(self):
        """Ends a scope, with what ends its group."""
        depth, kind, name = len(self.scopes), self.scopes.pop(), self.names.pop()
        if kind in ('body', 'file'):
            self.head, self.own = '', False
        self.shared = None
        if kind == 'file':
            depth = 1 if name and len(self.scopes) == 1 else 0  # a namespace, and no extern "C"
        if depth not in self.open:
            return ''
        self.open.remove(depth)
        return '/** @} */ '

    def output(self):
        out = []
        while self.place < len(self.text):
            directive = self.blank and self.text[self.place] == '#'
            token = (DIRECTIVE if directive else TOKEN).match(self.text, self.place)[0]
            self.place += len(token)
            if not token.isspace() and not token.startswith('//'):
                out.append((self.comment if token.startswith('/*') else
                            self.directive if directive else self.code)(token))
                self.blank, self.newlines = False, 0
                continue
            out.append(token)
            if token == '\n':
                self.blank, self.newlines = True, self.newlines + 1
                self.shared = self.shared if self.newlines < 2 else None
        text, _, end = ''.join(out).rpartition('\n#endif')
        return text + ('/** @} */' if self.open else '') + '\n#endif' + end


if __name__ == '__main__':
    path = os.path.abspath(sys.argv[1])
    sys.stdout.write(Filter(read(path), '/'.join(path.split('/')[-2:])).output())
