"""
Test vectors of every operation: an evaluation in float64 and the cases that it answers.

The family modules (elementwise.py, convolutions.py and so on) have, for each operation, a function
that evaluates it and one that yields its cases. kinds.py knows how numbers are stored, evaluate.py
runs a model, cases.py and model.py describe tests, tests.py writes them; verify.py and coverage.py
check the evaluation and the result.
"""
