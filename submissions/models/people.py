"""People, whom they act for, and how their scripts get in."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.db.models.functions import Lower
from django.utils import timezone


class Role(models.TextChoices):
    """What a member of an organisation may do."""

    OWNER = "owner", "Owner"  # everything, members included
    SUBMITTER = "submitter", "Submitter"  # submit, steer and publish
    VIEWER = "viewer", "Viewer"  # see what is not published yet


class Organisation(models.Model):
    """People who submit together. Its two groups are what evaluation.policy knows of it."""

    class Confirmed(models.TextChoices):
        DOMAIN = "domain", "by an owner's e-mail address"
        MODERATOR = "moderator", "by a moderator"

    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=120)
    domain = models.CharField(max_length=200, blank=True)  # where its people have their mail
    confirmed_how = models.CharField(max_length=12, choices=Confirmed, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    viewers = models.OneToOneField(Group, on_delete=models.PROTECT, related_name="+")
    stewards = models.OneToOneField(Group, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            UniqueConstraint(Lower("name"), name="no_two_organisations_share_a_name"),
            CheckConstraint(
                condition=Q(confirmed_how="", confirmed_at=None)
                | (~Q(confirmed_how="") & Q(confirmed_at__isnull=False)),
                name="a_confirmed_organisation_says_how_and_when",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_confirmed(self) -> bool:
        return self.confirmed_at is not None


class Membership(models.Model):
    """A person's role in an organisation; submissions.organisations keeps the groups in step."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="memberships"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            UniqueConstraint(
                fields=("organisation", "user"), name="a_person_has_one_role_in_an_organisation"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user}: {self.get_role_display()} of {self.organisation}"


class Invitation(models.Model):
    """An offer of a role to whoever reads mail at an address. Its secret is kept as a digest."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="invitations"
    )
    email = models.EmailField()
    role = models.CharField(max_length=12, choices=Role)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = (
            UniqueConstraint(
                fields=("organisation", "email"), name="an_address_is_invited_once_at_a_time"
            ),
        )

    def __str__(self) -> str:
        return f"{self.email} to {self.organisation}"


class ApiToken(models.Model):
    """A key to the REST API. The token itself is shown once and kept as a digest."""

    class Scope(models.TextChoices):
        READ = "read", "Read"  # one's own submissions
        SUBMIT = "submit", "Read and submit"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    scope = models.CharField(max_length=12, choices=Scope)
    digest = models.CharField(max_length=64, unique=True)
    beginning = models.CharField(max_length=12)  # enough to tell it from another, no more
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.beginning}…)"

    @property
    def has_expired(self) -> bool:
        return self.expires_at <= timezone.now()
