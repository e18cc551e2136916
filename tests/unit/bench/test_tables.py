#!/usr/bin/python3
"""Tables and charts of rows that compare writes.

    test_tables.py SOURCE_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop())


def row(model, own, peer, who='TFLite XNNPACK'):
    return {'model': model, 'kind': 'in-process', 'threads': 1, 'halyard_us': own, 'halyard_spread': 0,
            'best_peer': who if peer else None, 'best_peer_us': peer,
            'ratio': own / peer if peer else None, 'target': None}


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.runs = []

    def add_run(self, *rows):
        self.runs.append(pathlib.Path(self.folder.name, f'{len(self.runs)}.json'))
        self.runs[-1].write_text(json.dumps({'rows': rows}), encoding='utf-8')

    def output(self, script, *more):
        words = [sys.executable, '-B', SOURCE / 'bench' / script, *self.runs, *more]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def test_a_network_has_the_medians_of_its_runs(self):
        for own in (10, 30, 20):
            self.add_run(row('net.tflite', own, 40))
        self.assertIn('| net | 20.0 | 40.0 | XNNPACK | 0.50 | 0.25, 0.75 |',
                      self.output('networks_table.py'))

    def test_a_network_that_no_peer_runs_keeps_its_row(self):
        self.add_run(row('alone.tflite', 10, None))
        self.assertIn('| alone | 10.0 |  | none |  |  |', self.output('networks_table.py'))

    def test_an_operator_has_its_types_side_by_side(self):
        self.add_run(row('add_f32.tflite', 1, 2), row('add_i8.tflite', 3, 4))
        self.assertIn('| add | 1.00 | 2.00 | 0.50 |  |  |  | 3.00 | 4.00 | 0.75 |',
                      self.output('operators_table.py'))

    def test_the_chart_names_the_machine_and_leaves_out_what_has_no_peer(self):
        self.add_run(row('net.tflite', 1, 2), row('alone.tflite', 1, None))
        rows, chart = (pathlib.Path(self.folder.name, name) for name in ('all.json', 'chart.svg'))
        self.output('compare_chart.py', '--machine', 'a <machine>', '--json', rows, '--svg', chart)
        drawn = chart.read_text(encoding='utf-8')
        self.assertIn('a &lt;machine&gt;', drawn)
        self.assertIn('>net<', drawn)
        self.assertNotIn('alone', drawn)
        self.assertEqual(json.loads(rows.read_text(encoding='utf-8'))['machine'], 'a <machine>')


if __name__ == '__main__':
    unittest.main()
