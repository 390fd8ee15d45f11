"""Why a submission is not taken although its form is filled in well."""


class Refused(Exception):
    """Not now, or not from this account; the message says why and what to do."""
