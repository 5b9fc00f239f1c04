"""One flipped bit in a recording, or a file made to take memory: it is refused, or nothing differs."""

import io
import os
import random
import struct
import subprocess
import sys
import warnings
import zipfile
import zlib

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim.recorder import free_memory
from gearwright.sim.recordings import blocks
from gearwright.sim.recordings.schema_text import to_text
from gearwright.study import store
from tests.cli.commands import CHECKOUT
from tests.sim.robots import FOLLOWING, GRIPPER

ENDINGS = ("csv", "parquet", "npz", "mcap")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits and pipes of POSIX")


@pytest.fixture(scope="module")
def recording():
    return gw.compile(gw.load(GRIPPER)).run(0.2, command={"motor": 0.05})


def content(recording):
    """All that a reader gets: the description, and the bytes of every column."""
    return to_text(recording.schema), tuple(column.values.tobytes() for column in recording.columns())


def flipped(raw, bit):
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return changed


def differing(path, bits):
    """Of these flipped bits those after which other numbers or names are read, or another error is raised."""
    raw, before = path.read_bytes(), content(gw.Recording.open(path))
    found = []
    for bit in bits:
        path.write_bytes(flipped(raw, bit))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same = content(gw.Recording.open(path)) == before
        except gw.GearwrightError:
            same = True  # noticed
        found += [] if same else [bit]
    path.write_bytes(raw)
    return found


@pytest.mark.parametrize("ending", ENDINGS)
def test_one_flipped_bit_never_gives_other_numbers(tmp_path, recording, ending):
    path = tmp_path / f"run.{ending}"
    recording.save(path)
    size = 8 * path.stat().st_size
    ends = (*range(0, 8 * 600, 7), *range(size - 8 * 600, size, 7))  # descriptions and tables of contents
    assert differing(path, (*random.Random(4).sample(range(size), 300), *ends)) == []


@pytest.mark.parametrize("batch", [1, 2])
def test_no_bit_of_a_short_csv_file_can_be_flipped(tmp_path, batch):
    path = tmp_path / "run.csv"
    gw.compile(gw.loads(FOLLOWING), batch=batch).run(0.001).save(path)
    assert differing(path, range(8 * path.stat().st_size)) == []


@pytest.mark.filterwarnings("ignore:.*is cut off:gearwright.RecordingWarning")
def test_no_bit_of_an_mcap_file_that_was_cut_off_changes_its_numbers(tmp_path, recording):
    """Rows may be fewer than in the whole file; those that are read are right."""
    path = tmp_path / "run.mcap"
    recording.save(path)
    raw = path.read_bytes()
    raw = raw[: raw.rindex(b"\x0f" + struct.pack("<Q", 4))]  # up to the end of the data
    path.write_bytes(raw)
    before = gw.Recording.open(path).position["left_finger"]
    at = raw.index(b"gearwright.columns")
    for bit in (*range(8 * at, 8 * (at + 400), 3), *random.Random(5).sample(range(8 * at, 8 * len(raw)), 200)):
        path.write_bytes(flipped(raw, bit))
        try:
            after = gw.Recording.open(path).position["left_finger"]
        except gw.GearwrightError:  # either: noticed, or the rows before the bit
            continue
        assert np.array_equal(after, before[: len(after)])


def test_a_block_of_numbers_has_a_checksum_for_its_orders():
    table = np.cumsum(np.ones((50, 3)), axis=0)
    data = bytearray(blocks.encode(table))
    assert np.array_equal(blocks.decode(bytes(data), 3), table)
    data[blocks.HEAD.size] ^= 1
    for damaged in (data, blocks.encode(table)[:-4]):
        with pytest.raises(gw.GearwrightError, match="damaged"):
            blocks.decode(bytes(damaged), 3)


def test_other_programs_read_the_files(tmp_path, recording):
    pandas, polars, parquet = (pytest.importorskip(p) for p in ("pandas", "polars", "pyarrow.parquet"))
    recording.save(tmp_path / "run.csv")
    recording.save(tmp_path / "run.parquet")
    finger = recording.position["left_finger"]
    for table in (pandas.read_csv(tmp_path / "run.csv"), polars.read_csv(tmp_path / "run.csv")):
        assert np.array_equal(table["position left_finger [m]"], finger)
        assert len(table) == len(recording) and table.columns[-1] == "crc32"
        assert str(table["crc32"].dtype).lower() == "int64"  # a plain number: nothing turns into text
    plain = np.genfromtxt(tmp_path / "run.csv", delimiter=",", skip_header=1)
    assert np.array_equal(plain[:, 0], recording.time)
    for table in (pandas.read_parquet(tmp_path / "run.parquet"), polars.read_parquet(tmp_path / "run.parquet")):
        assert np.array_equal(table["left_finger.position"], finger)
    assert parquet.read_table(tmp_path / "run.parquet").num_rows == len(recording)


def test_a_csv_file_of_another_version_or_hand_is_read(tmp_path, recording):
    path = tmp_path / "run.csv"
    recording.save(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line.rpartition(",")[0] for line in lines) + "\n")  # without checksums
    assert np.array_equal(gw.Recording.open(path).position["left_finger"], recording.position["left_finger"])
    recording.save(path)
    path.write_text("\n".join(lines) + "\n")  # other line endings
    assert np.array_equal(gw.Recording.open(path).position["left_finger"], recording.position["left_finger"])
    path.write_text("\n".join([*lines[:5], lines[5].replace("0", "1", 1), *lines[6:]]) + "\n")
    with pytest.raises(gw.GearwrightError, match=r"checksum of line 6 is wrong.*remove the column 'crc32'"):
        gw.Recording.open(path)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_damaged_table_of_a_sweep_is_not_taken_for_the_sweep(tmp_path, ending):
    polars = pytest.importorskip("polars")
    path = tmp_path / f"table{ending}"
    about = {"fingerprint": "f", "call": "c"}
    store.write(polars.DataFrame({"x": np.linspace(0, 1, 50)}), path, about)
    raw, table = path.read_bytes(), store.read(path)
    assert store.described(path) == about
    for bit in random.Random(6).sample(range(8 * len(raw)), 500):
        path.write_bytes(flipped(raw, bit))
        if store.described(path).get("fingerprint") == "f":
            assert store.read(path).equals(table)


# --- memory ----------------------------------------------------------------------------------------------------------


def bomb(recording, rows, compression):
    """An archive like a recording's, with zeros for numbers."""
    made = io.BytesIO()
    array = io.BytesIO()
    np.lib.format.write_array_header_1_0(array, {"descr": "<f8", "fortran_order": False, "shape": (rows,)})
    array.write(bytes(8 * rows))
    with zipfile.ZipFile(made, "w", compression) as archive:
        for column in recording.schema.stored:
            name = f"{column.family}/{column.name}" if column.family else column.name
            archive.writestr(f"{name}.npy", array.getvalue())
        text = io.BytesIO()
        np.save(text, np.array(to_text(recording.schema)))
        archive.writestr("schema.npy", text.getvalue())
    return made.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_an_archive_that_unpacks_to_more_than_it_has_is_refused(tmp_path, recording, compression):
    path = tmp_path / "run.npz"
    path.write_bytes(bomb(recording, 1000, zipfile.ZIP_STORED))
    assert len(gw.Recording.open(path)) == 1000
    path.write_bytes(bomb(recording, 100_000, compression))
    with pytest.raises(gw.GearwrightError, match=r"has [\d,]+ bytes and unpacks to [\d,]+"):
        gw.Recording.open(path)


def test_an_archive_whose_members_are_the_same_bytes_is_refused(tmp_path, recording):
    raw = bytearray(bomb(recording, 1000, zipfile.ZIP_STORED))
    whole = zipfile.ZipFile(io.BytesIO(raw))
    first = whole.infolist()[0]
    end = whole.infolist()[1].header_offset  # one member's bytes, and a table of contents of many that share them
    made = io.BytesIO(raw[:end])
    with zipfile.ZipFile(made, "a") as archive:
        for n in range(50):
            copy = zipfile.ZipInfo(f"{n}.npy")
            copy.header_offset, copy.CRC = 0, first.CRC
            copy.file_size = copy.compress_size = first.file_size
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy
        archive._didModify = True
    (tmp_path / "run.npz").write_bytes(made.getvalue())
    with pytest.raises(gw.GearwrightError, match="unpacks to"):
        gw.Recording.open(tmp_path / "run.npz")


@pytest.mark.parametrize("ending", ["parquet", "mcap"])
def test_numbers_that_do_not_fit_into_memory_are_refused_before_they_are_read(tmp_path, recording, ending, monkeypatch):
    path = tmp_path / f"run.{ending}"
    recording.save(path)
    numbers = len(recording) * len(recording.schema.stored)
    monkeypatch.setattr(free_memory, "LITTLE", 0)
    monkeypatch.setattr(free_memory, "available_memory", lambda: 8 * numbers)
    gw.Recording.open(path)
    monkeypatch.setattr(free_memory, "available_memory", lambda: 8 * numbers - 1)
    with pytest.raises(gw.GearwrightError, match="is free: open it where more is"):
        gw.Recording.open(path)


@POSIX
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pipe_is_not_waited_for(tmp_path, ending):
    os.mkfifo(tmp_path / f"pipe.{ending}")
    code = f"import gearwright as gw; gw.Recording.open({str(tmp_path / f'pipe.{ending}')!r})"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env=environment)
    assert "GearwrightError: cannot read" in done.stderr and "not a regular file" in done.stderr


def test_the_checksum_of_a_parquet_file_is_of_all_other_bytes(tmp_path, recording):
    recording.save(tmp_path / "run.parquet")
    raw = (tmp_path / "run.parquet").read_bytes()
    before, mark, after = raw.rpartition(b"gearwright crc32 ")
    assert mark and int.from_bytes(after[:4], "little") == zlib.crc32(before + after[4:])
