"""What a database needs before the site can be used on this machine; each step happens once."""

from __future__ import annotations

import hashlib
from pathlib import Path

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command

from evaluation.benchmarks import suite
from evaluation.models import Benchmark
from evaluation.services import benchmarks

BENCHMARK = "bfcl-v4"
ADMIN = "admin"


def load_benchmark() -> Benchmark:
    """The benchmark in the database, with what this machine can ask of it by now."""
    loaded = benchmarks.ensure_loaded(suite(BENCHMARK))
    benchmarks.refresh(loaded, suite(BENCHMARK))
    return loaded


def runnable() -> list[Benchmark]:
    """The benchmarks of which this installation can ask anything."""
    return [one for one in Benchmark.objects.current() if one.runnable]


def make_admin(password: str) -> User:
    """An administrator of this installation. A password changed later is left alone."""
    user, is_new = User.objects.get_or_create(
        username=ADMIN, defaults={"is_staff": True, "is_superuser": True}
    )
    if is_new:
        user.set_password(password)
    user.email = user.email or f"{ADMIN}@localhost"
    user.save()
    if not EmailAddress.objects.filter(user=user).exists():  # signing in asks for a verified one
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def collect_static(stamp: Path) -> None:
    """Gather, hash and compress the site's files, if any of them has changed since."""
    state = _fingerprint()
    if stamp.is_file() and stamp.read_text("utf-8") == state:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(state, "utf-8")


def _fingerprint() -> str:
    """Of the project's static files, the packages that bring their own, and the target."""
    folder = Path(settings.BASE_DIR)
    digest = hashlib.sha256((folder / "requirements.txt").read_bytes())
    target = Path(settings.STATIC_ROOT)
    digest.update(f"{target} {target.is_dir()}".encode())
    for path in sorted((folder / "static").rglob("*")):
        about = path.stat()
        digest.update(f"{path} {about.st_size} {about.st_mtime_ns}".encode())
    return digest.hexdigest()
