"""The verbs of evaluation: how benchmarks, runs and rows of a board come to be and change."""
