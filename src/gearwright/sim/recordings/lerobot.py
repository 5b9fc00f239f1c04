"""Recordings in the form of a LeRobotDataset, v3.0: a folder of Parquet tables and JSON, one episode per robot.

data/chunk-000/file-000.parquet            observation.state, action, timestamp and indices of every frame
meta/info.json, meta/stats.json            features, rates, statistics
meta/tasks.parquet                         the task in words
meta/episodes/chunk-000/file-000.parquet   where each episode stands
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.files import making_folder
from gearwright.optional import require
from gearwright.sim.recordings.columns import Array
from gearwright.sim.recordings.signal_names import find, label
from gearwright.sim.signals import Signal

if TYPE_CHECKING:
    from gearwright.sim.recordings.recording import Recording

VERSION, PLACE = "v3.0", "chunk-000/file-000.parquet"
WHOLE = {"dtype": "int64", "shape": [1], "names": None}
INDICES = ("frame_index", "episode_index", "index", "task_index")


def to_lerobot(
    recording: Recording, folder: Path, task: str, observe: Sequence[str] | None, act: Sequence[str] | None, every: int
) -> None:
    """See `Recording.to_lerobot`."""
    polars = require("polars", "a LeRobotDataset", "lerobot")
    for package in ("pandas", "pyarrow"):
        require(package, "a LeRobotDataset", "lerobot")
    if folder.exists() and any(folder.iterdir()):
        raise GearwrightError(f"{folder}: the folder is not empty; a dataset is written into one of its own")
    if not len(recording):
        raise GearwrightError("the recording is empty: there is nothing to export")
    schema = recording.schema
    seen = find(schema, observe or [f for f in ("position", "velocity", "sensor") if schema.by_family.get(f)])
    done = find(schema, act or ["command" if schema.by_family.get("command") else "effort"])
    tables = {name: _table(recording, own, every) for name, own in (("observation.state", seen), ("action", done))}
    fps = 1.0 / (schema.dt * schema.every * every)
    frames = _frames(tables, fps)
    info = _info(schema.robot, _features({"observation.state": seen, "action": done}), fps, tables)
    with making_folder(folder) as made:
        for part in ("data", "meta/episodes"):
            (made / part / "chunk-000").mkdir(parents=True)
        polars.DataFrame(frames, schema=_types(polars, tables)).write_parquet(made / "data" / PLACE)
        _episodes(polars, frames, tables, task).write_parquet(made / "meta/episodes" / PLACE)
        _write_tasks(made, task)
        _write_json(made / "meta/info.json", info)
        _write_json(made / "meta/stats.json", {name: _statistics(frames[name]) for name in frames})


def _table(recording: Recording, signals: list[Signal], every: int) -> Array:
    """(B, T, signals) in single precision, as the dataset has it."""
    each = [np.reshape(recording.read(s), (len(recording), recording.batch)) for s in signals if not s.shape]
    return np.stack(each, axis=-1)[::every].transpose(1, 0, 2).astype(np.float32)


def _frames(tables: dict[str, Array], fps: float) -> dict[str, Array]:
    episodes, length = next(iter(tables.values())).shape[:2]
    frame = np.tile(np.arange(length), episodes)
    numbers = {
        "frame_index": frame, "episode_index": np.repeat(np.arange(episodes), length),
        "index": np.arange(episodes * length), "task_index": np.zeros(episodes * length, np.int64),
    }  # fmt: skip
    flat = {name: x.reshape(-1, x.shape[-1]) for name, x in tables.items()}
    return {**flat, "timestamp": (frame / fps).astype(np.float32), **numbers}


def _types(polars: Any, tables: dict[str, Array]) -> dict[str, Any]:
    several = {name: polars.Array(polars.Float32, x.shape[-1]) for name, x in tables.items()}
    return {**several, "timestamp": polars.Float32, **dict.fromkeys(INDICES, polars.Int64)}


def _features(signals: dict[str, list[Signal]]) -> dict[str, Any]:
    own = {
        name: {"dtype": "float32", "shape": [len(each)], "names": [label(s) for s in each]}
        for name, each in signals.items()
    }
    stamp = {"timestamp": {"dtype": "float32", "shape": [1], "names": None}}
    return {**own, **stamp, **dict.fromkeys(INDICES, WHOLE)}


def _info(robot: str, features: dict[str, Any], fps: float, tables: dict[str, Array]) -> dict[str, Any]:
    episodes, length = next(iter(tables.values())).shape[:2]
    return {
        "codebase_version": VERSION, "robot_type": robot, "total_episodes": episodes,
        "total_frames": episodes * length, "total_tasks": 1, "chunks_size": 1000, "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 500, "fps": round(fps) if abs(fps - round(fps)) < 1e-6 else fps,
        "splits": {"train": f"0:{episodes}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet", "video_path": None,
        "features": features,
    }  # fmt: skip


def _statistics(values: Array) -> dict[str, list[Any]]:
    flat = values.reshape(len(values), -1).astype(np.float64)
    found = {"min": flat.min(0), "max": flat.max(0), "mean": flat.mean(0), "std": flat.std(0)}
    return {**{name: x.tolist() for name, x in found.items()}, "count": [len(flat)]}


def _episodes(polars: Any, frames: dict[str, Array], tables: dict[str, Array], task: str) -> Any:
    """A row an episode: its frames, its place, and the statistics of its features."""
    episodes, length = next(iter(tables.values())).shape[:2]
    rows = []
    for e in range(episodes):
        own = slice(e * length, (e + 1) * length)
        row: dict[str, Any] = {
            "episode_index": e, "tasks": [task], "length": length, "data/chunk_index": 0, "data/file_index": 0,
            "dataset_from_index": own.start, "dataset_to_index": own.stop,
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
        }  # fmt: skip
        for name, values in frames.items():
            row |= {f"stats/{name}/{kind}": x for kind, x in _statistics(values[own]).items()}
        rows.append(row)
    return polars.DataFrame(rows)


def _write_tasks(folder: Path, task: str) -> None:
    """With the task as the table's index: LeRobot looks it up by that."""
    pandas = require("pandas", "a LeRobotDataset", "lerobot")
    pandas.DataFrame({"task_index": [0]}, index=[task]).to_parquet(folder / "meta/tasks.parquet")


def _write_json(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=4, ensure_ascii=False), encoding="utf-8")
