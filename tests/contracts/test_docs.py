"""The pages that are made from data are up to date, links lead somewhere, and every page is in the navigation."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def _script(name):
    """A script of docs/, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


links = _script("links")
PAGES = [str(p.relative_to(ROOT)) for p in links.pages(DOCS)]


@pytest.mark.filterwarnings("ignore")
def test_made_pages_are_current():
    made = {name: page() for name, page in _script("generate").PAGES.items()}
    stale = [name for name, text in made.items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run: python docs/generate.py"


@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_links_lead_somewhere(page):
    """Files and headings. `make docs` checks the built site as well."""
    assert list(links.broken_links(ROOT / page)) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# A heading, twice\n\n# A heading, twice\n")
    page = tmp_path / "page.md"
    page.write_text("[a](other.md#a-heading-twice) [b](other.md#a-heading-twice_1) [c](https://host/x)\n")
    assert list(links.broken_links(page)) == []
    page.write_text("[a](gone.md) [b](other.md#gone) ![c](gone.svg) [d](#here)\n\n`[x](y)`\n```\n[x](y)\n```\n")
    assert len(list(links.broken_links(page))) == 4


def _in_navigation(part):
    if isinstance(part, str):
        yield part
    else:
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _in_navigation(inner)


def test_every_page_is_in_the_navigation_once():
    listed = list(_in_navigation(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]))
    notebooks = [p.with_suffix(".md") for p in DOCS.glob("notebooks/*.ipynb")]  # pages of the site
    written = sorted(str(p.relative_to(DOCS)) for p in [*links.pages(DOCS), *notebooks])
    assert sorted(listed) == written, "list the page in nav of zensical.toml"


CONCEPTS = next(
    p["Concepts"] for p in tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"] if "Concepts" in p
)


@pytest.mark.parametrize("page", list(_in_navigation(CONCEPTS)))
def test_a_concept_starts_with_a_picture_and_a_sentence(page):
    head, picture, sentence = (DOCS / page).read_text(encoding="utf-8").split("\n\n")[:3]
    assert head.startswith("# ") and picture.startswith("![")
    assert sentence[0].isupper() and sentence.rstrip().endswith((".", ":"))


@pytest.mark.parametrize("page", PAGES)
def test_drawings_of_characters_fit_the_page(page):
    """100 columns are shown on a desk of 1280 px; longer lines are wrapped, which is for code and messages."""
    blocks = re.findall(
        r"^```(?:text)?\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    drawn = [line for text in blocks for line in text.splitlines() if re.search("[│▼▶◀┼─├╰]", line)]
    assert [line for line in drawn if len(line) > 100] == []


MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATED = re.compile(rf"\b20\d\d-\d\d-\d\d\b|\b({MONTHS}) 20\d\d\b")
CLAIMS = ["comparison.md", "peers.md", "performance.md", "gpu.md", "accuracy.md"]  # pages that say how peers behave
WRITTEN = re.compile(r"<!-- (?:loading|dropped|accuracy|lengths|bench): begin.*?-->\n(.*?)\n", re.DOTALL)


def test_claims_about_peers_are_dated():
    """Other programs change: what is said of them holds for a version and a day."""
    undated = [name for name in CLAIMS if not DATED.search((DOCS / name).read_text(encoding="utf-8"))]
    undated += [
        str(page.relative_to(DOCS))
        for page in sorted((DOCS / "how-to").glob("*.md"))
        if not re.search(rf"^\*Elsewhere \(({MONTHS}) 20\d\d\): ", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert undated == []


def test_measured_tables_give_day_and_versions():
    heads = WRITTEN.findall((DOCS / "performance.md").read_text(encoding="utf-8"))
    assert len(heads) == 5
    for head in heads:
        assert DATED.search(head) and re.search(r"gearwright \d+\.\d+.* \d+\.\d+\.\d+", head), head


def test_the_comparison_gives_the_version_of_every_column():
    text = (DOCS / "comparison.md").read_text(encoding="utf-8")
    (heading,) = re.findall(r"^\| \| \*\*GW\*\* \|(.*)\|$", text, re.MULTILINE)
    versions = dict(re.findall(r"^\| (\w\w) \| [^|]+ \| ([^|]+) \|$", text.split("## Versions")[1], re.MULTILINE))
    assert list(versions) == [column.strip() for column in heading.split("|")]
    assert all(re.search(r"\d+\.\d+|[0-9a-f]{7}|documentation", version) for version in versions.values())


def test_drawings_are_the_same_on_every_run(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    for picture in _script("concept_pictures").PICTURES:
        kept = DOCS / "figures/concepts" / f"{picture.__name__}.svg"
        assert kept.read_text(encoding="utf-8") == picture().svg(), "run: python docs/concept_pictures.py"
