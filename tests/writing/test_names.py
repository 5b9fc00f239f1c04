"""Names of any sort: they survive, or the writer refuses them and says why."""

import pytest

import gearwright as gw
from gearwright.writing.report import LossLog
from gearwright.writing.saving import FORMATS, text_of

HOSTILE = (
    'a "quoted" one', "an 'apostrophe'", "<angle>&amp;&lt;", "brackets[0](1){2}", "a::b", "::", "größe", "関節", "🤖",
    "a.axis", "tab\there", "new\nline", "../../etc/passwd", "a/b", "%s%n", "${x}", "]]>", "<!-- -->", "x" * 900,
)  # fmt: skip
UNWRITABLE = ("nul\0", "bell\x07", "surrogate\ud800", "\ufffe")
SPACED = (" leading", "trailing ", "\n")


BODY = {"mass": 1, "inertia": (1, 1, 1)}


def robot_of(name):
    """A robot with this name wherever a name can stand."""
    return (
        gw.build(name)
        .link(name, **BODY).link(name + "-2", **BODY).link("end", **BODY)
        .joint(name, "revolute", name, name + "-2").joint(name + "-2", "revolute", name + "-2", "end")
        .couple(name + "-2", name, 2.0)
        .actuator(name).transmission(name, gw.SimpleTransmission(reduction=3.0), actuators=name, joints=name)
        .sensor(name, actuator=name).frame(name + "-3", name)
        .finish()
    )  # fmt: skip


@pytest.mark.parametrize("ending", (".sdf", ".urdf"))
@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_survives_or_is_refused(name, ending):
    robot = robot_of(name)
    losses = LossLog()
    try:
        text = text_of(robot, FORMATS[ending], losses)
    except gw.ModelError as error:
        assert repr(name)[:20] in str(error) or "reserve" in str(error) or "cannot be written" in str(error)
        return
    assert losses.lost == [], name
    assert list(gw.loads(text).links) == list(robot.links)


@pytest.mark.parametrize("ending", (".sdf", ".urdf", ".xml"))
@pytest.mark.parametrize("name", UNWRITABLE, ids=repr)
def test_what_xml_cannot_write_is_refused(name, ending):
    with pytest.raises(gw.ModelError, match=r"U\+"):
        text_of(robot_of(name), FORMATS[ending], LossLog())


@pytest.mark.parametrize("ending", (".sdf", ".urdf"))
@pytest.mark.parametrize("name", SPACED, ids=repr)
def test_spaces_around_a_name(name, ending):
    """Readers strip them: the report says so, or the file is refused."""
    losses = LossLog()
    try:
        text_of(robot_of(name), FORMATS[ending], losses)
    except gw.ModelError:
        return
    assert losses.lost


@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_mujoco_takes_them(name):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text_of(robot_of(name), FORMATS[".xml"], LossLog()))
    assert model.body(name).id and model.joint(name).id == 0


@pytest.mark.parametrize("ending", (".sdf", ".urdf", ".usda"))
@pytest.mark.parametrize("prefix", ("", "arm::"))
def test_parts_of_different_kinds_may_share_a_name(prefix, ending):
    """SDFormat does not allow it: joints and frames, in nested models too, keep their own name beside another."""
    names = a, b, c = [prefix + name for name in ("a", "b", "base")]
    build = gw.build("r").link(a, **BODY).link(b, **BODY).joint(a, "revolute", a, b).joint(b, "fixed", b, c)
    for name in names:
        build.frame(name, a, pose=(1, 0, 0))
    robot, losses = build.link(c, **BODY).finish(), LossLog()
    again = gw.loads(text_of(robot, FORMATS[ending], losses))
    assert losses.lost == []
    assert list(again.frames) == names and not gw.diff(robot, again)


ACROSS = {
    "other models": ("base", "x::hand", "y::hand", "x::joint", "y::joint"),
    "a joint of another model": ("base", "one", "two", "arm::one", "arm::two"),
    "a link is called as a model": ("base", "a", "a::b", "j", "k"),
    "no model can have that name": ("base", "world::b", "__model__::c", "j", "k"),
    "odd colons": ("::base", "tip::", "a:::b", "j", "::k"),
    "the plain name is taken": ("base", "a_b", "a::b", "j", "x::k"),
}


@pytest.mark.parametrize("names", ACROSS.values(), ids=ACROSS)
def test_names_across_nested_models_are_kept_beside_names_that_libsdformat_takes(names):
    base, one, two, j, k = names
    robot = (
        gw.build("r").link(base, **BODY).link(one, **BODY).link(two, **BODY)
        .joint(j, "revolute", base, one).joint(k, "revolute", one, two).couple(k, j, 2.0).sensor("s::a", joint=k)
        .finish()
    )  # fmt: skip
    losses = LossLog()
    text = text_of(robot, FORMATS[".sdf"], losses)
    assert losses.lost == [] and not gw.diff(robot, gw.loads(text))
    pytest.importorskip("pydrake")
    from gearwright.conversion.proof import prove

    drake = [c for c in prove(robot, text, ".sdf", 1e-9) if c.program == "Drake"]
    assert drake and all(c.ok for c in drake), drake
