"""PostgreSQL and Valkey run from their wheels, where no DATABASE_URL or REDIS_URL is set.

Nothing here imports Django: `manage.py` starts the servers before the settings are read.
"""
