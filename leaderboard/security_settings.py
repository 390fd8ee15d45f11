"""Settings of what browsers are told and which requests are read at all.

Part of leaderboard.settings, which takes every name in capitals from here.
"""

from __future__ import annotations

import os

from leaderboard.account_settings import CALLBOARD_GITHUB
from leaderboard.environment import BEHIND_PROXY, LOCAL

# Everywhere: no inline script or style, nothing from elsewhere.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        # a form that leads on to GitHub counts as sent there
        "form-action": ["'self'", *(["https://github.com"] if CALLBOARD_GITHUB else [])],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not LOCAL
SECURE_SSL_REDIRECT = not LOCAL
SECURE_HSTS_SECONDS = 0 if LOCAL else int(os.environ.get("CALLBOARD_HSTS") or 31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not LOCAL
if BEHIND_PROXY:  # it must set, not pass on, this header
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# What no page needs, no page may ask the reader's machine for; passkeys are ours alone.
CALLBOARD_PERMISSIONS_POLICY = {
    **dict.fromkeys(
        (
            *("accelerometer", "autoplay", "browsing-topics", "camera"),
            *("display-capture", "encrypted-media", "fullscreen", "geolocation", "gyroscope"),
            *("hid", "identity-credentials-get", "idle-detection", "local-fonts"),
            *("magnetometer", "microphone", "midi", "payment", "picture-in-picture"),
            *("screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
        ),
        "()",
    ),
    **dict.fromkeys(("publickey-credentials-create", "publickey-credentials-get"), "(self)"),
    "clipboard-write": "(self)",  # of commands to copy
}
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"

# Bytes of a request's body, files included. Only these addresses read more, and only of people who
# are signed in: whatever else is posted is read by the check of its token, whoever sent it.
CALLBOARD_BODY = 1024 * 1024
CALLBOARD_LARGE_BODIES = frozenset({"upload", "api-submissions"})
DATA_UPLOAD_MAX_MEMORY_SIZE = CALLBOARD_BODY
