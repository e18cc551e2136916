"""Compiles signatures.def and extension_signatures.def to the table of signature_table.h.

    compile_signatures.py signatures.def extension_signatures.def operand_types.def signature_table.c
"""
import re
import sys

MANY = 'HY_OP_MANY'
SYMBOL_FIRST, SYMBOL_ANY = 0x80, 0xff
QUANTIFIERS = {'': (1, 1), '?': (0, 1), '+': (1, MANY), '*': (0, MANY)}

HEAD = '''/* Made by compile_signatures.py from signatures.def. */
#include "common/operations/signature_table.h"

#define LAST UINT32_MAX
#define IN   true
#define OUT  false

const struct hy_operation_rules hy_operation_rules[HY_OP_COUNT + 1] = {
'''


def rows_of(text):
    """{operation: {macro: [arguments]}}, in the order of the file."""
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL)
    names = dict(re.findall(r'^#define (\w+)\s+("[^"]*")$', text, re.MULTILINE))
    operations = {}
    for macro, row in re.findall(r'^([A-Z]+)\(([^()]*)\)', text, re.MULTILINE):
        operation, *arguments = [names.get(item.strip(), item.strip()) for item in row.split(',')]
        operations.setdefault(operation, {}).setdefault(macro, []).append(arguments)
    return operations


def type_letters(text):
    """{letter: row}."""
    letters = re.findall(r"^(?:OPERAND|EXTENSION)_TYPE\([^']*'(.)'", text, re.MULTILINE)
    return {letter: row for row, letter in enumerate(letters) if letter != '-'}


def operand_list(pattern, letters):
    """A struct hy_operand_list: '1i{3}b?' is the symbols 1iii, and at place 4 one b more at most."""
    symbols, at, more, most = [], 0, 0, 0
    tokens = re.findall(r'([A-Za-z1-3.])(\{\d+\}|[?+*]?)', pattern)
    assert ''.join(map(''.join, tokens)) == pattern, pattern
    for letter, quantifier in tokens:
        symbol = {'.': SYMBOL_ANY, '1': SYMBOL_FIRST, '2': SYMBOL_FIRST + 1, '3': SYMBOL_FIRST + 2}.get(
            letter) or letters[letter]
        count = int(quantifier[1:-1]) if quantifier[:1] == '{' else 0
        least, highest = (count, count) if count else QUANTIFIERS[quantifier]
        if least != highest:
            assert not most, pattern
            at, more, most = len(symbols), symbol, highest
        symbols += [symbol] * least
    most = MANY if most == MANY else len(symbols) + most
    items = ', '.join(map(str, symbols)) or '0'
    return f'{{(const uint8_t[]){{{items}}}, {len(symbols)}, {at}, {more}, {most}}}'


def variant(text, row_level, letters):
    level, _, types = text.rpartition(':')
    codes = ', '.join(str(letters[letter]) for letter in types)
    return f'{{{max(row_level, int(level or 1))}, {{{codes}}}}}'


def signature(arguments, letters):
    level, *lists, variants = [argument.strip('"') for argument in arguments]
    inputs, outputs = (operand_list(text.replace(' ', ''), letters) for text in lists)
    items = [variant(text, int(level), letters) for text in variants.split()]
    return (f'{{{inputs}, {outputs}, {len(items)},\n'
            f'      (const struct hy_signature_variant[]){{{", ".join(items)}}}}}')


def array(member, struct, items):
    return [f'    .{member}_count = {len(items)},',
            f'    .{member}s = (const struct {struct}[]){{', *(f'     {item},' for item in items), '    },']


def single(member, struct, rows):
    assert len(rows) == 1, rows
    return [f'    .{member} = &(const struct {struct}){{{", ".join(rows[0])}}},']


def fixed(arguments, letters):
    side, index, letter, scale, zero_point = arguments
    return f'{{{side}, {index}, {letters[letter.strip(chr(39))]}, {scale}, {zero_point}}}'


def rules(rows, letters):
    lines = array('signature', 'hy_signature', [signature(row, letters) for row in rows['SIG']])
    if 'OMIT' in rows:
        bits = {bit for first, last in rows['OMIT'] for bit in range(int(first), int(last) + 1)}
        lines.append(f'    .optional = UINT64_C({sum(1 << bit for bit in bits):#x}),')
    if 'RANK' in rows:
        lines += array('rank', 'hy_rank_rule', ['{' + ', '.join(row) + '}' for row in rows['RANK']])
    if 'FIXED' in rows:
        lines += array('fixed_scale', 'hy_fixed_scale', [fixed(row, letters) for row in rows['FIXED']])
    if 'EARLY' in rows:
        lines.append('    .has_early_scales = true,')
    for macro, member, struct in (('RANKS', 'same_rank', 'hy_same_rank'),
                                  ('SAME', 'same_scale', 'hy_same_scale'),
                                  ('CHANNEL', 'channel', 'hy_channel_rule')):
        if macro in rows:
            lines += single(member, struct, rows[macro])
    return lines


def main(signatures, extension_signatures, types, output):
    with open(types, encoding='ascii') as file:
        letters = type_letters(file.read())
    with open(output, 'w', encoding='ascii') as table:
        table.write(HEAD)
        for path, prefix in (signatures, 'HY_OP'), (extension_signatures, 'HY_EXT'):
            with open(path, encoding='ascii') as file:
                operations = rows_of(file.read())
            for operation, rows in operations.items():
                table.write('\n'.join([f'[HY_OP_ROW({prefix}_{operation})] = {{', *rules(rows, letters), '},\n']))
        table.write('};\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
