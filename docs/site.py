"""``python -m docs.site``: the pages as a static site in ``build/site``, by MkDocs with the Material theme.

What is written stays written for readers of the repository: links lead to files. For the site the pages are copied, the
README becomes its first page, and files that pages link to come along. A link that leads nowhere ends the build.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")
PAGES_OF_ROOT = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "LICENSE": "licence.txt"}
"""What stands beside the folder of the pages → what it is called on the site."""


def stage(root: Path, into: Path) -> None:
    """Copy the pages, with their links led to where things are on the site."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    docs = root / "docs"
    sources = {path: path.relative_to(docs) for path in sorted(docs.rglob("*.md"))}
    sources |= {root / name: Path(target) for name, target in PAGES_OF_ROOT.items()}
    for source, target in sources.items():
        place = into / target
        place.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        place.write_text(_led(text, source, target, root, into), encoding="utf-8")


def _led(text: str, source: Path, target: Path, root: Path, into: Path) -> str:
    """The text of a page with each link to a file of the repository led to a file of the site."""

    def lead(match: re.Match[str]) -> str:
        opening, link, anchor, closing = match.groups()
        if re.match(r"[a-z]+:", link):
            return match[0]
        to = (source.parent / link).resolve()
        if not to.exists() or not to.is_relative_to(root):
            return match[0]  # a link that leads nowhere is left for the builder to find
        return f"{opening}{_way(target, _place(to, root, into))}{anchor or ''}{closing}"

    fenced = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(lead, part) for part in fenced)


def _place(file: Path, root: Path, into: Path) -> Path:
    """Where a file of the repository is on the site; what is no page is copied there."""
    name = file.relative_to(root)
    if name.as_posix() in PAGES_OF_ROOT:
        return Path(PAGES_OF_ROOT[name.as_posix()])
    if file.is_dir():
        return Path("codes.md") if name.as_posix() == "docs/codes" else Path("index.md")
    if name.parts[0] == "docs" and file.suffix == ".md":
        return name.relative_to("docs")
    copy = Path("files", *name.parts).with_suffix(f"{file.suffix}.txt")
    (into / copy).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, into / copy)
    return copy


def _way(source: Path, target: Path) -> str:
    """The link from one page to another."""
    up = [".."] * len(source.parent.parts)
    return Path(*up, target).as_posix()


def main(root: Path = ROOT) -> int:
    """Build the site; the exit code of MkDocs, which fails on any warning. What it says is shown where it fails."""
    stage(root, root / "build" / "site-source")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(root / "mkdocs.yml")]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # an advertisement
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if done.returncode:
        sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
