"""Files that try to read what they may not: other files, pipes, devices, the environment."""

# ruff: noqa: E501  (hostile texts stay on one line)

from __future__ import annotations

import os
from collections.abc import Callable

from tests.attacks.attack import HEAD, LINK, SECRET, Attack, Place, xacro

UNSAFE = ("include-unsafe", "include-not-found", "package-not-found", "xacro-limit", "xml-malformed", "xml-unsafe")


def _include(name: str, **more: object) -> Attack:
    """OUTSIDE in the name is the folder with the secret."""
    return xacro(lambda p: f'<xacro:include filename="{_named(name, p)}"/>', *UNSAFE, **more)


def _yaml(name: str, **more: object) -> Attack:
    def content(p: Place) -> str:
        return f'<xacro:property name="y" value="${{xacro.load_yaml(\'{_named(name, p)}\')}}"/>' + LINK.format("${y}")

    return xacro(content, *UNSAFE, "xacro-failed", **more)


def _named(name: str, p: Place) -> str:
    return name.replace("OUTSIDE", str(p.outside))


def _linked(name: str, target: str) -> Callable[[Place], object]:
    return lambda p: os.symlink(_named(target, p), p.model / name)


def _sparse(p: Place) -> None:
    with (p.model / "huge.xacro").open("wb") as f:
        f.truncate(50 * 2**30)


ENTITY = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file://OUTSIDE/secret.txt">]>'
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


def _plain(text: str, *codes: str, main: str = "robot.urdf", **beside: str) -> Attack:
    return Attack(files=lambda p: {main: _named(text, p), **beside}, codes=codes, main=main)


def _sdf(uri: str, **more: object) -> Attack:
    def files(p: Place) -> dict[str, str]:
        return {
            "robot.sdf": f'<sdf version="1.11"><model name="m"><link name="a"/><include><uri>{_named(uri, p)}</uri></include></model></sdf>'
        }

    return Attack(files=files, codes=("include-unsafe", "include-not-found", "include-cycle"), main="robot.sdf", **more)  # type: ignore[arg-type]


ATTACKS: dict[str, Attack] = {
    "include above": _include("../outside/secret.xacro"),
    "include by its path": _include("OUTSIDE/secret.xacro"),
    "include of a file:// path": _include("file://OUTSIDE/secret.xacro"),
    "include of a computed path": _include("${'..'}/outside/secret.xacro"),
    "include of a pattern above": _include("../outside/*.xacro"),
    "include of a pattern that climbs": _include("sub*/../../outside/secret.xacro", beside={"sub/x.xacro": HEAD + "</robot>"}),
    "include of a pattern everywhere": _include("/*/*/*/*.xacro"),
    "include through a link": _include("link.xacro", prepare=_linked("link.xacro", "OUTSIDE/secret.xacro")),
    "include through a linked folder": _include("link/secret.xacro", prepare=_linked("link", "OUTSIDE")),
    "include of a pattern in a linked folder": _include("link/*.xacro", prepare=_linked("link", "OUTSIDE")),
    "include of a link to itself": _include("loop.xacro", prepare=_linked("loop.xacro", "loop.xacro")),
    "include of a pipe": _include("pipe.xacro", prepare=lambda p: os.mkfifo(p.model / "pipe.xacro")),
    "include of a folder": _include("."),
    "include of a device": _include("/dev/zero"),
    "include of a linked device": _include("zero.xacro", prepare=_linked("zero.xacro", "/dev/zero")),
    "include of the process": _include("/proc/self/environ"),
    "include of a huge file": _include("huge.xacro", prepare=_sparse),
    "include of a package above": _include("$(find ..)/outside/secret.xacro"),
    "include of a package by its path": _include("$(find /)/OUTSIDE/secret.xacro"),
    "include of package://": _include("package://../outside/secret.xacro"),
    "include of a folder above as package": _include("$(find outside)/secret.xacro"),
    "include out of its own package": _include("$(find mine)/../outside/secret.xacro", beside={"package.xml": "<package><name>mine</name></package>"}),
    "include from a network": _include("http://example.com/x.xacro"),
    "include of an empty name": _include(""),
    "include of a long name": _include("a/" * 3000),
    "include of a file with an entity": Attack(
        files=lambda p: {"robot.xacro": HEAD + '<xacro:include filename="e.xacro"/></robot>', "e.xacro": _named(ENTITY, p) + HEAD + LINK.format("&x;") + "</robot>"},
        codes=("xml-unsafe",),
    ),
    "yaml above": _yaml("../outside/secret.yaml"),
    "yaml by its path": _yaml("OUTSIDE/secret.yaml"),
    "yaml through a link": _yaml("link.yaml", prepare=_linked("link.yaml", "OUTSIDE/secret.yaml")),
    "yaml of the process": _yaml("/proc/self/environ"),
    "yaml of a device": _yaml("/dev/urandom"),
    "yaml of a pipe": _yaml("pipe", prepare=lambda p: os.mkfifo(p.model / "pipe")),
    "env": xacro(LINK.format("$(env GEARWRIGHT_SECRET)"), "xacro-refused"),
    "optenv": xacro(LINK.format("x$(optenv GEARWRIGHT_SECRET nothing)")),
    "env as a default": xacro('<xacro:arg name="a" default="$(env GEARWRIGHT_SECRET)"/>', "xacro-refused"),
    "env in a condition": xacro('<xacro:if value="$(env GEARWRIGHT_SECRET)"/>', "xacro-refused"),
    "env in an eval": xacro(LINK.format("$(eval env)"), "xacro-failed"),
    "the process's environment by name": xacro(LINK.format("${environ}"), "xacro-failed"),
    "entity": _plain(ENTITY + '<robot name="r"><link name="&x;"/></robot>', "xml-unsafe"),
    "entity in xacro": _plain(ENTITY + HEAD + LINK.format("&x;") + "</robot>", "xml-unsafe", main="robot.xacro"),
    "parameter entity": _plain('<!DOCTYPE r [<!ENTITY % x SYSTEM "file://OUTSIDE/secret.txt"> %x;]><robot name="r"/>', "xml-unsafe"),
    "external DTD": _plain('<!DOCTYPE robot SYSTEM "file://OUTSIDE/secret.txt"><robot name="r"/>', "xml-unsafe"),
    "laughs": _plain(f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]>{HEAD}{LINK.format("&l9;")}</robot>', "xml-unsafe", main="robot.xacro"),
    "XInclude": _plain('<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude"><link name="a"/><xi:include href="OUTSIDE/secret.txt" parse="text"/></robot>'),
    "style sheet": _plain('<?xml-stylesheet href="OUTSIDE/secret.txt"?><robot name="r"><link name="a"/></robot>'),
    "encoding": _plain('<?xml version="1.0" encoding="utf-7"?><robot name="r"/>', "xml-malformed"),
    "sdf model:// above": _sdf("model://../outside"),
    "sdf package:// above": _sdf("package://../outside/model.sdf"),
    "sdf file://": _sdf("file://OUTSIDE/model.sdf"),
    "sdf path above": _sdf("../outside/model.sdf"),
    "sdf link": _sdf("link.sdf", prepare=_linked("link.sdf", "OUTSIDE/model.sdf")),
    "sdf pipe": _sdf("pipe.sdf", prepare=lambda p: os.mkfifo(p.model / "pipe.sdf")),
    "sdf of itself": _sdf("robot.sdf"),
    "sdf from a network": _sdf("https://example.com/model.sdf"),
    "sdf process": _sdf("/proc/self/environ"),
    "a model that is a pipe": Attack(files=lambda p: {}, codes=("file-unreadable",), main="p.urdf", prepare=lambda p: os.mkfifo(p.model / "p.urdf")),
    "a model that is a device": Attack(files=lambda p: {}, codes=("file-unreadable",), main="z.xacro", prepare=_linked("z.xacro", "/dev/zero")),
    "a fatal message with a secret": xacro("${xacro.fatal(xacro.abs_filename('../outside/secret.yaml'))}", "xacro-failed"),
}  # fmt: skip
assert SECRET not in str(ATTACKS)
