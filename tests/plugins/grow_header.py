#!/usr/bin/env python3
"""Makes the header of a later version of the driver ABI: every table has a member more.

    grow_header.py driver.h NEW.h
"""
import re
import sys

TABLES = ('hy_host', 'hy_device', 'hy_driver')


def grow(text):
    for table in TABLES:
        text, count = re.subn(r'(?ms)^(struct %s \{.*?)^\};' % table,
                              r'\1    int32_t (*of_a_later_version)(void *context);\n};', text, count=1)
        assert count == 1, table
    # What the tables of today are is asserted in the header of today.
    text, count = re.subn(r'(?m)^HY_LAYOUT\((%s),.*\n' % '|'.join(TABLES), '', text)
    assert count == len(TABLES)
    return text


with open(sys.argv[1], encoding='utf-8') as source:
    grown = grow(source.read())
with open(sys.argv[2], 'w', encoding='utf-8') as target:
    target.write(grown)
