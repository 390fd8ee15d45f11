"""Who brought what in: submissions point at what they made; nothing points back."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.db.models.functions import Lower
from django.utils import timezone

from evaluation.models import Run, RunEvent


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


class Submission(models.Model):
    """One request by a person to evaluate something, and the run it brought about."""

    submitted_by = models.ForeignKey(  # null: the account is gone
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="submissions",
    )
    organisation = models.ForeignKey(  # null: it is the person's own
        Organisation,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="submissions",
    )
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="submission")
    terms = models.CharField(max_length=20, blank=True)  # the version that was accepted
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.run}"


class RepeatedRequest(models.Model):
    """What was answered to a request with an Idempotency-Key, to answer its repetition alike."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            UniqueConstraint(fields=("user", "key"), name="a_key_means_one_request_of_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.key}: {self.status}"


class HandledEvent(models.Model):
    """A run's event whose effects here (quota, notices, keys) have been carried out, once."""

    event = models.OneToOneField(RunEvent, on_delete=models.CASCADE, related_name="+")
    handled_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"event {self.event_id} handled"


class Charge(models.Model):
    """A run that counts against the limits of an account, an organisation and a host.

    Made with its submission; taken back when it turns out that the run ended by our own fault.
    """

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="charge")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="charges"
    )
    organisation = models.ForeignKey(
        Organisation, null=True, blank=True, on_delete=models.SET_NULL, related_name="charges"
    )
    host = models.CharField(max_length=300, blank=True)  # host:port; "" for uploads
    at = models.DateTimeField(default=timezone.now)
    free_because = models.CharField(max_length=200, blank=True)  # "": it counts

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("user", "at"), name="charge_by_user"),
            models.Index(fields=("organisation", "at"), name="charge_by_organisation"),
            models.Index(fields=("host", "at"), name="charge_by_host"),
        )

    def __str__(self) -> str:
        return f"{self.submission}: {self.free_because or 'counts'}"


class Publication(models.Model):
    """What has become of somebody's wish to have a run on the board."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a moderator"
        ASKED = "asked", "A moderator asks"
        PUBLISHED = "published", "Published"
        HIDDEN = "hidden", "Hidden by a moderator"
        WITHDRAWN = "withdrawn", "Withdrawn"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="publication")
    state = models.CharField(max_length=12, choices=State)
    doubts = models.TextField(blank=True)  # why a moderator looks, a line each
    reason = models.TextField(
        blank=True
    )  # what a moderator asks, or why it is hidden: public then
    answer = models.TextField(blank=True)  # the submitter's, to what was asked
    requested_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(  # null: nobody had to
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )

    class Meta:
        ordering = ("requested_at", "pk")
        indexes = (models.Index(fields=("state", "requested_at"), name="publication_by_state"),)
        constraints = (
            CheckConstraint(
                condition=~Q(state__in=("asked", "hidden", "withdrawn")) | ~Q(reason=""),
                name="a_publication_held_back_says_why",
            ),
        )

    def __str__(self) -> str:
        return f"{self.run}: {self.state}"


class Ban(models.Model):
    """An account that may not submit or publish any more, and why."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="ban"
    )
    reason = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.user}: {self.reason}"


class BanMark(models.Model):
    """By what a banned person is known again: a keyed digest, no address. No account of theirs."""

    digest = models.CharField(max_length=64, unique=True)
    reason = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.reason


class SpotCheck(models.Model):
    """Cases of an upload asked again at an endpoint, and how far the answers agree."""

    upload = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="spot_checks")
    asked = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="spot_check_of")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    # Cases with a verdict on both sides, and those with the same one. Null: not over yet.
    compared = models.PositiveIntegerField(null=True, blank=True)
    agreed = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            CheckConstraint(
                condition=Q(compared=None, agreed=None) | Q(agreed__lte=models.F("compared")),
                name="no_more_cases_agree_than_were_compared",
            ),
        )

    def __str__(self) -> str:
        return f"spot check of {self.upload}"


class Notice(models.Model):
    """A mail that is due: written in the transaction of what it tells, sent once afterwards."""

    class Kind(models.TextChoices):
        WAITING = "waiting", "An entry waits for a moderator"
        ASKED = "asked", "A moderator asks"
        APPROVED = "approved", "A moderator has published a run"
        HIDDEN = "hidden", "A moderator has hidden a run"
        BANNED = "banned", "The account is banned"
        FINISHED = "finished", "A run has finished"
        INCOMPLETE = "incomplete", "A run has ended incomplete"
        FAILED = "failed", "A run has failed"
        PAUSED = "paused", "A run is paused"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    kind = models.CharField(max_length=12, choices=Kind)
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.CASCADE, related_name="notices"
    )
    text = models.TextField(blank=True)  # the reason or question as it was then
    due_at = models.DateTimeField(default=timezone.now)
    # Set before the mail server is told: whatever happens then, it is not told again.
    taken_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("due_at",), condition=Q(taken_at=None), name="notice_that_is_due"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user}"


class MailChoice(models.Model):
    """Which mail somebody wants beside what their account's safety needs; no row: all of it."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_choice"
    )
    runs = models.BooleanField(default=True)  # their runs end or stand still
    decisions = models.BooleanField(default=True)  # moderators ask or decide
    queue = models.BooleanField(default=True)  # of a moderator: something waits

    def __str__(self) -> str:
        return f"mail for {self.user}"
