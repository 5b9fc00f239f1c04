"""Links of the documentation: of Markdown files (python docs/links.py checks them), and of the built site.

Only files and headings of our own are looked at; links to other hosts are not followed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"(?:\]\(|(?:src|href)=\")(?P<file>[^)#:\"\s]*)(?:#(?P<heading>[^)\"\s]+))?(?:\)|\")")
_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.md"))


def slug(heading: str) -> str:
    """The anchor of a heading, as forges and the site make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # a link's text
    text = re.sub(r"[^\w\- ]", "", text.lower()).strip()
    return text.replace(" ", "-")


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings; the second of a name gets `_1`."""
    found: set[str] = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", _FENCE.sub("", text), re.MULTILINE):
        name, count = slug(heading), 0
        while (name if not count else f"{name}_{count}") in found:
            count += 1
        found.add(name if not count else f"{name}_{count}")
    return found


def broken_links(page: Path) -> Iterator[str]:
    """Links of a Markdown file to files and headings that are not there."""
    text = page.read_text(encoding="utf-8")
    prose = _CODE.sub("", _FENCE.sub("", text))
    for link in LINK.finditer(prose):
        target = page.parent / unquote(link["file"]) if link["file"] else page
        if not link["file"] and not link["heading"]:
            continue
        if not target.exists():
            yield f"{page}: no file {link['file']}"
        elif link["heading"] and target.suffix == ".md":
            known = anchors(target.read_text(encoding="utf-8"))
            if unquote(link["heading"]) not in known:
                yield f"{page}: no heading #{link['heading']} in {target.name}"


class _Page(HTMLParser):
    """Links and anchors of an HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.add(value)


def broken_hrefs(site: Path) -> list[str]:
    """Links of a built site to files and anchors that are not there."""
    read: dict[Path, _Page] = {}
    for path in sorted(site.rglob("*.html")):
        read[path.resolve()] = page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    wrong: list[str] = []
    for path, page in read.items():
        if path.name == "404.html":
            continue  # it is shown below any address
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                wrong.append(f"{path.relative_to(site.resolve())}: no file {link}")
            elif parts.fragment and target in read and unquote(parts.fragment) not in read[target].ids:
                wrong.append(f"{path.relative_to(site.resolve())}: no anchor {link}")
    return sorted(set(wrong))


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    found = [line for page in [root / "README.md", *pages(root / "docs")] for line in broken_links(page)]
    print("\n".join(found) or "every link leads somewhere")
    sys.exit(bool(found))
