"""What a file says for all of its elements: its compiler, its default classes and its assets."""

from __future__ import annotations

from gearwright.formats.mjcf.compiler import read_compiler
from gearwright.formats.mjcf.defaults import Defaults
from gearwright.formats.mjcf.meshes import read_assets
from gearwright.formats.mjcf.parts import FileSettings
from gearwright.formats.paths.includes import Library
from gearwright.formats.paths.mesh_files import MeshFiles
from gearwright.formats.xml.located_xml import Element


def read_settings(root: Element, library: Library) -> FileSettings:
    """What a file says for all of its elements."""
    compiler = read_compiler(root)
    defaults = Defaults()
    defaults.read(root)
    files = MeshFiles(library.model_file(root), library.search)
    return FileSettings(compiler, defaults, read_assets(root, compiler, defaults, files))
