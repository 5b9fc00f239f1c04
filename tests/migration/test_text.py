"""Everything but the touched elements keeps its bytes."""

from __future__ import annotations

import codecs
import random
import stat
from pathlib import Path

import pytest

import gearwright as gw
from gearwright import GearwrightError, LoadError, ModelError
from gearwright.formats.xml.source_text import SourceText
from gearwright.migration.plan import older_joints
from tests.formats import fuzz
from tests.formats.test_older_spellings import LINKS, gearbox, joint, link
from tests.tolerances import ROUNDING

DRAFT = '<joint name="{}" type="mimic"><parent>{}</parent><child>{}</child><gearbox_ratio>{}</gearbox_ratio></joint>'
JI, JO = joint("ji", "frame", "in", "0 0 1"), joint("jo", "frame", "out", "0 0 1")
MIMIC = '<mimic joint="ji"><multiplier>-2.5</multiplier><offset>0</offset><reference>0</reference></mimic>'


def migrated(text: str | bytes, folder: Path, **options: object) -> bytes:
    (folder / "old.sdf").write_bytes(text.encode() if isinstance(text, str) else text)
    done = gw.migrate(folder / "old.sdf", folder / "new.sdf", verify=False, **options)  # type: ignore[arg-type]
    assert done.written and done.ok
    return (folder / "new.sdf").read_bytes()


def sdf(parts: str, version: str = "1.11") -> str:
    return f'<sdf version="{version}"><model name="m">{LINKS}{parts}</model></sdf>'


def test_on_one_line(tmp_path: Path) -> None:
    new = migrated(sdf(JI + JO + gearbox()), tmp_path).decode()
    follower = JO.replace("</axis>", MIMIC + "</axis>")
    assert new == sdf(JI + follower)


def test_a_comment_with_hyphens_stays_as_it_is(tmp_path: Path) -> None:
    """XML forbids them, TinyXML and Gazebo's own worlds do not."""
    comment = "<!-- gz sim --verbose é --->\n"
    new = migrated(comment + sdf(JI + JO + gearbox()), tmp_path).decode()
    assert new == comment + sdf(JI + JO.replace("</axis>", MIMIC + "</axis>"))


PRETTY = """<?xml version='1.0' ?>
<!-- a file -- no: a - file -->
<sdf  version = '1.11' >
\t<model name='m'>{links}
\t\t<joint name='ji' type='revolute'><parent>frame</parent><child>in</child>
\t\t\t<axis><xyz expressed_in='__model__'>0 0 1</xyz></axis></joint>   <!-- the input -->
\t\t<joint type='revolute' name='jo'>
\t\t\t<parent>frame</parent><child>out</child>
\t\t\t<axis>
\t\t\t\t<xyz expressed_in='__model__'>0 0 1</xyz> <!-- up -->
\t\t\t</axis>
\t\t</joint>

\t\t<!-- the gears -->
{gearbox}\t\t<plugin name="p" filename="x"><a b="&lt;&#65;"/><![CDATA[<joint type="gearbox">]]></plugin>
\t</model>
</sdf>
<!-- end -->
""".replace("-- no: a - file", ": a - file")
ADDED = """\t\t\t\t<mimic joint="ji">
\t\t\t\t\t<multiplier>-2.5</multiplier>
\t\t\t\t\t<offset>0</offset>
\t\t\t\t\t<reference>0</reference>
\t\t\t\t</mimic>
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_indented_text_in_any_encoding(newline: str, mark: bytes, codec: str, tmp_path: Path) -> None:
    before = PRETTY.format(links=LINKS + "<!-- é 名 -->", gearbox=f"\t\t{gearbox()}  \n")
    after = PRETTY.format(links=LINKS + "<!-- é 名 -->", gearbox="")
    place = after.index("\t\t\t</axis>\n\t\t</joint>")
    after = after[:place] + ADDED + after[place:]
    old, new = (mark + text.replace("\n", newline).encode(codec) for text in (before, after))
    assert migrated(old, tmp_path) == new


def test_latin_1_and_names_it_cannot_write(tmp_path: Path) -> None:
    text = sdf(JI + JO + gearbox()).replace('"ji"', '"j&#21517;&quot;&#10;\xe9"')
    old = b'<?xml version="1.0" encoding="ISO-8859-1"?>' + text.encode("latin-1")
    new = migrated(old, tmp_path)
    assert b'<mimic joint="j&#21517;&quot;&#10;\xe9">' in new
    assert str(gw.loads(new).couplings["jo"].leader) == 'j名"\né'


def test_an_axis_that_is_empty_or_missing(tmp_path: Path) -> None:
    empty = JO.replace('<axis><xyz expressed_in="__model__">0 0 1</xyz></axis>', "<axis />")
    draft = DRAFT.format("gears", "ji", "jo", 2.5)
    assert migrated(sdf(JI + empty + draft), tmp_path).decode() == sdf(
        JI + empty.replace("<axis />", f"<axis>{MIMIC}</axis>")
    )
    none = empty.replace("<axis />", "")
    assert migrated(sdf(JI + none + draft), tmp_path).decode() == sdf(
        JI + none.replace("</joint>", f"<axis><xyz>0 0 1</xyz>{MIMIC}</axis></joint>")
    )


def test_a_universal_leader_and_follower(tmp_path: Path) -> None:
    """Draft mimic joints name joints; their first axes are meant."""
    two = JO.replace("revolute", "universal").replace("</joint>", "<axis2><xyz>0 1 0</xyz></axis2></joint>")
    new = migrated(sdf(JI + two + DRAFT.format("gears", "ji", "jo", 2.5)), tmp_path).decode()
    assert new == sdf(JI + two.replace("</axis>", MIMIC + "</axis>"))


def test_several_and_chains(tmp_path: Path) -> None:
    third = link("end", "0 0 1 0 0 0") + joint("je", "frame", "end", "0 0 1")
    text = sdf(DRAFT.format("d", "jo", "je", 0.5) + third + JI + gearbox() + JO)
    done_before = gw.loads(text)
    (tmp_path / "old.sdf").write_text(text)
    done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf")
    assert [(c.name, c.joint, c.leader, c.multiplier) for c in done.changes] == [
        ("d", "je", "jo", -0.5), ("gears", "jo", "ji", -2.5),
    ]  # fmt: skip
    assert done.difference == 0
    new = gw.load(tmp_path / "new.sdf")
    assert new.dof == done_before.dof and [c.spelling for c in new.couplings.values()] == ["mimic", "mimic"]


def test_a_nested_model_keeps_its_own_names(tmp_path: Path) -> None:
    inner = f'<link name="a"/><model name="n">{LINKS}{JI}{JO}{gearbox()}</model>'
    text = f'<sdf version="1.11"><model name="m">{inner}</model></sdf>'
    new = migrated(text, tmp_path).decode()
    assert MIMIC in new
    assert str(gw.loads(new).couplings["n::jo"].leader) == "n::ji"


def test_a_follower_inside_a_nested_model_leads_instead(tmp_path: Path) -> None:
    """The outer joint cannot be named from within: the coupling is turned round."""
    nested = f'<model name="n">{LINKS}{JO}</model>'
    outer = joint("ji", "n::frame", "in", "0 0 1") + link("in", "1 0 0 0 0 0")
    gears = gearbox().replace("<child>out", "<child>n::out").replace("body>frame", "body>n::frame")
    text = f'<sdf version="1.11"><model name="m">{nested}{outer}{gears}</model></sdf>'
    (tmp_path / "old.sdf").write_text(text)
    done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf")
    (change,) = done.changes
    assert (change.joint, change.leader, change.multiplier) == ("ji", "n::jo", -0.4)
    assert done.difference is not None and done.difference < ROUNDING  # found 0 to 2e-13: another coordinate is free
    assert str(gw.load(tmp_path / "new.sdf").couplings["ji"].leader) == "n::jo"


# --- files that include others --------------------------------------------------------------------------------------


def included(folder: Path, part: str, main: str) -> Path:
    (folder / "part.sdf").write_text(f'<sdf version="1.9"><model name="part">{part}</model></sdf>')
    (folder / "old.sdf").write_text(f'<sdf version="1.9"><model name="m">{main}</model></sdf>')
    return folder / "old.sdf"


INCLUDE = "<include><name>p</name><uri>part.sdf</uri></include>"


def test_a_gearbox_in_an_included_file_is_left_there(tmp_path: Path) -> None:
    old = included(tmp_path, LINKS + JI + JO + gearbox(), INCLUDE)
    done = gw.migrate(old, tmp_path / "new.sdf")
    assert done.changes == () and (tmp_path / "new.sdf").read_bytes() == old.read_bytes()
    assert len(done.notes) == 1 and "part.sdf:1: gearbox 'p::gears'" in done.notes[0]
    gw.migrate(tmp_path / "part.sdf", in_place=True)
    assert gw.migrate(old, tmp_path / "new.sdf").notes == ()


def test_a_follower_in_an_included_file_leads_instead(tmp_path: Path) -> None:
    gears = gearbox().replace("<child>out", "<child>p::out").replace("body>frame", "body>p::frame")
    outer = joint("ji", "p::frame", "in", "0 0 1") + link("in", "1 0 0 0 0 0")
    old = included(tmp_path, LINKS + JO, INCLUDE + outer + gears)
    (change,) = gw.migrate(old, tmp_path / "new.sdf", verify=False).changes
    assert (change.joint, change.leader) == ("ji", "p::jo")


def test_two_joints_of_an_included_file_are_refused(tmp_path: Path) -> None:
    gears = gearbox()
    for name in ("in", "out", "frame"):
        gears = gears.replace(f">{name}<", f">p::{name}<")
    with pytest.raises(ModelError, match=r"old.sdf:1: gearbox joint 'gears' cannot become .*neither joint 'p::jo'"):
        gw.migrate(included(tmp_path, LINKS + JI + JO, INCLUDE + gears), tmp_path / "new.sdf")
    assert not (tmp_path / "new.sdf").exists()


def test_addresses_beside_the_file_are_noted_where_it_moves(tmp_path: Path) -> None:
    old = included(tmp_path, link("a"), INCLUDE + LINKS + JI + JO + gearbox())
    (tmp_path / "other").mkdir()
    done = gw.migrate(old, tmp_path / "other" / "new.sdf", verify=False)
    assert any("'part.sdf' is looked for beside the new file" in n for n in done.notes)


def test_a_coupling_is_not_turned_round_onto_a_follower(tmp_path: Path) -> None:
    """The outer joint follows a third one: it cannot follow the included one as well."""
    gears = gearbox().replace("<child>out", "<child>p::out").replace("body>frame", "body>p::frame")
    third = joint("jx", "p::frame", "x", "0 0 1") + link("x") + DRAFT.format("d", "jx", "ji", 1)
    outer = joint("ji", "p::frame", "in", "0 0 1") + link("in", "1 0 0 0 0 0")
    with pytest.raises(ModelError, match="neither joint"):
        gw.migrate(included(tmp_path, LINKS + JO, INCLUDE + outer + gears + third), tmp_path / "new.sdf")


def test_names_with_slashes_and_brackets_are_found_again(tmp_path: Path) -> None:
    odd = {'"ji"': '"a/joint[b]"', '"jo"': '"c]/d"', '"gears"': '"joint[jo]"'}
    text = sdf(JI + JO + gearbox())
    for name, other in odd.items():
        text = text.replace(name, other)
    assert MIMIC.replace('"ji"', '"a/joint[b]"').encode() in migrated(text, tmp_path)


# --- worlds -----------------------------------------------------------------------------------------------------------


def test_every_model_of_a_world(tmp_path: Path) -> None:
    parts = LINKS + JI + JO + gearbox()
    models = f'<model name="a">{parts}</model><model name="b">{LINKS}{JI}</model><model name="c">{parts}</model>'
    new = migrated(f'<sdf version="1.11"><world name="w">{models}</world></sdf>', tmp_path).decode()
    assert new.count(MIMIC) == 2 and "gearbox" not in new


def test_a_model_that_is_not_read_is_refused(tmp_path: Path) -> None:
    parts = LINKS + JI + JO + gearbox()
    models = f'<model name="a">{parts}</model>\n<model name="a">{parts}</model>'
    with pytest.raises(ModelError, match="its model was not read, since another model has the same name"):
        migrated(f'<sdf version="1.11"><world name="w">{models}</world></sdf>', tmp_path)


# --- what stays, and what cannot be --------------------------------------------------------------------------------


def test_nothing_to_migrate(tmp_path: Path) -> None:
    text = sdf(JI + JO, "1.4")
    assert migrated(text, tmp_path).decode() == text


def test_a_plugin_that_names_the_gearbox_is_noted(tmp_path: Path) -> None:
    plugin = '\n<plugin name="p" filename="x"><joint_name>m::gears</joint_name></plugin>'
    (tmp_path / "old.sdf").write_text(sdf(JI + JO + gearbox() + plugin))
    done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", verify=False)
    assert done.notes == ("line 2: <joint_name> still names 'm::gears', which is no longer a joint",)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (JI + JO + gearbox() + DRAFT.format("d", "ji", "jo", 1), "'jo' already follows 'ji'"),
        (JI + JO.replace("</axis>", MIMIC + "</axis>") + gearbox(), "an axis holds one <mimic>"),
        (
            JI + JO + gearbox().replace("<gearbox_reference_body>frame</gearbox_reference_body>", ""),
            "no reference body",
        ),
        (JI + joint("jo", "frame", "out", "", "fixed") + DRAFT.format("d", "ji", "jo", 1), "is fixed"),
    ],
)
def test_what_no_mimic_can_say(parts: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=why):
        migrated(sdf(parts), tmp_path)
    assert not (tmp_path / "new.sdf").exists()


def test_a_xacro_file_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "old.sdf.xacro").write_text(sdf(JI + JO + gearbox()))
    with pytest.raises(ModelError, match=r"old.sdf.xacro: a xacro file's .* expand it"):
        gw.migrate(tmp_path / "old.sdf.xacro", tmp_path / "new.sdf")
    assert not (tmp_path / "new.sdf").exists()


def test_what_does_not_load(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="gearbox-unresolved"):
        migrated(sdf(JI + gearbox()), tmp_path)
    with pytest.raises(LoadError, match="xml-malformed"):
        migrated("<sdf><model>", tmp_path)
    with pytest.raises(ModelError, match="root element is <robot>"):
        migrated("<robot name='r'><link name='a'/></robot>", tmp_path)


# --- files ------------------------------------------------------------------------------------------------------------


def test_where_to_write(tmp_path: Path) -> None:
    old = tmp_path / "old.sdf"
    old.write_text(sdf(JI + JO + gearbox()))
    (tmp_path / "link.sdf").symlink_to(old)
    for target in (old, tmp_path / "link.sdf", tmp_path / "." / "old.sdf"):
        with pytest.raises(ModelError, match="in_place"):
            gw.migrate(old, target)
    with pytest.raises(ModelError, match="where to write"):
        gw.migrate(old)
    with pytest.raises(ModelError, match="ordinary file"):
        gw.migrate(old, tmp_path, verify=False)
    assert old.read_text() == sdf(JI + JO + gearbox())
    old.chmod(0o640)
    gw.migrate(tmp_path / "link.sdf", in_place=True, verify=False)
    assert MIMIC in old.read_text() and (tmp_path / "link.sdf").is_symlink()
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.sdf", "old.sdf"]


def test_a_target_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.sdf").write_text(sdf(JI + JO + gearbox()))
    (tmp_path / "new.sdf").write_text("before")
    with monkeypatch.context() as patched, pytest.raises(OSError, match="disk"):
        patched.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
        gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", verify=False)
    assert (tmp_path / "new.sdf").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2
    gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", verify=False)
    assert MIMIC in (tmp_path / "new.sdf").read_text()


def test_nothing_is_written_above_the_tolerance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gearwright.migration import proof

    (tmp_path / "old.sdf").write_text(sdf(JI + JO + gearbox()))
    monkeypatch.setattr(proof, "trajectory_difference", lambda *_: 2e-9)
    done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf")
    assert (done.ok, done.written, done.difference) == (False, False, 2e-9)
    assert not (tmp_path / "new.sdf").exists()
    assert gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", tolerance=1e-8).written


# --- random files ----------------------------------------------------------------------------------------------------

SPACE = (
    "",
    "",
    " ",
    "\n",
    "\n    ",
    "\t",
    "\r\n  ",
    "<!-- <joint type='gearbox'> é -->",
    "\n<!--\n-->\n",
    "<?pi a='>'?>",
)
STRANGE = (
    '<plugin name="p" filename="f"><joint type="gearbox" name="x"/>&lt;</plugin>',
    "<static>0</static>", "<self_collide >false</self_collide >", "<allow_auto_disable/>",
    "<frame name='f&#49;' attached_to=\"frame\"/>", '<link name="l>2"><visual name="é"/></link>',
)  # fmt: skip


def random_file(rng: random.Random) -> tuple[str, str]:
    """A text, and the older joint in it."""
    follower = JO.replace("</axis>", rng.choice(("", rng.choice(SPACE))) + "</axis>")
    gears = gearbox() if rng.random() < 0.5 else DRAFT.format("gears", "ji", "jo", 2.5)
    pieces = [follower, gears, LINKS, JI, *rng.sample(STRANGE, rng.randint(0, 4))]
    rng.shuffle(pieces)
    body = "".join(rng.choice(SPACE) + piece + rng.choice(SPACE) for piece in pieces)
    quote, newline = rng.choice("'\""), rng.choice(("\n", "\r\n"))
    text = f"<sdf{rng.choice((' ', '  '))}version={quote}1.11{quote}><model name='m'>{body}</model>\n</sdf>\n"
    return text.replace("\r\n", "\n").replace("\n", newline), gears


def without(text: str, start: int, stop: int) -> str:
    """The text without a piece, and without its lines where nothing else stands on them."""
    line, rest = text.rfind("\n", 0, start) + 1, text[stop:].lstrip(" \t")
    alone = not text[line:start].strip(" \t") and rest.startswith(("\n", "\r\n"))
    return text[:line] + rest.partition("\n")[2] if alone else text[:start] + text[stop:]


def test_random_files_keep_every_other_byte(tmp_path: Path) -> None:
    """What is left without the older joint, and without the <mimic>, is the same."""
    rng = random.Random(4)
    on_its_own_lines = 0
    for _ in range(400):
        text, gears = random_file(rng)
        mark, codec = rng.choice(((b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")))
        new = migrated(mark + text.encode(codec), tmp_path)
        assert new.startswith(mark)
        found = new.removeprefix(mark).decode(codec)
        start, stop = found.index("<mimic"), found.index("</mimic>") + len("</mimic>")
        multi = "\n" in found[start:stop]
        on_its_own_lines += multi
        place = text.index(gears)
        left = without(found, start, stop) if multi else found[:start] + found[stop:]
        assert left == without(text, place, place + len(gears))
    assert 20 < on_its_own_lines < 380


def test_mutated_files_are_refused_or_migrated(tmp_path: Path) -> None:
    """Only the documented errors; what is written loads without an older joint, and keeps its bytes without one."""
    written = 0
    for index in range(250):
        data = fuzz.case(7, index).data
        (tmp_path / "old.sdf").write_bytes(data)
        (tmp_path / "new.sdf").unlink(missing_ok=True)
        try:
            done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", verify=False)
        except GearwrightError as error:
            assert str(error) and not (tmp_path / "new.sdf").exists()
            continue
        written += 1
        new = (tmp_path / "new.sdf").read_bytes()
        assert new == data if not done.changes else older_joints(SourceText(new, "new.sdf").root) == []
    assert written > 20
