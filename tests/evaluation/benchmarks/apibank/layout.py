"""A checkout and a tarball as the published repository has them at the pinned commit."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path

from evaluation.benchmarks.apibank.descriptions import FOLDERS, read_descriptions

TOP = "DAMO-ConvAI-483554ea0123456789abcdef0123456789abcdef"  # as the host names archives
COPIED = ("init_database", "lv1-lv2-samples", "lv3-samples", "all_apis.csv")
# What lies around there, and is nothing to us.
OTHERS = {
    "README.md": "# Everything",
    "LICENSE": "MIT",
    "other-project/init_database/notes.txt": "none of ours",
    "api-bank/evaluator.py": "raise SystemExit('run')",
    "api-bank/apis/__init__.py": "from .api import API",
    "api-bank/apis/api.py": "raise SystemExit('run')\nclass API:\n    pass\n",
    "api-bank/training-data/README.md": "moved",
}


def lay_out(data: Path, folder: Path) -> Path:
    """The folder `api-bank` of the pinned commit: sources of tools, and no tasks of level 3."""
    root = folder / "api-bank"
    for name, text in OTHERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for part in COPIED:
        source = data / part
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, root / part)
    shutil.copyfile(data / "LICENSE.api-bank", root / "LICENSE")
    for group, tools in read_descriptions(data).items():
        for name, tool in tools.items():
            path = root / FOLDERS[group] / f"{name.lower()}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source_of(name, tool))
    return root


def source_of(name: str, tool: object) -> str:
    """A tool's source as published: literals on a class, and code that must never run."""
    assert isinstance(tool, dict)
    attributes = "".join(f"    {part} = {tool[part]!r}\n" for part in tool if part != "name")
    return f"raise SystemExit('run')\nclass {name}(API):\n{attributes}    def call(self): pass\n"


def pack(data: Path, path: Path) -> Path:
    """The archive of that commit, with the header that its host puts first."""
    folder = path.parent / "checkout"
    lay_out(data, folder)
    header = {"comment": TOP.rpartition("-")[2]}
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT, pax_headers=header) as archive:
        archive.add(folder, TOP)
        extra = tarfile.TarInfo(f"{TOP}/api-bank/link")
        extra.type, extra.linkname = tarfile.SYMTYPE, "../README.md"
        archive.addfile(extra, io.BytesIO())
    shutil.rmtree(folder)
    return path


def digest_of(target: Path) -> str:
    return str(json.loads((target / "manifest.json").read_text())["digest"])
