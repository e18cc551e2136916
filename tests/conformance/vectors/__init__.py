"""Test vectors of every operation: an evaluation in float64 and the cases that it answers."""
