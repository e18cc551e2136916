#!/usr/bin/env python3
"""Makes the header of version 1.7: every struct that may grow has members more.

    grow_header.py driver.h GROWN.h
"""
import re
import sys

MORE = '    uint64_t of_a_later_version[2];\n};'


def grow(text):
    grown = []

    def add(match):
        grown.append(match.group(1))
        return match.group(0)[:-2] + MORE

    text = re.sub(r'(?ms)^struct (\w+) \{\n    uint32_t struct_size;.*?^\};', add, text)
    assert len(grown) > 15, grown
    # What the structs of today are is asserted in the header of today.
    text = re.sub(r'(?m)^HY_LAYOUT\((%s),.*\n' % '|'.join(grown), '', text)
    text, count = re.subn(r'(?m)^#define HY_DRIVER_ABI HY_ABI\(1, \d+\)$',
                          '#define HY_DRIVER_ABI HY_ABI(1, 7)', text)
    assert count == 1
    return text


with open(sys.argv[1], encoding='utf-8') as source:
    header = grow(source.read())
with open(sys.argv[2], 'w', encoding='utf-8') as target:
    target.write(header)
