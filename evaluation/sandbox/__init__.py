"""The child process in which simulated worlds run: no network, no secrets, bounded in all."""
