"""Who brought what in, a file per family; submissions point at what they made, nothing back."""

from submissions.models.mail import MailChoice, Notice
from submissions.models.moderating import Ban, BanMark, Publication, SpotCheck
from submissions.models.people import ApiToken, Invitation, Membership, Organisation, Role
from submissions.models.submitting import Charge, HandledEvent, RepeatedRequest, Submission

__all__ = [
    "ApiToken",
    "Ban",
    "BanMark",
    "Charge",
    "HandledEvent",
    "Invitation",
    "MailChoice",
    "Membership",
    "Notice",
    "Organisation",
    "Publication",
    "RepeatedRequest",
    "Role",
    "SpotCheck",
    "Submission",
]
