"""Addresses of accounts: django-allauth's views under our own paths, and our pages beside them.

Names that begin with account_, mfa_ and usersessions_ are the library's; it looks them up itself.
"""

from __future__ import annotations

from allauth.account import views as library
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path

from submissions import account_views as account
from submissions import organisation_views as organisations

own: list[URLPattern | URLResolver] = [
    path("", account.overview, name="account"),
    path("export.json", account.export, name="account-export"),
    path("delete/", account.delete, name="account-delete"),
    path("mail/", account.mail, name="account-mail"),
    path("tokens/", account.tokens, name="account-tokens"),
    path("tokens/<int:pk>/revoke/", account.revoke, name="token-revoke"),
    path("organisations/", organisations.listed, name="organisations"),
    path("organisations/<slug:slug>/", organisations.organisation, name="organisation"),
    path("organisations/<slug:slug>/domain/", organisations.domain, name="organisation-domain"),
    path("organisations/<slug:slug>/members/<int:pk>/", organisations.member, name="member"),
    path(
        "organisations/<slug:slug>/invitations/<int:pk>/withdraw/",
        organisations.withdraw,
        name="invitation-withdraw",
    ),
    path("invitations/<str:secret>/", organisations.invitation, name="invitation"),
    path("email/", library.email, name="account_email"),
    path("email/code/", library.email_verification_sent, name="account_email_verification_sent"),
    path("inactive/", library.account_inactive, name="account_inactive"),
    path("confirm/", library.reauthenticate, name="account_reauthenticate"),
    path(
        "confirm/mail/",
        library.request_reauthentication_code,
        name="account_request_reauthentication_code",
    ),
    path(
        "confirm/code/",
        library.confirm_reauthentication_code,
        name="account_confirm_reauthentication_code",
    ),
    path("password/", library.password_change, name="account_change_password"),
    path("password/set/", library.password_set, name="account_set_password"),
    path("password/reset/", library.password_reset, name="account_reset_password"),
    path("password/reset/sent/", library.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[-0-9A-Za-z]+)/$",
        library.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        library.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("sessions/", include("allauth.usersessions.urls")),
    path("two-factor/", include("allauth.mfa.urls")),
]
if settings.CALLBOARD_GITHUB:
    own += [
        path("connected/", include("allauth.socialaccount.urls")),
        path("", include("allauth.socialaccount.providers.github.urls")),
    ]

# Each of these pages has two names: ours, and the one the library looks up.
urlpatterns = [
    path("sign-in/", library.login, name="sign-in"),
    path("sign-in/", library.login, name="account_login"),
    path("sign-out/", library.logout, name="sign-out"),
    path("sign-out/", library.logout, name="account_logout"),
    path("sign-up/", library.signup, name="sign-up"),
    path("sign-up/", library.signup, name="account_signup"),
    path("account/", include(own)),
]
