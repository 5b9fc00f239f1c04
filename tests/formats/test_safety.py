"""Hostile files: each loads or is refused with a diagnostic, within seconds and bounded memory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

import gearwright
from gearwright import Mechanism
from tests.formats.guarded import SECONDS, Outcome, guarded
from tests.tolerances import ROUNDING

BOX = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
SDF = '<sdf version="1.11"><model name="m">{}</model></sdf>'
LINK = '<link name="a"/>'


def robot(parts: str) -> str:
    return f'<robot name="r">{parts}</robot>'


def outcome_of(
    text: str | bytes, then: Callable[[Mechanism], object] = lambda m: None, seconds: int = SECONDS
) -> Outcome:
    def work() -> object:
        return then(gearwright.loads(text))

    return guarded(work, seconds)


def file_outcome(path: Path | str, **options: object) -> Outcome:
    def work() -> None:
        gearwright.load(path, **options)  # type: ignore[arg-type]

    return guarded(work)


def refused(outcome: Outcome, *codes: str) -> None:
    assert outcome.kind == "refused", f"{outcome.kind} after {outcome.seconds:.1f} s: {outcome.detail}"
    assert set(outcome.codes) & set(codes), f"{outcome.codes}: {outcome.detail}"


def loaded(outcome: Outcome) -> None:
    assert outcome.kind == "loaded", f"{outcome.kind} after {outcome.seconds:.1f} s: {outcome.detail}"


def survived(outcome: Outcome) -> None:
    assert outcome.fine, f"{outcome.kind} after {outcome.seconds:.1f} s: {outcome.detail}"


# --- entities and DTDs ------------------------------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
DTDS = {
    "billion laughs": f'<!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;">{LINK}</robot>',
    "quadratic blowup": f'<!DOCTYPE robot [<!ENTITY a "{"x" * 9_999}">]><robot name="r">{"&a;" * 9_999}{LINK}</robot>',
    "external entity": (
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"><link name="a"/></robot>'
    ),
    "external dtd": '<!DOCTYPE robot SYSTEM "http://localhost:1/x.dtd"><robot name="r"><link name="a"/></robot>',
    "parameter entity": (
        '<!DOCTYPE robot [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><robot name="r"><link name="a"/></robot>'
    ),
    "plain dtd": '<!DOCTYPE robot><robot name="r"><link name="a"/></robot>',
    "dtd after a comment": '<!-- <!-x --><!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"><link name="a"/></robot>',
    "dtd with space": '<!DOCTYPE\n\trobot [<!ENTITY a "b">]><robot name="&a;"><link name="a"/></robot>',
    "default attributes": '<!DOCTYPE robot [<!ATTLIST robot name CDATA "evil">]><robot><link name="a"/></robot>',
}


@pytest.mark.parametrize("text", DTDS.values(), ids=DTDS)
def test_dtds_and_entities_are_refused(text: str) -> None:
    refused(outcome_of(text), "xml-unsafe")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_dtds_hide_in_no_encoding(encoding: str) -> None:
    refused(outcome_of(DTDS["billion laughs"].encode(encoding)), "xml-unsafe", "xml-malformed")


def test_the_word_doctype_in_a_comment_is_harmless() -> None:
    loaded(outcome_of(f'<!-- <!DOCTYPE x> --><robot name="r">{LINK}<!-- <!ENTITY a "b"> --></robot>'))


def test_undeclared_entities_are_refused() -> None:
    refused(outcome_of('<robot name="&nothing;"><link name="a"/></robot>'), "xml-malformed", "xml-unsafe")
    refused(outcome_of('<robot name="r"><link name="a"/>&nothing;</robot>'), "xml-malformed", "xml-unsafe")


# --- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [300, 10_000, 300_000])
def test_deep_nesting(depth: int) -> None:
    refused(outcome_of(robot(LINK + "<x>" * depth + "</x>" * depth)), "xml-unsafe")
    refused(outcome_of("<robot>" * depth), "xml-unsafe", "xml-malformed")


def test_deeply_nested_models() -> None:
    refused(outcome_of(SDF.format('<model name="n">' * 100 + LINK + "</model>" * 100)), "xml-unsafe")


@pytest.mark.parametrize("megabytes", [1, 9, 10, 31, 40])
def test_a_huge_attribute(megabytes: int) -> None:
    survived(outcome_of(robot(f'<link name="a" comment="{"x" * megabytes * 10**6}"/>')))


@pytest.mark.parametrize(
    "text", ["1" * 9_000_000, "1." + "0" * 9_000_000, "1e" + "9" * 9_000_000, " " * 9_000_000 + "1"]
)
def test_a_huge_number(text: str) -> None:
    survived(outcome_of(robot(f'<link name="a"><inertial><mass value="{text}"/></inertial></link>')))


FLAT: dict[str, tuple[Callable[[int], str], int]] = {  # n parts, and how many
    "elements": (lambda n: "<a/>" * n, 500_000),
    "as many as fit": (lambda n: "<a/>" * n, 8_000_000),
    "elements and words": (lambda n: "<a/>x" * n, 500_000),
    "links": (lambda n: "".join(f'<link name="l{i}"/>' for i in range(n)), 90_000),
    "same links": (lambda n: '<link name="a"/>' * n, 300_000),
    "unknown names": (lambda n: "".join(f"<u{i}/>" for i in range(n)), 90_000),
    "nameless joints": (lambda n: "<joint/>" * n, 500_000),
    "declarations": (lambda n: "<?xml ?>" * n, 100_000),
    "open declarations": (lambda n: "<?xml " * n, 1_000_000),
    "comments": (lambda n: "<!---->" * n, 1_000_000),
    "instructions": (lambda n: "<?a b?>" * n, 1_000_000),
    "character data": (lambda n: "<![CDATA[a]]>" * n, 500_000),
    "character references": (lambda n: "&#65;" * n, 1_000_000),
    "prefixes": (lambda n: "".join(f"<p{i}:a/>" for i in range(n)), 20_000),
}


# as large as files may be is slow; a quarter of it has two seconds instead of five
SHARES = pytest.mark.parametrize(("share", "seconds"), [(4, 2), pytest.param(1, SECONDS, marks=pytest.mark.slow)])


@SHARES
@pytest.mark.parametrize("what", FLAT)
def test_many_tiny_parts(what: str, share: int, seconds: int) -> None:
    parts, n = FLAT[what]
    survived(outcome_of(robot(LINK + parts(n // share)), seconds=SECONDS if what == "as many as fit" else seconds))


def test_many_attributes() -> None:
    plain = " ".join(f'a{i}="{i}"' for i in range(100_000))
    survived(outcome_of(f'<robot name="r" {plain}><link name="a"/></robot>'))


def test_many_namespaces() -> None:
    spaces = " ".join(f'xmlns:p{i}="u{i}" p{i}:a="1"' for i in range(20_000))
    survived(outcome_of(f'<robot name="r" {spaces}><link name="a"/></robot>'))


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA[", "<!DOCTYPE", "<!--<!DOCTYPE"])
def test_openings_without_end(opening: str) -> None:
    refused(outcome_of('<robot name="r"><!-- <!DOCTYPE -->' + opening * 300_000), "xml-malformed", "xml-unsafe")


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "big.urdf"
    with path.open("wb") as f:
        f.write(b"<robot>")
        f.truncate(3 * 2**30)  # a hole: costs no disk
    refused(file_outcome(path), "file-unreadable")


# --- names ------------------------------------------------------------------------------------------------------------


def test_a_huge_name_above_many_parts() -> None:
    """A name that every diagnostic and every source below it repeats."""
    links = "".join(f'<link name="l{i}"><nonsense{i}/></link>' for i in range(2_000))
    survived(outcome_of(f'<sdf version="1.11"><model name="{"n" * 5_000_000}">{links}</model></sdf>'))


def test_a_huge_name_in_every_message() -> None:
    name = "n" * 1_000_000
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="a"/><child link="{name}"/></joint>' for i in range(20)
    )
    survived(outcome_of(robot(LINK + joints)))


@pytest.mark.parametrize(
    "name", ["a&#10;b", "a&#13;b", "&#9;", "\x85", "\u2028", "a\u202eb", "\U0001f916", "a/b", "..", "%s{}", "$(x)"]
)
def test_odd_names(name: str) -> None:
    text = robot(
        f'<link name="{name}"/><link name="b"/>'
        f'<joint name="{name}" type="fixed"><parent link="{name}"/><child link="b"/></joint><{"x" * 10}/>'
    )

    def then(m: Mechanism) -> None:
        assert len(m.links) == 2
        assert all("\n" not in str(d) for d in m.diagnostics)
        assert repr(m)

    loaded(outcome_of(text, then))


@pytest.mark.parametrize("name", ["a&#10;b", "a&#27;[31mb", "a&#x9b;31mb", "&#0;", "a\x1bb", "a\x07"])
def test_control_characters_do_not_reach_a_terminal(name: str) -> None:
    """One diagnostic is one line, and paints no terminal."""
    text = robot(f'<link name="{name}"/><joint name="{name}" type="{name}"/><{"x" * 10}/>')

    def work() -> list[str]:
        try:
            gearwright.loads(text)
        except gearwright.LoadError as error:
            return [str(d) for d in error.diagnostics]
        return []

    outcome = guarded(work)
    loaded(outcome)
    assert outcome.value
    assert not [c for s in outcome.value for c in s if ord(c) < 32 or 127 <= ord(c) < 160]


def test_deep_scopes_in_names() -> None:
    deep = "::".join("a" * 300)
    joint = f'<joint name="j" type="fixed"><parent>a</parent><child>{deep}</child></joint>'
    refused(outcome_of(SDF.format(LINK + joint)), "link-not-found")
    refused(outcome_of(SDF.format(LINK + f'<frame name="f" attached_to="{deep}"/>')), "frame-not-found")
    refused(outcome_of(SDF.format(LINK + f'<frame name="f"><pose relative_to="{deep}"/></frame>')), "frame-not-found")
    for text in (f'<link name="{deep * 1_000}"/>', LINK + joint.replace(deep, deep * 1_000)):
        survived(outcome_of(SDF.format(text)))


# --- the text itself --------------------------------------------------------------------------------------------------

PLAIN = robot(LINK)
BROKEN_TEXT = {
    "empty": b"",
    "spaces": b"  \n ",
    "one byte": b"\x80",
    "NUL": PLAIN.replace("link", "li\0nk").encode(),
    "NULs": b"\0" * 1_000_000,
    "invalid UTF-8": PLAIN.encode().replace(b'"a"', b'"\xff\xfe"'),
    "overlong UTF-8": PLAIN.encode().replace(b'"a"', b'"\xc0\xaf"'),
    "surrogates in UTF-8": PLAIN.encode().replace(b'"a"', b'"\xed\xa0\x80"'),
    "lone surrogate in UTF-16": b"\xff\xfe" + PLAIN.replace('"a"', '"\ud800"').encode("utf-16-le", "surrogatepass"),
    "odd length UTF-16": PLAIN.encode("utf-16") + b"x",
    "UTF-16 without BOM": PLAIN.encode("utf-16-le"),
    "UTF-16 big-endian without BOM": PLAIN.encode("utf-16-be"),
    "UTF-32": PLAIN.encode("utf-32"),
    "declared UTF-16": b'<?xml version="1.0" encoding="utf-16"?>' + PLAIN.encode(),
    "declared ASCII": b'<?xml version="1.0" encoding="ascii"?>' + robot('<link name="\u00e9"/>').encode(),
    "binary": bytes(range(256)) * 100,
    "gzip": b"\x1f\x8b\x08\x00" + bytes(100),
    "JSON": b'{"robot": 1}',
    "HTML": b"<html><body><p>Not found<br></body></html>",
    "control character": PLAIN.replace('"a"', '"\x01"').encode(),
    "character reference to NUL": PLAIN.replace('"a"', '"&#0;"').encode(),
    "character reference beyond Unicode": PLAIN.replace('"a"', '"&#x110000;"').encode(),
    "two roots": (PLAIN + PLAIN).encode(),
    "text after the root": (PLAIN + "x").encode(),
    "attribute twice": b'<robot name="r" name="s"><link name="a"/></robot>',
    "cut off": PLAIN.encode()[:-9],
    "mismatched": b'<robot name="r"><link name="a"></robot></link>',
    "no quotes": b"<robot name=r><link name=a/></robot>",
}


@pytest.mark.parametrize("data", BROKEN_TEXT.values(), ids=BROKEN_TEXT)
def test_broken_text_is_refused(data: bytes) -> None:
    refused(outcome_of(data), "xml-malformed", "format-unknown", "xml-unsafe")


@pytest.mark.parametrize(
    "encoding",
    ["utf-7", "rot13", "zlib", "hex", "base64", "idna", "punycode", "unicode_escape", "nonsense", "x" * 1000, ""],
)
def test_odd_encodings_are_refused(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + robot('<link name="\u00e9"/>').encode("latin-1")
    refused(outcome_of(data), "xml-malformed")


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-8-sig", ""),
        ("utf-16", "UTF-16"),
        ("utf-16", ""),
        ("latin-1", "ISO-8859-1"),
        ("cp1252", "windows-1252"),
        ("utf-8", ""),
    ],
)
def test_usual_encodings_are_read(encoding: str, declared: str) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    m = gearwright.loads((head + robot('<link name="\u00e9"/>')).encode(encoding))
    assert list(m.links) == ["\u00e9"]


# --- numbers ----------------------------------------------------------------------------------------------------------

NO_NUMBERS = [
    "nan",
    "-NaN",
    "inf",
    "1e999",
    "1_000",
    "\u0661\u0662",
    "0x10",
    "1,5",
    "1.5f",
    "",
    "--1",
    "1 2",
    "\uff11",
    "1e",
    "one",
    "1\u00a0",
]


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_what_is_no_finite_number_is_refused(number: str) -> None:
    refused(outcome_of(robot(f'<link name="a"><inertial><mass value="{number}"/></inertial></link>')), "number-invalid")
    refused(
        outcome_of(robot(f'<link name="a"><inertial><origin xyz="0 0 {number or "x"}"/></inertial></link>')),
        "number-invalid",
    )
    sdf = f'<link name="a"><inertial><mass>{number}</mass></inertial></link>'
    refused(outcome_of(SDF.format(sdf)), "number-invalid")


HUGE = ["1e308", "-1e308", "1e200", "1e-320", "1e-200", "-1e-200", "4.9e-324"]


@pytest.mark.parametrize("x", HUGE)
@pytest.mark.parametrize(
    "place",
    [
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>{0} {0} 0</xyz></axis></joint>',
        (
            '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>'
            "<limit><lower>{0}</lower><upper>{0}</upper></limit></axis></joint>"
        ),
        (
            '<joint name="j" type="screw"><parent>a</parent><child>b</child>'
            "<thread_pitch>{0}</thread_pitch><axis><xyz>1 0 0</xyz></axis></joint>"
        ),
        (
            '<joint name="j" type="screw"><parent>a</parent><child>b</child>'
            "<screw_thread_pitch>{0}</screw_thread_pitch><axis><xyz>1 0 0</xyz></axis></joint>"
        ),
        (
            '<joint name="j" type="fixed"><parent>a</parent><child>b</child><pose '
            'rotation_format="quat_xyzw">0 0 0 {0} 0 0 0</pose></joint>'
        ),
        '<joint name="j" type="fixed"><parent>a</parent><child>b</child><pose>{0} {0} {0} {0} {0} {0}</pose></joint>',
        (
            '<joint name="j" type="fixed"><parent>a</parent><child>b</child><pose degrees="true">0 0 '
            "0 {0} {0} {0}</pose></joint>"
        ),
        (
            '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint><link name="c">'
            "<inertial><mass>1</mass><inertia><ixx>{0}</ixx><ixy>{0}</ixy></inertia></inertial></link>"
        ),
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>'
        '</axis></joint><link name="c"/><link name="d"/>'
        '<joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz>'
        '<mimic joint="j"><multiplier>{0}</multiplier><offset>{0}</offset>'
        "<reference>{0}</reference></mimic></axis></joint>"
        '<joint name="l" type="revolute"><parent>c</parent><child>d</child><axis><xyz>1 0 0</xyz>'
        '<mimic joint="k"><multiplier>{0}</multiplier><offset>{0}</offset>'
        "<reference>{0}</reference></mimic></axis></joint>",
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>'
        '</axis></joint><link name="c"/>'
        '<joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz>'
        '<mimic joint="j"><multiplier>1</multiplier><reference>{0}</reference><powers>{0} '
        "{0}</powers></mimic></axis></joint>",
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>'
        '<transmission name="t" type="simple"><actuator name="m">'
        '<mechanical_reduction>{0}</mechanical_reduction></actuator><joint name="j">'
        "<mechanical_reduction>{0}</mechanical_reduction></joint></transmission>",
    ],
    ids=[
        "axis",
        "limits",
        "old pitch",
        "pitch",
        "quaternion",
        "pose",
        "degrees",
        "inertia",
        "mimic",
        "powers",
        "reduction",
    ],
)
def test_extreme_numbers(place: str, x: str) -> None:
    """Finite, yet they overflow when squared, multiplied or divided by."""

    def then(m: Mechanism) -> None:
        import numpy as np

        assert m.dof >= 0
        assert all(np.isfinite(X).all() for X in m.forward_kinematics().values())
        m.reflected_inertia()
        repr(m)

    survived(outcome_of(SDF.format(LINK + '<link name="b"/>' + place.format(x)), then))


# --- what a file leads to ---------------------------------------------------------------------------------------------

PART = '<sdf version="1.11"><model name="part"><link name="p"/></model></sdf>'


def including(folder: Path, uri: str) -> Path:
    path = folder / "robot.sdf"
    path.write_text(SDF.format(f"{LINK}<include><uri>{uri}</uri></include>"))
    return path


@pytest.fixture
def fenced(tmp_path: Path) -> Path:
    """A folder for the robot, with a secret beside it."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "model.sdf").write_text(PART)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "part.sdf").write_text(PART)
    return tmp_path / "inside"


def test_an_include_beside_the_file_is_read(fenced: Path) -> None:
    loaded(file_outcome(including(fenced, "part.sdf")))
    loaded(file_outcome(including(fenced, "./part.sdf")))


@pytest.mark.parametrize(
    "uri",
    [
        "../secret/model.sdf",
        "../secret",
        "./../inside/../secret/model.sdf",
        "{outside}/secret/model.sdf",
        "file://{outside}/secret/model.sdf",
        "file://../secret/model.sdf",
        "model://../secret",
        "package://../secret/model.sdf",
        "/etc/passwd",
        "file:///etc/passwd",
        "link.sdf",
        "folder/model.sdf",
        "/proc/self/mem",
        "/proc/self/environ",
        "/dev/zero",
    ],
)
def test_an_include_does_not_leave_its_folder(fenced: Path, uri: str) -> None:
    (fenced / "link.sdf").symlink_to(fenced.parent / "secret" / "model.sdf")
    (fenced / "folder").symlink_to(fenced.parent / "secret")
    path = including(fenced, uri.format(outside=fenced.parent))
    refused(file_outcome(path), "include-unsafe", "include-not-found")


def test_a_search_path_allows_its_own_folder_only(fenced: Path) -> None:
    outside = fenced.parent
    loaded(file_outcome(including(fenced, "../secret/model.sdf"), search_path=[outside / "secret"]))
    loaded(file_outcome(including(fenced, "model://secret"), search_path=[outside]))
    refused(
        file_outcome(including(fenced, "model://../secret"), search_path=[fenced]),
        "include-unsafe",
        "include-not-found",
    )


@pytest.mark.parametrize(
    "uri", ["http://localhost:1/x.sdf", "https://localhost:1/x", "ftp://localhost/x", "data://x", "javascript://x"]
)
def test_nothing_is_fetched(fenced: Path, uri: str) -> None:
    refused(file_outcome(including(fenced, uri)), "include-not-found")


def test_odd_files_as_include_and_as_path(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.sdf")
    (tmp_path / "loop.sdf").symlink_to("loop.sdf")
    (tmp_path / "loop1.sdf").symlink_to("loop2.sdf")
    (tmp_path / "loop2.sdf").symlink_to("loop1.sdf")
    (tmp_path / "folder.sdf").mkdir()
    (tmp_path / "dangling.sdf").symlink_to("nowhere")
    for name in (
        "fifo.sdf",
        "loop.sdf",
        "loop1.sdf",
        "folder.sdf",
        "dangling.sdf",
        "nothing.sdf",
        "x" * 300,
        "x/" * 3000,
    ):
        refused(file_outcome(including(tmp_path, name)), "include-not-found", "include-unsafe")
        refused(file_outcome(tmp_path / name), "file-unreadable")


@pytest.mark.parametrize(
    "path",
    [
        "/dev/zero",
        "/dev/null",
        "/dev/stdin",
        "/dev/full",
        "/dev/random",
        "/proc/self/mem",
        "/proc/self/pagemap",
        "/proc/self/maps",
        "/proc",
        "/",
        "",
        ".",
        "\0",
        "a\0b",
    ],
)
def test_devices_as_path(path: str) -> None:
    refused(file_outcome(path), "file-unreadable", "xml-malformed")


def test_what_has_no_size_is_not_read() -> None:
    """The kernel's log looks like an empty file, and whoever reads it waits for the next line once it has been read."""
    log = "/proc/kmsg"
    try:
        handle = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        pytest.skip(f"{log}: {error}")
    with os.fdopen(handle, "rb", buffering=0) as file:
        while file.read(2**16):
            pass
    refused(file_outcome(log), "file-unreadable")
    refused(guarded(lambda: gearwright.open(log, trust=True)), "saved-code")


def test_a_socket_as_path(tmp_path: Path) -> None:
    os.mknod(tmp_path / "robot.urdf", stat.S_IFSOCK | 0o600)
    refused(file_outcome(tmp_path / "robot.urdf"), "file-unreadable")


def test_include_cycles(tmp_path: Path) -> None:
    text = '<sdf version="1.11"><model name="{}"><link name="l"/><include><uri>{}.sdf</uri></include></model></sdf>'
    for name, other in (("a", "b"), ("b", "a"), ("self", "self")):
        (tmp_path / f"{name}.sdf").write_text(text.format(name, other))
    refused(file_outcome(tmp_path / "a.sdf"), "include-cycle")
    refused(file_outcome(tmp_path / "self.sdf"), "include-cycle")


@pytest.mark.parametrize("merge", ["", ' merge="true"'])
def test_include_bombs(tmp_path: Path, merge: str) -> None:
    for i in range(15):
        twice = "".join(f"<include{merge}><name>n{k}</name><uri>{i + 1}.sdf</uri></include>" for k in range(10))
        (tmp_path / f"{i}.sdf").write_text(
            f'<sdf version="1.11"><model name="m{i}"><link name="l{i}"/>{twice}</model></sdf>'
        )
    (tmp_path / "15.sdf").write_text(PART)
    refused(file_outcome(tmp_path / "0.sdf"), "include-cycle")


def test_includes_of_a_large_file(tmp_path: Path) -> None:
    links = "".join(f'<link name="l{i}"/>' for i in range(8_000))
    (tmp_path / "large.sdf").write_text(f'<sdf version="1.11"><model name="large">{links}</model></sdf>')
    many = "".join(f"<include><name>n{k}</name><uri>large.sdf</uri></include>" for k in range(100))
    (tmp_path / "robot.sdf").write_text(SDF.format(LINK + many))
    survived(file_outcome(tmp_path / "robot.sdf"))


def test_a_string_includes_nothing() -> None:
    for uri in ("robot.sdf", "/etc/passwd", "file:///etc/passwd", "model://x"):
        refused(
            outcome_of(SDF.format(f"{LINK}<include><uri>{uri}</uri></include>")), "include-not-found", "include-unsafe"
        )


# --- code -------------------------------------------------------------------------------------------------------------

CUSTOM = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent '
    'link="a"/><child link="b"/>'
    '<axis xyz="0 0 1"/></joint><actuator name="m"/><transmission name="t" '
    'type="custom_functions"><actuator>m</actuator>'
    '<joint>j</joint><mapping_plugin name="w" filename="{}"/></transmission></robot>'
)


@pytest.mark.parametrize(
    "filename", ["wrist.py", "../outside/wrist.py", "{outside}/wrist.py", "link.py", "sub/../wrist.py"]
)
def test_code_does_not_run_unless_allowed(tmp_path: Path, filename: str) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    code = f"open({str(mark)!r}, 'w').close()\ndef position(q): return q\n"
    (tmp_path / "outside" / "wrist.py").write_text(code)
    (tmp_path / "inside" / "wrist.py").write_text(code)
    (tmp_path / "inside" / "link.py").symlink_to(tmp_path / "outside" / "wrist.py")
    path = tmp_path / "inside" / "robot.urdf"
    path.write_text(CUSTOM.format(filename.format(outside=tmp_path / "outside")))
    refused(file_outcome(path), "plugin-untrusted")
    refused(file_outcome(path, plugins=[]), "plugin-untrusted")
    refused(file_outcome(path, plugins=[tmp_path / "elsewhere"]), "plugin-untrusted")
    assert not mark.exists()
    leaves = "outside" in filename or filename == "link.py"
    if leaves:
        refused(file_outcome(path, plugins=[tmp_path / "inside"]), "plugin-untrusted")
        assert not mark.exists()
    else:
        loaded(file_outcome(path, plugins=[tmp_path / "inside"]))
        assert mark.exists()


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(3)",
        "import sys; sys.exit()",
        "raise KeyboardInterrupt",
        "1/0",
        "def",
        "\0",
        "position = 3",
        "def position(q): 1/0",
        "import no_such_module",
        "x = 1",
    ],
)
def test_allowed_code_that_breaks(tmp_path: Path, code: str) -> None:
    (tmp_path / "wrist.py").write_text(code)
    (tmp_path / "robot.urdf").write_text(CUSTOM.format("wrist.py"))
    outcome = file_outcome(tmp_path / "robot.urdf", plugins="trust")
    if code == "def position(q): 1/0":
        survived(outcome)
    elif code != "raise KeyboardInterrupt":  # that one belongs to the person at the keyboard
        refused(outcome, "plugin-not-found")


@pytest.mark.parametrize(
    "expression", ["9**9**9", "sum(range(10**11))", "'a'*10**11", "__import__('os').getcwd()", "[0]*10**10"]
)
def test_xacro_expressions_are_bounded(tmp_path: Path, expression: str) -> None:
    path = tmp_path / "robot.urdf.xacro"
    head = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r"><xacro:property name="p" value="${'
    path.write_text(head + expression + '}"/><link name="${p}"/></robot>')
    outcome = guarded(lambda: gearwright.load(path).name, seconds=60)  # the reader's own limit is to end it, not ours
    survived(outcome)
    assert outcome.seconds < 8


def test_xacro_does_not_recurse_for_ever(tmp_path: Path) -> None:
    head = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'
    path = tmp_path / "robot.urdf"
    path.write_text(f'{head}<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>')
    refused(file_outcome(path), "xacro-limit")
    path.write_text(f'{head}<xacro:include filename="robot.urdf"/></robot>')
    refused(file_outcome(path), "include-cycle")
    path.write_text(
        f'<!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]>{head}<xacro:property name="p" value="&l9;"/></robot>'
    )
    refused(file_outcome(path), "xml-unsafe", "xacro-failed")
    path = path.rename(tmp_path / "robot.xacro")
    refused(file_outcome(path), "xml-unsafe", "xacro-failed")


# --- structures that invite recursion or quadratic work ---------------------------------------------------------------


def chain(n: int, joint: str, link: str = BOX) -> str:
    """A robot of n + 1 links in a row. `joint` is given the index i and the one before it, k."""
    links = "".join(f'<link name="l{i}">{link}</link>' for i in range(n + 1))
    ends = '<parent link="l{k}"/><child link="l{i}"/><axis xyz="0 0 1"/>'
    joints = "".join(
        f'<joint name="j{i}" type="continuous">{ends.format(i=i, k=i - 1)}{joint.format(i=i, k=i - 1)}</joint>'
        for i in range(1, n + 1)
    )
    return robot(links + joints)


def sizes(usual: int, full: int) -> pytest.MarkDecorator:
    """Deeper than Python's recursion, and as large as files may be, which is slow."""
    return pytest.mark.parametrize("n", [usual, pytest.param(full, marks=pytest.mark.slow)])


@sizes(1_500, 5_000)
def test_a_very_long_chain(n: int) -> None:
    def then(m: Mechanism) -> None:
        assert len(m.tree.branches) == n + 1
        assert m.dof == n

    loaded(outcome_of(chain(n, ""), then))
    survived(outcome_of(chain(20 * n, "", link="")))


@sizes(3_000, 10_000)
def test_a_long_chain_without_mass(n: int) -> None:
    loaded(outcome_of(chain(n, "", link="")))


@sizes(1_500, 6_000)
@pytest.mark.parametrize("leader", ["j{k}", "j1", "j{n}"])
def test_long_mimic_chains(leader: str, n: int) -> None:
    """Each follows the one before, all the first, or each the one after (leaders come last in the file)."""
    free = n if leader == "j{n}" else 1

    def mimic(i: int) -> str:
        return "" if i == free else f'<mimic joint="{leader.format(k=i - 1, n=i + 1)}"/>'

    pieces = chain(n, "").split("</joint>")
    text = "".join(f"{piece}{mimic(i)}</joint>" for i, piece in enumerate(pieces[:-1], start=1)) + pieces[-1]
    outcome = outcome_of(text, lambda m: m.dof)
    loaded(outcome)
    assert outcome.value == 1


@sizes(1_500, 6_000)
def test_a_long_mimic_circle(n: int) -> None:
    text = chain(n, '<mimic joint="j{k}"/>').replace('<mimic joint="j0"/>', f'<mimic joint="j{n}"/>')
    refused(outcome_of(text), "mimic-cycle")


@sizes(1_500, 4_000)
def test_many_mimics_of_nothing(n: int) -> None:
    refused(outcome_of(chain(n, '<mimic joint="k{i}"/>')), "mimic-leader-not-found")


@sizes(500, 2_000)
def test_many_links_that_do_not_exist(n: int) -> None:
    joints = "".join(
        f'<joint name="joint_{i}" type="fixed"><parent link="link_{i}"/><child link="lnk_{i}"/></joint>'
        for i in range(n)
    )
    links = "".join(f'<link name="link_{i}"/>' for i in range(n))
    refused(outcome_of(robot(links + joints)), "link-not-found")
    sdf = (
        joints.replace('<parent link="', "<parent>")
        .replace('"/><child link="', "</parent><child>")
        .replace('"/></joint>', "</child></joint>")
    )
    refused(outcome_of(SDF.format(links + sdf)), "link-not-found")


@pytest.mark.parametrize("order", ["ahead", "behind", "circle"])
@pytest.mark.parametrize("reference", ["relative_to", "attached_to"])
def test_long_chains_of_frames(order: str, reference: str) -> None:
    n = 5_000
    frames = []
    for i in range(n):
        target = {
            "behind": f"f{i - 1}" if i else "a",
            "ahead": f"f{i + 1}" if i < n - 1 else "a",
            "circle": f"f{(i + 1) % n}",
        }[order]
        pose = f'<pose relative_to="{target}">0 0 0.001 0 0 0</pose>' if reference == "relative_to" else ""
        attached = "" if pose else f' attached_to="{target}"'
        frames.append(f'<frame name="f{i}"{attached}>{pose}</frame>')
    outcome = outcome_of(SDF.format(LINK + "".join(frames)))
    if order == "circle":
        refused(outcome, "frame-cycle")
    elif order == "behind":
        loaded(outcome)
    else:
        survived(outcome)


NESTED = '<model name="{}"><pose relative_to="{}">0 0 1 0 0 0</pose><link name="x"/></model>'


@pytest.mark.parametrize(
    "parts",
    [
        NESTED.format("n", "n::x"),
        NESTED.format("n", "n"),
        NESTED.format("n", "f") + '<frame name="f"><pose relative_to="n::x"/></frame>',
        NESTED.format("n", "o::x") + NESTED.format("o", "n::x"),
    ],
    ids=["its own link", "itself", "through a frame", "each other"],
)
def test_a_nested_model_placed_on_itself(parts: str) -> None:
    refused(outcome_of(SDF.format(LINK + parts)), "frame-cycle")


@pytest.mark.parametrize("order", [1, -1])
def test_a_long_chain_of_nested_models(order: int) -> None:
    """Each stands on a link of the one before; which is written first does not matter."""
    n = 1_500
    models = [NESTED.format(f"n{i}", f"n{i - 1}::x" if i else "a") for i in range(n)]

    def height(m: Mechanism) -> float:
        return float(m.poses()[f"n{n - 1}::x"].p[2])

    outcome = outcome_of(SDF.format(LINK + "".join(models[::order])), height)
    loaded(outcome)
    assert outcome.value == pytest.approx(n, rel=ROUNDING)


def test_many_gearboxes() -> None:
    n = 2_000
    links = "".join(f'<link name="l{i}"/>' for i in range(n))
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent>a</parent><child>l{i}</child>{axis}</joint>' for i in range(n)
    )
    gears = "".join(
        f'<joint name="g{i}" type="gearbox"><parent>l{i}</parent>'
        f"<child>l{i + 1}</child>{axis}<axis2><xyz>0 0 1</xyz></axis2>"
        f"<gearbox_reference_body>a</gearbox_reference_body><gearbox_ratio>2</gearbox_ratio></joint>"
        for i in range(n - 1)
    )
    survived(outcome_of(SDF.format(LINK + links + joints + gears)))


def test_gearboxes_on_a_long_weld() -> None:
    n = 5_000
    links = "".join(f'<link name="l{i}"/>' for i in range(n))
    welds = "".join(
        f'<joint name="w{i}" type="fixed"><parent>l{i}</parent><child>l{i + 1}</child></joint>' for i in range(n - 1)
    )
    axes = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
    gears = "".join(
        f'<joint name="g{i}" type="gearbox"><parent>l0</parent><child>l1</child>{axes}'
        f"<gearbox_reference_body>l{n - 1}</gearbox_reference_body></joint>"
        for i in range(20)
    )
    refused(outcome_of(SDF.format(links + welds + gears)), "gearbox-unresolved")


PAIR = (
    f'<link name="a">{BOX}</link><link name="b">{BOX}</link><joint name="j" type="continuous"><parent link="a"/>'
    '<child link="b"/><axis xyz="0 0 1"/></joint>'
)


def test_a_linear_map_of_many_names_without_a_matrix() -> None:
    names = " ".join(f"n{i}" for i in range(20_000))
    for kind in ("linear_map", "custom_functions"):
        text = robot(
            f'{PAIR}<transmission name="t" type="{kind}"><actuator_array>{names}</actuator_array>'
            f'<joint_array>{names}</joint_array><mapping_plugin filename="x.so"/></transmission>'
        )
        refused(outcome_of(text), "transmission-size", "plugin-not-found")


MANY: dict[str, tuple[Callable[[int], str], int]] = {
    "nameless transmissions": (
        lambda n: '<transmission type="simple"><actuator/><joint name="j"/></transmission>' * n,
        8_000,
    ),
    "actuators by their joint": (
        lambda n: (
            "".join(f'<actuator name="m{i}"><joint>j</joint></actuator>' for i in range(n))
            + f'<transmission name="t" type="linear_map"><actuator_array>{"j " * n}</actuator_array>'
            "<joint_array>j</joint_array></transmission>"
        ),
        5_000,
    ),
    "transmissions of nothing": (
        lambda n: "".join(
            f'<transmission name="t{i}" type="simple"><actuator>motor_{i}</actuator><joint>joint_{i}</joint>'
            "</transmission>"
            for i in range(n)
        ),
        5_000,
    ),
    "unknown types": (
        lambda n: "".join(
            f'<transmission name="t{i}" type="sample{i}"><actuator name="m{i}"/><joint>j</joint></transmission>'
            for i in range(n)
        ),
        10_000,
    ),
    "encoders of nothing": (
        lambda n: "".join(f'<encoder name="e{i}"><joint>joint_{i}</joint></encoder>' for i in range(n)),
        4_000,
    ),
    "couplings of one follower": (
        lambda n: "".join(f'<coupling name="c"><term joint="j"/><term joint="k{i}"/></coupling>' for i in range(n)),
        10_000,
    ),
    "one coupling of many": (
        lambda n: (
            '<coupling name="c"><term '
            f'joint="j"/>{"".join(f"<term joint={i!r}/>" for i in map(str, range(n)))}</coupling>'
        ),
        50_000,
    ),
    "ros2_control tags": (
        lambda n: "".join(
            f'<ros2_control name="r{i}" type="system"><joint name="j"/></ros2_control>' for i in range(n)
        ),
        10_000,
    ),
    "ros2_control tags of one name": (
        lambda n: '<ros2_control name="r"><joint name="j"/></ros2_control>' * n,
        10_000,
    ),
    "ros2_control transmissions of one name": (
        lambda n: (
            '<ros2_control name="r">'
            + (
                '<transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin><joint '
                'name="j"/></transmission>'
            )
            * n
            + "</ros2_control>"
        ),
        5_000,
    ),
    "ros2_control joints of nothing": (
        lambda n: (
            '<ros2_control name="r">' + "".join(f'<joint name="joint_{i}"/>' for i in range(n)) + "</ros2_control>"
        ),
        10_000,
    ),
    "gazebo blocks": (lambda n: "<gazebo><a/><b/></gazebo>" * n, 20_000),
    "gazebo joints": (
        lambda n: "".join(
            f'<gazebo><joint name="g{i}" type="fixed"><parent>a</parent><child>b</child></joint></gazebo>'
            for i in range(n)
        ),
        3_000,
    ),
    "materials": (lambda n: "".join(f'<material name="m{i}"/>' for i in range(n)), 100_000),
    "visuals": (lambda n: f'<link name="c">{"<visual/>" * n}</link>', 100_000),
}


@SHARES
@pytest.mark.parametrize("what", MANY)
def test_many_devices(what: str, share: int, seconds: int) -> None:
    parts, n = MANY[what]
    survived(outcome_of(robot(PAIR + parts(n // share)), seconds=seconds))


@sizes(1_500, 5_000)
def test_many_mimics_switched_off(n: int) -> None:
    text = chain(n, '<mimic joint="j1"/>').replace('<mimic joint="j1"/>', "", 1)
    joints = "".join(f'<joint name="j{i}" mimic="false"/>' for i in range(2, n + 1))
    loaded(outcome_of(text.replace("</robot>", f'<ros2_control name="r">{joints}</ros2_control></robot>')))


def test_many_tags_over_many_mimics() -> None:
    n = 2_000
    text = chain(n, '<mimic joint="j1"/>').replace('<mimic joint="j1"/>', "", 1)
    tags = "".join(f'<ros2_control name="r{i}"><joint name="j1"/></ros2_control>' for i in range(n))
    loaded(outcome_of(text.replace("</robot>", f"{tags}</robot>")))


@sizes(500, 3_000)
def test_many_loops(n: int) -> None:
    text = chain(n, "").replace("</robot>", "")
    loops = "".join(
        f'<joint name="k{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 5}"/><axis xyz="0 0 1"/></joint>'
        for i in range(n - 5)
    )
    loaded(outcome_of(f"{text}{loops}</robot>"))


def test_the_freedoms_of_one_loop_in_a_long_chain() -> None:
    """Memory and time grow with the loop, not with the square of the robot."""
    n = 5_000
    text = chain(n, "").replace("</robot>", "")
    loop = '<joint name="k" type="continuous"><parent link="l1"/><child link="l5"/><axis xyz="0 0 1"/></joint>'
    outcome = outcome_of(f"{text}{loop}</robot>", lambda m: m.dof)
    loaded(outcome)


def test_many_names_like_the_base() -> None:
    joints = "".join(
        f'<joint name="base{"_" * i}" type="fixed"><parent>a</parent><child>l{i}</child></joint>' for i in range(900)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(900))
    loaded(outcome_of(SDF.format(LINK + links + joints)))


def test_worlds_of_many_models() -> None:
    models = "".join(f'<model name="m{i}"><link name="l"/></model>' for i in range(5_000))
    text = f'<sdf version="1.11"><world name="w">{models}</world></sdf>'
    loaded(outcome_of(text))


def test_errors_are_not_crowded_out() -> None:
    """However many infos come before it, an error is told."""
    links = "".join(f'<link name="l{i}"/>' for i in range(1_500))  # each without <inertial>: an info
    with pytest.raises(gearwright.LoadError) as caught:
        gearwright.loads(
            SDF.format(links + '<joint name="j" type="fixed"><parent>l0</parent><child>nothing</child></joint>')
        )
    assert "link-not-found" in [d.code for d in caught.value.diagnostics]
    assert "nothing" in str(caught.value)


def test_diagnostics_are_bounded() -> None:
    with pytest.raises(gearwright.LoadError) as caught:
        gearwright.loads(robot(LINK + "<joint/>" * 5_000))
    assert len(caught.value.diagnostics) <= 1_010
    assert "diagnostics-many" in [d.code for d in caught.value.diagnostics]
