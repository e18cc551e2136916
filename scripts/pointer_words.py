#!/usr/bin/env python3
"""Measures how much the English of comments and pages leans on pointer words: "that", "it", "those".

    pointer_words.py [--worst N] PATH...

A PATH is a header, a page (.md) or a folder, of which all headers count. For each: the sentences of ten
words or more, the share of pointer words in their words, the sentences of which a fifth or more of the
words are pointer words; and the N worst sentences, with file and line.
"""
import argparse
import os
import re

POINTER_WORDS = set('that what who whose whom which whoever it those them one ones there this then '
                    'they so such where'.split())
SHORTEST = 10  # words: shorter sentences say nothing about a style
HARD = 0.2     # of the words of a sentence

BLOCK_COMMENT = r'/\*.*?\*/'
LINE_COMMENTS = r'(?:^[ \t]*//[^\n]*\n)+'  # those behind code are seldom sentences
COMMENT = re.compile(f'{BLOCK_COMMENT}|{LINE_COMMENTS}', re.DOTALL | re.MULTILINE)
LICENCE = re.compile('licen|copyright|spdx|warrant', re.IGNORECASE)
FENCED = re.compile(r'^( *)```.*?^\1```', re.DOTALL | re.MULTILINE)
NOT_PROSE = re.compile(r'^\s*(\||#|<|!\[).*$', re.MULTILINE)  # tables, titles, tags, pictures
SENTENCE_END = re.compile(r'[.:;](?=\s)|\n[ \t]*\n')
WORD = re.compile(r"[A-Za-z_']+")


def blank(text):
    """White space of the same lines and length, which keeps line numbers true."""
    return re.sub(r'[^\n]', ' ', text)


def texts(path):
    """(offset, prose) of the parts of a file that are prose."""
    with open(path, encoding='utf-8') as file:
        content = file.read()
    if path.endswith('.md'):
        content = FENCED.sub(lambda code: blank(code[0]), content)
        yield 0, NOT_PROSE.sub(lambda line: blank(line[0]), content), content
        return
    for comment in COMMENT.finditer(content):
        if not LICENCE.search(comment[0]):
            prose = re.sub(r'^[ \t]*(/\*+|\*+/|\*+|//+)|\*/$', lambda mark: blank(mark[0]), comment[0],
                           flags=re.MULTILINE)
            yield comment.start(), prose, content


def sentences(path):
    """(line, words, pointer words, text) of each sentence that counts."""
    for offset, prose, content in texts(path):
        begin = 0
        for end in [mark.end() for mark in SENTENCE_END.finditer(prose)] + [len(prose)]:
            piece, at = prose[begin:end], begin
            begin = end
            words = WORD.findall(piece)
            if len(words) < SHORTEST or ('(' in piece and ';' in piece):  # the latter is code
                continue
            at += len(piece) - len(piece.lstrip())
            line = content.count('\n', 0, offset + at) + 1
            pointers = sum(word.lower() in POINTER_WORDS for word in words)
            yield line, len(words), pointers, ' '.join(piece.split())


class Measure:
    """What the sentences of some files come to."""

    def __init__(self):
        self.sentences = self.words = self.pointers = self.hard = 0
        self.found = []

    def add(self, path):
        for line, words, pointers, text in sentences(path):
            self.sentences += 1
            self.words += words
            self.pointers += pointers
            self.hard += pointers >= HARD * words
            self.found.append((pointers / words, path, line, text))
        return self

    @property
    def percent(self):
        return 100 * self.pointers / self.words if self.words else 0.0

    def worst(self, count):
        return sorted(self.found, reverse=True)[:count]

    def __str__(self):
        hard = 100 * self.hard / self.sentences if self.sentences else 0
        return f'{self.sentences} sentences, {self.percent:.1f} % pointer words, {hard:.1f} % hard sentences'


def headers(folder):
    """The headers below a folder, in order."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        yield from (os.path.join(place, file) for file in sorted(files) if file.endswith('.h'))


def measure(path):
    whole = Measure()
    for file in headers(path) if os.path.isdir(path) else [path]:
        whole.add(file)
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--worst', type=int, default=10, metavar='N')
    parser.add_argument('path', nargs='+')
    arguments = parser.parse_args()
    for path in arguments.path:
        found = measure(path)
        print(f'{path}: {found}')
        for share, file, line, text in found.worst(arguments.worst):
            print(f'  {100 * share:3.0f} %  {file}:{line}: {text}')


if __name__ == '__main__':
    main()
