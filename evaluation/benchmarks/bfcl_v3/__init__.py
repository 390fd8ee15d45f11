"""BFCL V3: published tables only. Its cases are not part of the installed package."""
