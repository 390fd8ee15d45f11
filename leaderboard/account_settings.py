"""Settings of accounts: how one gets in, how often one may try, what GitHub is asked.

Part of leaderboard.settings, which takes every name in capitals from here.
"""

from __future__ import annotations

import os

from leaderboard.environment import BEHIND_PROXY, LOCAL

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "my-submissions"
LOGOUT_REDIRECT_URL = "home"

# Accounts: a name, an address that has been verified, a password; two factors where wanted.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "submissions.accounts.Accounts"
ACCOUNT_FORMS = {"login": "submissions.accounts.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_USERNAME_BLACKLIST = ["admin", "administrator", "callboard", "moderator", "root", "staff"]
ACCOUNT_USERNAME_VALIDATORS = "submissions.accounts.USERNAME_VALIDATORS"
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of a changed password, address or second factor
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Callboard] "
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_SIGNUP_REDIRECT_URL = "submit"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "http" if LOCAL else "https"
# Attempts per address of the sender (ip), per name or address tried (key), per account (user).
# More than these answer 429.
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/300s/key",
    "signup": "10/m/ip,60/d/ip",
    "confirm_email": "1/10s/key",
    "reset_password": "10/m/ip,5/m/key",
    "reset_password_from_key": "10/m/ip",
    "change_password": "5/m/user",
    "manage_email": "10/m/user",
    "reauthenticate": "10/m/user",
    # our own pages
    "export": "5/m/user",
    "delete": "5/m/user",
    "token": "10/m/user",
    "organisation": "20/m/user",
    "upload": "10/m/user,60/h/user",
}
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if BEHIND_PROXY else 0
MFA_ADAPTER = "submissions.accounts.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Callboard"
MFA_TOTP_TOLERANCE = 1  # periods of 30 seconds by which a clock may be off
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = LOCAL
MFA_RATE_LIMITS = {"webauthn_login": "10/m/ip"}
# Sign in with GitHub is offered when the operator has registered this site there.
CALLBOARD_GITHUB = bool(os.environ.get("CALLBOARD_GITHUB_ID"))
SOCIALACCOUNT_ADAPTER = "submissions.accounts.GitHubAccounts"
SOCIALACCOUNT_PROVIDERS = {"github": {"SCOPE": ["user:email"], "VERIFIED_EMAIL": False}}
if CALLBOARD_GITHUB:
    SOCIALACCOUNT_PROVIDERS["github"]["APPS"] = [
        {
            "client_id": os.environ["CALLBOARD_GITHUB_ID"],
            "secret": os.environ.get("CALLBOARD_GITHUB_SECRET", ""),
        }
    ]
