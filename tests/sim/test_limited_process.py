"""A process with little memory, without the right to run its own code, or with a robot that is too large: an error in
words, and the process lives."""

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.model import AxisRef, Coupling, Couplings
from gearwright.model.couplings import Term
from gearwright.sim.options import MOST_OPERATIONS
from gearwright.sim.recorder import free_memory
from tests.cli.commands import CHECKOUT

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


def outcome(script: str, tmp_path: Path) -> str:
    """What a script prints, in a process of its own with a cache of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"import os; os.environ['GEARWRIGHT_CACHE'] = {str(tmp_path)!r}\n{script}"],
        cwd=CHECKOUT, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


# --- too many operations ----------------------------------------------------------------------------------------------


def chain(n: int, followers: int) -> gw.Mechanism:
    """n hinges; some of them follow all others through hard couplings, which makes the step's matrices dense."""
    links = "".join(
        f'<link name="l{i}"><pose relative_to="j{i}">0 0 0.1 0 0 0</pose></link><joint name="j{i}" type="revolute">'
        f'<pose relative_to="l{i - 1}">0.1 0.02 0.3 0 0 0</pose><parent>l{i - 1}</parent><child>l{i}</child>'
        f"<axis><xyz>{('1 0 0', '0 1 0', '0 0 1')[i % 3]}</xyz></axis></joint>"
        for i in range(1, n + 1)
    )
    robot = gw.loads(f'<sdf version="1.11"><model name="dense"><link name="l0"/>{links}</model></sdf>')
    chosen = random.Random(2)
    names = [f"j{i}" for i in range(1, n + 1)]
    following = chosen.sample(names[1:], followers)
    leaders = [name for name in names if name not in following]
    couplings = [
        Coupling(
            name=name, follower=AxisRef(name), mode="hard",
            leaders=tuple(Term(AxisRef(leader), chosen.uniform(-1, 1)) for leader in leaders),
        )
        for name in following
    ]  # fmt: skip
    return replace(robot, couplings=Couplings(couplings))


def test_a_robot_that_is_too_large_is_refused_while_it_is_traced():
    """This one took 420 s and 7.9 GiB."""
    with pytest.raises(gw.CompileError, match=r"'dense' takes more than 2,000,000 operations .*most_operations=…"):
        gw.compile(chain(240, 200))


def test_the_limit_can_be_lowered_and_raised():
    robot = chain(9, 0)
    with pytest.raises(gw.CompileError, match="more than 1,000 operations"):
        gw.compile(robot, most_operations=1000)
    gw.compile(robot, most_operations=100_000).step()
    gw.compile(robot, most_operations=1000).step()  # from the cache: nothing is traced


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "many", None])
def test_the_limit_is_a_whole_number(wrong):
    with pytest.raises(gw.CompileError, match="most_operations must be a whole number"):
        gw.compile("gripper", most_operations=wrong)


def test_the_default_leaves_room_for_every_real_robot():
    """The largest of the corpus is a PR2 with 115,000; a chain of 600 hinges has 600,000."""
    assert MOST_OPERATIONS >= 2 * 600_000
    with pytest.raises(gw.CompileError, match="more than 20,000 operations"):
        gw.compile(chain(30, 0), most_operations=20_000)
    gw.compile(chain(30, 0), most_operations=40_000)  # some 31,000: 1,000 operations per hinge


# --- code that cannot be mapped ---------------------------------------------------------------------------------------

MAY_NOT = """
import ctypes, gearwright as gw
if {saved}: gw.compile("gripper").save({path!r})
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE
    print("no such kernel")
    raise SystemExit
try:
    gw.open({path!r}) if {saved} else gw.compile("gripper")
except gw.GearwrightError as error:
    print(type(error).__name__, error)
sim = gw.compile("gripper", device="interpreter")
sim.step()
print(sim.time)
"""


@linux
@pytest.mark.parametrize(("saved", "error"), [(False, "CompileError"), (True, "LoadError")])
def test_a_process_that_may_not_run_its_own_code_is_told_so(saved, error, tmp_path):
    """A service with MemoryDenyWriteExecute: LLVM's loader ended it in a segmentation fault."""
    printed = outcome(MAY_NOT.format(saved=saved, path=str(tmp_path / "saved.gw")), tmp_path)
    if printed.startswith("no such kernel"):
        pytest.skip("PR_SET_MDWE needs Linux 6.3")
    assert printed.startswith(error) and "MemoryDenyWriteExecute" in printed
    assert printed.endswith("0.001\n")  # the remedy that the message names


MANY = """
import ctypes, gearwright as gw
robot = gw.load("gripper")
kept = [gw.compile(robot)]
system = ctypes.CDLL(None, use_errno=True)
system.mmap.restype, system.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, *[ctypes.c_size_t] * 5]
pages = []
while True:  # alternating rights: neighbours do not become one mapping
    page = system.mmap(None, 4096, 1 + 2 * (len(pages) % 2), 0x22, 2**64 - 1, 0)
    if page == 2**64 - 1 or len(pages) > 10**6:
        break
    pages.append(page)
for page in pages[-6::2]:
    system.munmap(ctypes.c_void_p(page), ctypes.c_size_t(4096))
try:
    while len(kept) < 20_000:
        kept.append(gw.compile(robot))
except gw.CompileError as error:
    said = str(error)
    kept.clear()
    print(said)
"""


@linux
def test_a_process_with_as_many_mappings_as_it_may_have_is_told_so(tmp_path):
    """10,900 simulations alive were enough, and the next one ended the process."""
    assert "vm.max_map_count" in outcome(MANY, tmp_path)


LITTLE = """
import resource, gearwright as gw
import casadi, gearwright.dynamics, gearwright.sim.saving
from gearwright.compiler.backends.cpu.target import host
host(), gw.load("gripper"), gw.compile  # imported
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + {free} * 2**20, -1))
try:
    gw.compile("gripper")
    print("compiled")
except gw.CompileError as error:
    print(error)
"""


@linux
@pytest.mark.parametrize("free", [4, 16, 20])
def test_a_process_without_memory_for_the_compiler_is_told_so(free, tmp_path):
    """LLVM ends the process where it gets no memory."""
    assert "raise the limit of this process" in outcome(LITTLE.format(free=free), tmp_path)


def test_the_need_of_the_compiler(tmp_path, monkeypatch):
    """24 MiB, and 800 bytes for each of 8,000 operations."""
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(free_memory, "available_memory", lambda: 28e6)
    with pytest.raises(gw.CompileError, match=r"compiling [\d,]+ operations of 'dense' needs 3\d\.\d MB"):
        gw.compile(chain(9, 0))
    monkeypatch.setattr(free_memory, "available_memory", lambda: 40e6)
    gw.compile(chain(9, 0))


OPENED = """
import resource, gearwright as gw
gw.compile("gripper").save({path!r})
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 16 * 2**20, -1))
sim = gw.open({path!r})
sim.step()
print(sim.time)
"""


@linux
def test_opening_takes_the_memory_of_what_is_in_the_file(tmp_path):
    assert outcome(OPENED.format(path=str(tmp_path / "saved.gw")), tmp_path) == "0.001\n"


def test_memory_is_looked_at_before_it_is_taken(tmp_path):
    with pytest.raises(gw.CompileError, match="a batch of 1,000,000,000 robots needs"):
        gw.compile("gripper", batch=10**9)
    sim = gw.compile("gripper", batch=2)
    with pytest.raises(gw.ModelError, match=r"the recording .* needs"):
        sim.run(1e8, bands=True)
    sim.save(tmp_path / "saved.gw")
    with pytest.raises(gw.LoadError, match="a batch of 1,000,000,000 robots needs"):
        gw.open(tmp_path / "saved.gw", batch=10**9)
