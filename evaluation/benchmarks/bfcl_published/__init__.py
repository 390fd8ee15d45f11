"""The tables that BFCL's own team publishes, read as they are printed."""
