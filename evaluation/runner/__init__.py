"""Does the work of a run: leases its slices, asks, stores, judges, and ends it readably.

The row in PostgreSQL is the truth; whatever a worker holds in memory may vanish at any moment.
"""
