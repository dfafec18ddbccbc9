"""Which device a kernel is for: its binary, its own comment, the user, or the question."""

import json
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.current_compiler import Compilation, compiled
from visaproof.cli import main
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.launch import launch_of, said_by_launch
from visaproof.pairs.dumps import in_folder
from visaproof.visaasm.device import Said, decided, device_of, required, said_in
from visaproof.visaasm.reader import read_kernel, read_kernel_file

DATA = Path(__file__).parents[1] / "data"
LAUNCH = DATA / "launch"

TEN = {
    "tgllp": (Platform.TGLLP, 32), "dg2": (Platform.DG2, 32), "mtl": (Platform.MTL, 32), "arl-h": (Platform.ARL, 32),
    "pvc": (Platform.PVC, 64), "bmg": (Platform.Xe2, 64), "lnl": (Platform.Xe2, 64), "ptl": (Platform.Xe3, 64),
    "nvl-p": (Platform.Xe3P, 64), "cri": (Platform.Xe3P, 64),
}  # fmt: skip
"""The devices of today's ocloc, and the bytes of their registers."""

SOURCE = """kernel void k(global const int *a, global int *b)
{
    b[get_global_id(0)] = a[get_global_id(0)] + 1;
}
"""
TEXT = """.version 4.1
.kernel "k"
.decl V32 v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
    scatter4_scaled.R (M1, 8) T6 0x0:ud V32.0 V32.0
    ret (M1, 1)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Compilation]:
    """A dump, a zebin and a ze_info for a device, which are made once."""
    folder = tmp_path_factory.mktemp("devices")
    return cache(lambda device: compiled(SOURCE, device, folder / device))


# ---------------------------------------------------------------- today's compiler


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("device", TEN)
def test_each_device_is_known_by_each_of_its_files(made: Callable[[str], Compilation], device: str) -> None:
    """With its zebin, with its ze_info, which does not name the device, and alone; then also without the comment."""
    files, (platform, register) = made(device), TEN[device]
    kernel = read_kernel_file(files.dump)
    for launch in (files.zebin, files.ze_info, None):
        known, found = launch_of(launch, kernel, None)
        assert (found, found.grf_bytes) == (platform, register)
        assert bool(known.meanings) == (launch is not None)
    uncommented = read_kernel("\n".join(kernel.source_lines).replace("//Platform:", "//"), str(files.dump))
    known, found = launch_of(files.zebin, uncommented, None)
    assert (found, bool(known.meanings)) == (platform, True)
    for launch in (files.ze_info, None):
        with pytest.raises(ReadError, match="the device of this kernel is not known"):
            launch_of(launch, uncommented, None)
        assert launch_of(launch, uncommented, platform)[1] is platform


def test_a_zebin_of_another_device_is_a_contradiction(made: Callable[[str], Compilation]) -> None:
    for one, other in (("bmg", "dg2"), ("pvc", "ptl"), ("mtl", "arl-h")):
        with pytest.raises(ReadError, match="which device was this kernel compiled for"):
            launch_of(made(other).zebin, read_kernel_file(made(one).dump), None)


@pytest.mark.slow
def test_every_command_knows_the_device_of_a_dump(
    made: Callable[[str], Compilation], capsys: pytest.CaptureFixture[str]
):
    """By its comment and its zebin; another `--platform` is a contradiction."""
    for device in ("bmg", "mtl"):
        files, (platform, _) = made(device), TEN[device]
        for command in ("conflicts", "bounds", "check"):
            main([command, str(files.dump), "--launch", str(files.zebin), "--format", "json"])
            (found,) = json.loads(capsys.readouterr().out)["files"]
            assert found["platform"] == platform.name
            assert main([command, str(files.dump), "--launch", "none", "--platform", "XeHP_SDV"]) == 2
            assert f"the comment '//Platform: {platform.name.upper()}" in capsys.readouterr().err


# ---------------------------------------------------------------- notes, comments and options


def zebin_with_notes(tmp_path: Path, **notes: int) -> Path:
    """A zebin of vadd for PVC with other notes of its device."""
    content = (LAUNCH / "vadd" / "pvc-O2.zebin").read_bytes()
    at = content.index(struct.pack("<III", 8, 4, 1) + b"IntelGT\0")
    kinds = {"family": 1, "core": 2, "version": 6}
    for name, value in notes.items():
        content = (
            content[:at]
            + struct.pack("<III", 8, 4, kinds[name])
            + b"IntelGT\0"
            + struct.pack("<I", value)
            + content[at + 24 :]
        )
        at += 24
    path = tmp_path / "k.bin"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ({"family": 1274}, (Platform.Xe2,)),
        ({"family": 1271, "core": 0}, (Platform.PVC,)),
        ({"family": 4000, "core": 0xC09}, (Platform.Xe2,)),
        ({"family": 4000, "version": 30 << 22 | 4 << 14}, (Platform.Xe3,)),
        ({"family": 4000, "core": 0x4000}, ()),
    ],
)
def test_the_notes_of_a_zebin_fall_back_in_their_order(
    tmp_path: Path, notes: dict[str, int], expected: tuple[Platform, ...]
) -> None:
    (said,) = said_by_launch(zebin_with_notes(tmp_path, **notes), tmp_path / "k.visaasm")
    assert said.platforms == expected


def test_an_unknown_device_in_a_zebin_is_asked_for_and_named(tmp_path: Path) -> None:
    """The comment comes next, then the user; never a default."""
    zebin = zebin_with_notes(tmp_path, family=4000, core=0x4000)
    kernel = read_kernel_file(LAUNCH / "vadd" / "pvc-O2.visaasm")
    with pytest.raises(ReadError, match=r"product family 4000, GfxCore family 16384\) names none that is known here"):
        launch_of(zebin, kernel, None)
    assert launch_of(zebin, kernel, Platform.PVC)[1] is Platform.PVC
    commented = replace(kernel, source_lines=(*kernel.source_lines, "//Platform: PVCXT"))
    assert launch_of(zebin, commented, None)[1] is Platform.PVC


def test_a_comment_decides_among_platforms_of_one_gfxcore_family(tmp_path: Path) -> None:
    """A binary that names only the family does not contradict the comment."""
    zebin = zebin_with_notes(tmp_path, family=4000, core=0xC07)
    said = said_by_launch(zebin, tmp_path / "k.visaasm")
    assert decided((*said, *said_in(["//Platform: ARL"], "k"))) is Platform.ARL
    assert decided(said) is Platform.DG2
    with pytest.raises(ReadError, match="DG2 or MTL or ARL, but the comment '//Platform: XE2' says Xe2"):
        decided((*said, *said_in(["//Platform: XE2"], "k")))


def test_a_comment_is_read_with_its_place() -> None:
    (said,) = said_in(["ret (M1, 1)", "//Platform: XE3P_CRI", "  //Platform: DG2"], "k.visaasm")
    assert (said.platforms, said.position.line) == ((Platform.Xe3P,), 2)
    (unknown,) = said_in(["//Platform: XE9"], "k.visaasm")
    assert unknown.platforms == ()
    with pytest.raises(ReadError, match="the comment '//Platform: XE9' names none that is known here"):
        device_of(["//Platform: XE9"], "k.visaasm", None)
    assert device_of(["//Platform: XE9"], "k.visaasm", Platform.DG2) is Platform.DG2


def test_nothing_said_is_never_a_device() -> None:
    assert decided(()) is None
    assert decided([Said("x", (), said_in(["//Platform: x"], "k")[0].position)]) is None
    with pytest.raises(ReadError) as question:
        required(None, (), "k.visaasm")
    assert all(name in question.value.hint for name in ("TGLLP", "PVC (PVCXT)", "ARL-H", "PTL", "NVL", "CRI"))


@pytest.mark.parametrize("word", ["TGLLP", "PVCXT"])
def test_the_size_of_a_register_comes_from_the_comment(word: str) -> None:
    text = TEXT.replace("V32.0 V32.0", "V32.0 V32.%sizeof(GRF)") + f"\n//Platform: {word}\n"
    kernel = read_kernel(text.replace("num_elts=8", "num_elts=64"), "k.visaasm")
    (scatter,) = [each for each in kernel.instructions() if each.opcode == "scatter4_scaled"]
    assert getattr(scatter.operands[3], "offset", None) == (64 if word == "PVCXT" else 32)


# ---------------------------------------------------------------- commands

COMMANDS = (
    ("conflicts", "FILE"), ("bounds", "FILE"), ("check", "FILE"), ("check", "FILE", "--rules", "igc"),
    ("refine", "FILE", "FILE"), ("run", "FILE", "--global-size", "8"),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_takes_a_device_for_granted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    file = tmp_path / "k.visaasm"
    words = [str(file) if word == "FILE" else word for word in command]
    file.write_text(TEXT)
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "the device of this kernel is not known" in told
    assert "--platform NAME" in told
    file.write_text(TEXT + "\n//Platform: TGLLP\n")
    assert main([*words, "--platform", "PVC"]) == 2
    assert "//Platform: TGLLP' says TGLLP, but --platform PVC says PVC" in capsys.readouterr().err
    main(words)
    assert "the device of" not in capsys.readouterr().err
    main([*words, "--platform", "tgllp"])
    assert "the device of" not in capsys.readouterr().err


def test_dumps_of_two_devices_are_no_pair(tmp_path: Path) -> None:
    """Of a folder without a manifest; their comments tell them apart."""
    for name, word in (("a", "BMG"), ("b", "TGLLP"), ("c", "XE2")):
        (tmp_path / f"{name}.visaasm").write_text(TEXT + f"\n//Platform: {word}\n")
    found = in_folder(tmp_path, None)
    assert [(pair.source_name, pair.target_name) for pair in found.pairs] == [("a", "c")]
    assert found.alone == ("b",)


def test_check_takes_the_device_of_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its rules depend on it."""
    files = [tmp_path / f"{word}.visaasm" for word in ("TGLLP", "BMG")]
    for file in files:
        file.write_text(TEXT + f"\n//Platform: {file.stem}\n")
    main(["check", *map(str, files), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["platform"] is None
    assert [file["platform"] for file in document["files"]] == ["TGLLP", "Xe2"]
    launched = str(LAUNCH / "vadd" / "pvc-O2.visaasm")
    main(["check", launched, "--launch", str(LAUNCH / "vadd" / "pvc-O2.zebin"), "--format", "json"])
    assert json.loads(capsys.readouterr().out)["platform"] == "PVC"
