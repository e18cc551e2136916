#!/usr/bin/env python3
"""Checks that a header says everything that the frozen one says, and in the same way.

    compare_headers.py FROZEN.h driver.h

What a struct holds (types, signatures, order) may only grow at its end, and only where it begins with
struct_size; constants keep their values, functions their signatures. Comments are free.
"""
import re
import sys

# These say what the header itself is, and change with every version.
ABOUT_ITSELF = {'HY_DRIVER_ABI'}


def read(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    return re.sub(r'\\\n', ' ', text)


def words(text):
    return ' '.join(re.findall(r'\w+|[^\w\s]', text))


def structs(text):
    found = {}
    for name, body in re.findall(r'^struct (\w+) \{(.*?)^\};', text, flags=re.S | re.M):
        found[name] = [words(member) for member in body.split(';') if member.strip()]
    return found


def constants(text):
    found = dict(re.findall(r'^#define[ ]+(HY_\w+)[ ]+(.*?)[ ]*$', text, flags=re.M))
    return {name: words(value) for name, value in found.items() if name not in ABOUT_ITSELF}


def query(text):
    return [words(line) for line in re.findall(r'^typedef const struct hy_driver .*?;|hy_driver_query\(.*?\);', text,
                                                flags=re.S | re.M)]


def compare(frozen, today):
    then, now = structs(frozen), structs(today)
    for name, members in then.items():
        grows = members[0] == 'uint32_t struct_size'
        here = now.get(name, [])
        if here[:len(members)] != members:
            at = next((i for i, member in enumerate(members) if here[i:i + 1] != [member]), 0)
            yield f'struct {name}: member {at} was "{members[at]}", is "{(here[at:at + 1] or ["gone"])[0]}"'
        elif len(here) > len(members) and not grows:
            yield f'struct {name} has no struct_size and cannot grow: "{here[len(members)]}"'
    then, now = constants(frozen), constants(today)
    for name, value in then.items():
        if now.get(name) != value and not name.startswith('HY_LAYOUT'):
            yield f'{name} was "{value}", is "{now.get(name, "gone")}"'
    if query(frozen) != query(today):
        yield f'the entry was {query(frozen)}, is {query(today)}'


def main():
    broken = list(compare(read(sys.argv[1]), read(sys.argv[2])))
    for line in broken:
        print(line)
    return 1 if broken else 0


sys.exit(main())
