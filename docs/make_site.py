"""Builds the documentation site: out/site/index.html. `make docs`, or python docs/make_site.py

Pages link to files of the repository (`../examples/…`); those are copied beside the pages, so that they can be
taken from the site. Notebooks are executed, and shown with their outputs. zensical then builds it strictly: a link that
leads nowhere ends the build.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from links import LINK, broken_hrefs, pages
from notebook_pages import write_page

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
STAGE, SITE = ROOT / "out/docs", ROOT / "out/site"
SHIM = "https://unpkg.com/iframe-worker/shim"  # of zensical's offline plugin
FILES = "files"  # files of the repository, on the site


def main() -> None:
    for folder in (STAGE, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, STAGE, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for notebook in sorted((STAGE / "notebooks").glob("*.ipynb")):
        write_page(notebook)
    for page in pages(STAGE):
        page.write_text(with_files_beside(page), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit("the site was not built: see the messages above")
    for page in SITE.rglob("*.html"):
        page.write_text(without_other_hosts(page), encoding="utf-8")
    wrong = broken_hrefs(SITE)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(list(SITE.rglob('*.html')))} pages; open {(SITE / 'index.html').relative_to(ROOT)}")


def without_other_hosts(page: Path) -> str:
    """The page with our own script for search from a folder, in the place of one that another host would deliver."""
    own = os.path.relpath(SITE / "file_worker.js", page.parent)
    return page.read_text(encoding="utf-8").replace(SHIM, own)


def with_files_beside(page: Path) -> str:
    """The page's text, in which links out of docs/ lead to copies of those files."""
    here = DOCS / page.relative_to(STAGE)

    def moved(link: re.Match[str]) -> str:
        target = (here.parent / link["file"]).resolve() if link["file"] else here
        if target.suffix == ".ipynb" and target.parent != here.parent:
            return link[0].replace(".ipynb", ".md", 1)
        if target.is_relative_to(DOCS) or not target.exists():
            return link[0]
        return link[0].replace(link["file"], copied(target, page), 1)

    return LINK.sub(moved, page.read_text(encoding="utf-8"))


def with_links_on_the_site(source: Path, place: Path) -> str:
    """The text of a Markdown file of the repository, whose links lead to pages of the site, or to copies of files."""

    def moved(link: re.Match[str]) -> str:
        target = (source.parent / link["file"]).resolve()
        if not link["file"] or not target.is_relative_to(ROOT) or not target.exists():
            return link[0]
        if target.is_relative_to(DOCS):
            return link[0].replace(link["file"], os.path.relpath(STAGE / target.relative_to(DOCS), place.parent), 1)
        return link[0].replace(link["file"], copied(target, place), 1)

    return LINK.sub(moved, source.read_text(encoding="utf-8"))


def copied(source: Path, page: Path) -> str:
    """Copies a file, or a folder as a list of its files, and gives the link to it from the page."""
    place = STAGE / FILES / source.relative_to(ROOT)
    if source.is_dir():
        files = sorted(f for f in source.iterdir() if f.is_file())
        lines = [f"- [{f.name}]({f.name})" for f in files]
        for f in files:
            copied(f, page)
        place = place / "index.md"
        place.write_text("\n".join([f"# {source.relative_to(ROOT)}", "", *lines, ""]), encoding="utf-8")
    elif not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)
        if source.suffix == ".md":
            place.write_text(with_links_on_the_site(source, place), encoding="utf-8")
    return os.path.relpath(place, page.parent)


if __name__ == "__main__":
    main()
