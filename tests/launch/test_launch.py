"""What the payload inputs of a kernel mean, against real compilations and the corpus."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import Platform, platform_named
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.input_meaning import Sampler
from visaproof.launch.launch import (
    NOTHING_KNOWN,
    Argument,
    ArgumentValue,
    BufferAddress,
    BufferOffset,
    Launch,
    LaunchValue,
    LocalId,
    Meaning,
    Piece,
    Property,
    SlmAddress,
    Surface,
    Unknown,
    parse_input_option,
    read_launch,
)
from visaproof.launch.manifest import read_manifest
from visaproof.launch.payload import layouts, place
from visaproof.launch.unmodelled_inputs import unmodelled_read
from visaproof.visaasm.device import decided
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import Input, Kernel

DATA = Path(__file__).parents[1] / "data" / "launch"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


def kernel(name: str) -> Kernel:
    return read_kernel_file(DATA / name)


def holds(launch: Launch, variable: str) -> list[str]:
    return [f"{piece.offset}+{piece.size} {piece}" for piece in launch.pieces(variable)]


def described(launch: Launch) -> dict[str, list[str]]:
    return {variable: holds(launch, variable) for variable in launch.meanings}


# ---------------------------------------------------------------- zebin


def test_simd32_splits_each_dimension_into_two_inputs() -> None:
    launch = read_launch(DATA / "vadd/tgllp-O2.zebin", kernel("vadd/tgllp-O2.visaasm"))
    assert (launch.simd, launch.platform, launch.group_size) == (32, Platform.TGLLP, None)
    assert launch.binding_table == {0: 0, 1: 1, 2: 2}
    assert launch.arg_names == {0: "a", 1: "b", 2: "c"}
    assert str(launch.surface(2)) == "argument 2 (c)"
    assert launch.surface(3) is None
    assert list(described(launch).values()) == [
        ["0+32 local_id_x, lanes 0..15"],
        ["0+32 local_id_x, lanes 16..31"],
        ["0+32 local_id_y, lanes 0..15"],
        ["0+32 local_id_y, lanes 16..31"],
        ["0+32 local_id_z, lanes 0..15"],
        ["0+32 local_id_z, lanes 16..31"],
        ["0+12 global_id_offset", "12+12 local_size"],
        ["0+8 address of argument 0 (a)"],
        ["0+8 address of argument 1 (b)"],
        ["0+8 address of argument 2 (c)"],
        ["0+12 enqueued_local_size"],
    ]


def test_simd8_leaves_the_upper_half_of_each_local_id_register_unknown() -> None:
    launch = read_launch(DATA / "vadd/tgllp-O2-simd8.zebin", kernel("vadd/tgllp-O2-simd8.visaasm"))
    assert launch.simd == 8
    assert list(described(launch).values())[:4] == [
        ["0+16 local_id_x, lanes 0..7"],
        ["0+16 local_id_y, lanes 0..7"],
        ["0+16 local_id_z, lanes 0..7"],
        ["0+12 global_id_offset", "12+12 local_size"],
    ]


def test_pvc_has_registers_of_64_bytes() -> None:
    launch = read_launch(DATA / "vadd/pvc-O2.zebin", kernel("vadd/pvc-O2.visaasm"))
    assert (launch.simd, launch.platform) == (32, Platform.PVC)
    assert list(described(launch).values())[:5] == [
        ["0+64 local_id_x, lanes 0..31"],
        ["0+64 local_id_y, lanes 0..31"],
        ["0+64 local_id_z, lanes 0..31"],
        ["0+12 global_id_offset", "12+12 local_size"],
        ["0+8 address of argument 0 (a)"],
    ]


def test_a_struct_passed_by_value_is_spread_over_inputs() -> None:
    launch = read_launch(DATA / "shapes/tgllp-simd16.zebin", kernel("shapes/tgllp-simd16-many.visaasm"))
    assert launch.group_size == (16, 2, 1)
    assert list(described(launch).values())[4:] == [
        ["0+4 local address of argument 1 (l)"],
        ["0+8 address of argument 2 (g)"],
        ["0+16 argument 3 (v)"],
        ["0+3 argument 5 (c)"],
        ["0+4 argument 0 (s)"],
        ["0+1 argument 0 (s), from byte 4"],
        ["0+8 argument 0 (s), from byte 8"],
        ["0+4 argument 0 (s), from byte 16"],
        ["0+4 argument 0 (s), from byte 20"],
        ["0+4 argument 0 (s), from byte 24"],
        ["0+8 private_base_stateless"],
        ["0+4 work_dimensions"],
        ["0+12 group_count"],
        ["0+12 enqueued_local_size"],
    ]


def test_without_local_ids_tgllp_leaves_one_register_between_r0_and_the_arguments() -> None:
    launch = read_launch(DATA / "shapes/tgllp-simd16.zebin", kernel("shapes/tgllp-simd16-group_only.visaasm"))
    assert described(launch) == {
        "V0037": ["0+12 global_id_offset", "12+12 local_size"],
        "V0042": ["0+8 address of argument 0 (g)"],
        "V0034": ["0+4 argument 1 (n)"],
    }


# ---------------------------------------------------------------- ze_info text


def test_a_text_names_no_platform_and_the_inputs_tell_the_register_size() -> None:
    launch = read_launch(DATA / "shapes/dg2-simd8.ze_info", kernel("shapes/dg2-simd8-group_only.visaasm"))
    assert launch.platform is None
    assert [holds(launch, variable)[0] for variable in launch.meanings] == [
        "0+12 global_id_offset",
        "0+8 address of argument 0 (g)",
        "0+4 argument 1 (n)",
    ]


@pytest.mark.parametrize("variant", ["tgllp-O2", "tgllp-O2-simd8", "pvc-O2"])
def test_a_text_says_the_same_as_its_zebin(variant: str, tmp_path: Path) -> None:
    zebin = DATA / f"vadd/{variant}.zebin"
    text = tmp_path / "no-extension"
    text.write_bytes(ze_info_of(zebin))
    read = kernel(f"vadd/{variant}.visaasm")
    assert read_launch(text, read).meanings == read_launch(zebin, read).meanings
    assert read_launch(text, read).binding_table == read_launch(zebin, read).binding_table


def ze_info_of(zebin: Path) -> bytes:
    blob = zebin.read_bytes()
    return blob[blob.index(b"---\nversion") : blob.index(b"...\n") + 4]


def test_tabs_and_tags_are_read_past(tmp_path: Path) -> None:
    text = ze_info_of(DATA / "vadd/pvc-O2.zebin").replace(b"offset:          ", b"offset:\t")
    path = tmp_path / "tabs"
    path.write_bytes(text.replace(b"name:            vadd", b"name: !kernel vadd"))
    read = kernel("vadd/pvc-O2.visaasm")
    assert read_launch(path, read).meanings == read_launch(DATA / "vadd/pvc-O2.zebin", read).meanings


# ---------------------------------------------------------------- manifest


@pytest.mark.parametrize("variant", ["tgllp-O2", "tgllp-O2-simd8", "pvc-O2"])
def test_a_manifest_says_the_same_as_the_zebin(variant: str) -> None:
    read = kernel(f"vadd/{variant}.visaasm")
    listed = read_launch(DATA / "manifest.json", read)
    built = read_launch(DATA / f"vadd/{variant}.zebin", read)
    assert (listed.simd, listed.meanings, listed.binding_table, listed.arg_names, listed.platform) == (
        built.simd,
        built.meanings,
        built.binding_table,
        built.arg_names,
        built.platform,
    )


def test_surface_inputs_of_the_vector_compiler_name_their_arguments() -> None:
    launch = read_launch(DATA / "manifest.json", kernel("vc_oword_copy/tgllp-vc.visaasm"))
    assert launch.simd == 1
    assert holds(launch, "T6") == ["0+4 surface of argument 0"]
    assert holds(launch, "T7") == ["0+4 surface of argument 1"]
    assert holds(launch, "V33") == ["0+8 implicit UNDEFINED_12, not in the launch information"]


def test_a_renamed_file_is_found_by_its_content(tmp_path: Path) -> None:
    copy = tmp_path / "copy.visaasm"
    copy.write_bytes((DATA / "vadd/pvc-O2.visaasm").read_bytes())
    assert read_launch(DATA / "manifest.json", read_kernel_file(copy)).platform is Platform.PVC


def test_a_file_name_decides_if_nothing_else_does(tmp_path: Path) -> None:
    changed = tmp_path / "pvc-O2.visaasm"
    changed.write_text((DATA / "vadd/pvc-O2.visaasm").read_text() + "\n// changed\n")
    assert read_launch(DATA / "manifest.json", read_kernel_file(changed)).platform is Platform.PVC


def test_a_file_name_that_several_entries_have_is_an_error(tmp_path: Path) -> None:
    changed = replace(kernel("vc_oword_copy/tgllp-vc.visaasm"), path=str(tmp_path / "tgllp-vc.visaasm"))
    with pytest.raises(ReadError) as error:
        read_launch(DATA / "manifest.json", changed)
    assert error.value.hint == "visaasm/vc_oword_copy/tgllp-vc.visaasm, visaasm/vc_svm/tgllp-vc.visaasm"


def test_a_file_without_entry_is_an_error_that_lists_the_entries() -> None:
    with pytest.raises(ReadError, match=r"no entry for .*group_only\.visaasm\n  hint: entries: visaasm/vadd/"):
        read_launch(DATA / "manifest.json", kernel("shapes/tgllp-simd16-group_only.visaasm"))


# ---------------------------------------------------------------- the corpus


def corpus_entries() -> list[dict[str, Any]]:
    path = CORPUS / "manifest.json"
    return json.loads(path.read_text())["entries"] if path.exists() else []


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not part of the repository")
def test_every_input_of_the_corpus_means_what_its_manifest_says() -> None:
    blob = (CORPUS / "manifest.json").read_bytes()
    entries = corpus_entries()
    assert len(entries) == 483
    for entry in entries:
        read = read_kernel_file(CORPUS / entry["file"])
        info = read_manifest(blob, "manifest.json", Path(read.path))
        meanings = place(info, read, decided(info.device))
        assert place(info, read) == meanings, entry["file"]
        assert set(meanings) == {listed["var"] for listed in entry["inputs"]}
        for listed in entry["inputs"]:
            first = meanings[listed["var"]][0]
            assert (first.offset, first.first_byte) == (0, 0)
            assert first.meaning in expected(entry, listed), (entry["file"], listed)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not part of the repository")
def test_every_payload_base_of_the_corpus_follows_the_rule() -> None:
    blob = (CORPUS / "manifest.json").read_bytes()
    for entry in corpus_entries():
        info = read_manifest(blob, "manifest.json", CORPUS / entry["file"])
        bases = [layout.base for layout in layouts(info, decided(info.device))]
        packed = any("packed_local_ids" in text for text in entry["zeinfo"]["payload"])
        if packed:  # the manifest leaves the base of surface inputs open
            assert bases == [2 * platform_named(entry["platform"]).grf_bytes]
            assert entry["payload_base"] in (None, bases[0])
        else:
            assert [entry["payload_base"]] == bases


def expected(entry: dict[str, Any], listed: dict[str, Any]) -> Iterator[Meaning]:
    """What the manifest's `is` allows, computed apart from the code under test."""
    kind, _, argument = listed["is"].partition(":arg")
    registers = platform_named(entry["platform"]).grf_bytes
    of = Argument(int(argument)) if argument else Argument(-1)
    match kind:
        case "per-thread":
            (row,) = (int(t.split("+")[1]) // 3 for t in entry["zeinfo"]["payload"] if "local_id@" in t)
            dimension, byte = divmod(listed["offset"] - registers, row)
            yield LocalId(dimension, byte // 2)
        case "buffer_address":
            yield BufferAddress(of)
        case "arg_bypointer":
            offset = listed["offset"] - (entry["payload_base"] or 2 * registers)
            bindless = f"arg_bypointer@{offset}+8 arg{argument} bindless" in entry["zeinfo"]["payload"]
            yield Surface(of) if bindless or listed["var"].startswith("T") else BufferAddress(of)
        case "arg_byvalue":
            yield ArgumentValue(of)
        case "surface-or-implicit":
            yield Unknown("implicit UNDEFINED_12, not in the launch information")
            yield Surface(Argument(1))
        case _:
            yield LaunchValue(kind)


# ---------------------------------------------------------------- a launch that does not belong to the kernel


def test_a_zebin_of_another_width_is_refused() -> None:
    """The hint names both widths: the compiler dumps each that it tries, and only one is in the zebin."""
    with pytest.raises(ReadError, match="the inputs of kernel vadd do not match its payload arguments") as refused:
        read_launch(DATA / "vadd/tgllp-O2.zebin", kernel("vadd/tgllp-O2-simd8.visaasm"))
    assert "has 8 lanes, and 32 there" in refused.value.hint


def test_a_text_of_another_width_is_a_premise_where_its_inputs_match() -> None:
    """Without local ids the payload of a width that the compiler gave up is that of the one it kept."""
    path = DATA / "shapes/tgllp-simd16-group_only.visaasm"
    text = path.read_text()
    kept, given_up = (read_kernel(one, str(path)) for one in (text, text.replace("SimdSize=16", "SimdSize=32")))
    for read, stated in ((kept, []), (given_up, ["width"])):
        launch = read_launch(DATA / "shapes/tgllp-simd16.zebin", read)
        start = start_of(read, launch, Assume.IDS)
        assert [one.name for one in start.assumed if one.name == "width"] == stated


def test_a_zebin_of_another_device_is_refused() -> None:
    with pytest.raises(ReadError, match="the inputs of kernel vadd do not match its payload arguments"):
        read_launch(DATA / "vadd/pvc-O2.zebin", kernel("vadd/tgllp-O2.visaasm"))


def test_another_kernel_of_the_zebin_is_refused_with_the_names_that_it_has() -> None:
    with pytest.raises(ReadError, match=r"no kernel vadd in this ze_info\n  hint: kernels found: many, group_only$"):
        read_launch(DATA / "shapes/tgllp-simd16.zebin", kernel("vadd/tgllp-O2.visaasm"))


def only_inputs(*spans: tuple[int, int]) -> Kernel:
    here = Position("k.visaasm", 1, 1)
    inputs = tuple(Input(f"V{32 + n}", offset, size, None, here) for n, (offset, size) in enumerate(spans))
    return Kernel("k.visaasm", (4, 1), "k", False, {}, inputs, {}, (), ())


def ze_info(tmp_path: Path, *arguments: str, simd: int = 16, environment: str = "") -> Path:
    lines = "\n".join(f"      - {{{argument}}}" for argument in arguments)
    text = f"kernels:\n  - name: k\n    execution_env: {{simd_size: {simd}{environment}}}\n    payload_arguments:\n"
    path = tmp_path / "ze_info"
    path.write_text(text + lines + "\n")
    return path


WORDS = [f"arg_type: arg_byvalue, offset: {offset}, size: 4, arg_index: {offset // 4}" for offset in range(0, 96, 4)]


def test_two_register_sizes_that_explain_all_inputs_need_a_platform(tmp_path: Path) -> None:
    path = ze_info(tmp_path, *WORDS)
    read = only_inputs((64, 4), (68, 4))
    with pytest.raises(ReadError, match="in more than one way"):
        read_launch(path, read)
    assert str(read_launch(path, read, Platform.PVC).pieces("V32")[0]) == "argument 0"


def test_what_is_not_inline_begins_in_the_next_register(tmp_path: Path) -> None:
    path = ze_info(tmp_path, *WORDS, environment=", inline_data_payload_size: 32")
    launch = read_launch(path, only_inputs((64, 4), (92, 4), (128, 4), (188, 4)), Platform.PVC)
    assert [str(piece) for (piece,) in launch.meanings.values()] == [f"argument {n}" for n in (0, 7, 8, 23)]


def test_two_arguments_at_one_place_are_an_error(tmp_path: Path) -> None:
    path = ze_info(tmp_path, WORDS[0], WORDS[0])
    with pytest.raises(ReadError, match="argument 0 and argument 0 share payload byte 32"):
        read_launch(path, only_inputs((32, 4)))


def test_what_ze_info_calls_by_a_new_name_is_unknown(tmp_path: Path) -> None:
    path = ze_info(
        tmp_path,
        "arg_type: flux_capacitor, offset: 0, size: 8, arg_index: 3",
        "arg_type: buffer_offset, offset: 8, size: 4, arg_index: 0",
        "arg_type: arg_bypointer, offset: 16, size: 8, arg_index: 1, addrmode: bindless, addrspace: sampler",
        "arg_type: arg_bypointer, offset: 24, size: 8, arg_index: 2, addrmode: slm",
    )
    launch = read_launch(path, only_inputs((32, 8), (40, 4), (48, 8), (56, 8)))
    assert [piece.meaning for (piece,) in launch.meanings.values()] == [
        Unknown("flux_capacitor of argument 3", modelled=False),
        BufferOffset(Argument(0)),
        Sampler(Argument(1)),
        SlmAddress(Argument(2)),
    ]


def test_what_the_driver_says_of_an_image_may_be_anything(tmp_path: Path) -> None:
    """A kernel that reads it is followed; one that reads what nobody knows is not."""
    path = ze_info(
        tmp_path,
        "arg_type: image_channel_data_type, offset: 0, size: 4, arg_index: 1",
        "arg_type: image_mood, offset: 4, size: 4, arg_index: 1",
    )
    kernel = only_inputs((32, 4), (36, 4))
    launch = read_launch(path, kernel)
    assert launch.pieces("V32")[0].meaning == Property(Argument(1), "image_channel_data_type")
    assert unmodelled_read(kernel, launch, [("V32", 0)]) is None
    assert "image_mood of argument 1" in str(unmodelled_read(kernel, launch, [("V33", 0)]))


# ---------------------------------------------------------------- unreadable files

REFUSED = {
    "nothing": (b"", ":1:1: the document is empty"),
    "another text": (b".version 4.1\n.kernel", ":1:1: expected a mapping"),
    "no kernels": (b"version: '1.20'\n", ":1:1: this is no ze_info: it has no `kernels`"),
    "noise": (b"\x00\xff\xfe", ":1:1: neither a zebin, a ze_info text nor a manifest"),
    "control character": (b"kernels: \x01\n", ":1:1: not YAML: "),
    "yaml syntax": (b"kernels:\n  - name: vadd\n    x: ]\n", ":3:8: not YAML: "),
    "anchor": (b"kernels: &a [*a]\n", ":1:10: anchors and aliases are not accepted"),
    "depth": (b"kernels: " + b"[" * 100_000, ":1:41: too many or too deeply nested values"),
    "wrong type": (b"kernels:\n  - [1]\n", ":2:5: expected a mapping"),
    "mapping as key": (b"kernels: {{a: b}: c}\n", ":1:11: expected a text or a number"),
    "no environment": (b"kernels:\n  - name: vadd\n", ":2:5: `execution_env` is missing here"),
    "no number": (
        b"kernels:\n  - name: vadd\n    execution_env: {simd_size: many}\n",
        ":3:32: expected a number, not 'many'",
    ),
    "odd width": (b"kernels:\n  - name: vadd\n    execution_env: {simd_size: 7}\n", ":3:32: simd_size 7"),
    "negative": (
        b"kernels:\n- {name: vadd, execution_env: {simd_size: 8}, payload_arguments: [{arg_type: x, offset: -1}]}\n",
        ":2:89: expected a number that is not negative, not -1",
    ),
    "json syntax": (b'{"entries":\n  [}', ":2:4: not JSON: "),
    "json type": (b'{"entries": [{"kernel": 3}]}', r"not a manifest: .*\$\.entries\[0\]\.kernel"),
    "json depth": (b"[" * 100_000, "not a manifest|not JSON"),
    "archive": (b"!<arch>\n", "archive for several devices"),
    "elf head": (b"\x7fELF\x02\x01\x01", "damaged ELF file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_unreadable_file_is_refused_at_its_place(name: str, tmp_path: Path) -> None:
    content, message = REFUSED[name]
    path = tmp_path / "launch"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=message):
        read_launch(path, kernel("vadd/tgllp-O2.visaasm"))


def test_an_elf_file_without_ze_info_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "elf"
    path.write_bytes((DATA / "vadd/pvc-O2.zebin").read_bytes().replace(b".ze_info", b".zz_info"))
    with pytest.raises(ReadError, match=r"no \.ze_info section\n  hint: compile with `ocloc"):
        read_launch(path, kernel("vadd/pvc-O2.visaasm"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be read: No such file"):
        read_launch(tmp_path / "absent", kernel("vadd/pvc-O2.visaasm"))


FIXTURES = {
    DATA / "vadd/tgllp-O2.zebin": kernel("vadd/tgllp-O2.visaasm"),
    DATA / "shapes/dg2-simd8.ze_info": kernel("shapes/dg2-simd8-many.visaasm"),
    DATA / "manifest.json": kernel("vc_oword_copy/tgllp-vc.visaasm"),
}


@given(
    st.sampled_from(sorted(FIXTURES)),
    st.integers(0, 12_000),
    st.lists(st.tuples(st.integers(0, 12_000), st.integers(0, 40), st.binary(max_size=8)), max_size=5),
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_read_or_refused(
    tmp_path: Path, fixture: Path, kept: int, changes: list[tuple[int, int, bytes]]
) -> None:
    blob = fixture.read_bytes()
    for at, removed, added in changes:
        blob = blob[: at % len(blob)] + added + blob[at % len(blob) + removed :] or b"\0"
    path = tmp_path / "damaged"
    path.write_bytes(blob if kept > 6_000 else blob[:kept])
    try:
        launch = read_launch(path, FIXTURES[fixture])
    except ReadError:
        return
    assert set(launch.meanings) == {item.variable for item in FIXTURES[fixture].inputs}


# ---------------------------------------------------------------- --input


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("V0038=local_id_x", LocalId(0)),
        ("V0038 = local_id_z@16", LocalId(2, 16)),
        ("V0038=global_id_offset", LaunchValue.GLOBAL_ID_OFFSET),
        ("V0038=private_base_stateless", LaunchValue.PRIVATE_BASE),
        ("V0038=buffer_address:arg0", BufferAddress(Argument(0))),
        ("V0038=arg_byvalue:2", ArgumentValue(Argument(2))),
        ("V0038=surface:arg1", Surface(Argument(1))),
    ],
)
def test_an_option_names_a_variable_and_a_meaning(text: str, meaning: Meaning) -> None:
    assert parse_input_option(text) == ("V0038", meaning)


@pytest.mark.parametrize(
    "text", ["", "V0038", "=local_id_x", "V0038=", "V0038=local_id_w", "V0038=arg_byvalue", "V=x:1"]
)
def test_an_option_in_another_form_is_refused_with_the_forms_that_there_are(text: str) -> None:
    with pytest.raises(ReadError, match=r"hint: meanings: local_id_x\[@LANE\], .*surface:argN"):
        parse_input_option(text)


@given(st.text())
def test_any_option_is_read_or_refused(text: str) -> None:
    with suppress(ReadError):
        parse_input_option(text)


def test_options_override_what_a_file_says() -> None:
    read = kernel("vadd/tgllp-O2-simd8.visaasm")
    launch = read_launch(DATA / "vadd/tgllp-O2-simd8.zebin", read)
    stated = launch.with_inputs(
        read, [parse_input_option("V0036=group_count"), parse_input_option("V0038=arg_byvalue:1")]
    )
    assert stated.pieces("V0036") == (Piece(0, 12, LaunchValue.GROUP_COUNT),)
    assert holds(stated, "V0038") == ["0+32 argument 1 (b)"]
    assert stated.pieces("V0039") == launch.pieces("V0039")
    assert launch.with_inputs(read, []) == launch


def test_options_alone_are_a_launch() -> None:
    read = kernel("vadd/tgllp-O2-simd8.visaasm")
    launch = NOTHING_KNOWN.with_inputs(read, [parse_input_option("V0038=local_id_x")])
    assert holds(launch, "V0038") == ["0+16 local_id_x, lanes 0..7"]
    assert launch.pieces("V0039") == ()


def test_options_that_do_not_suit_the_kernel_are_refused() -> None:
    read = kernel("vadd/tgllp-O2-simd8.visaasm")
    with pytest.raises(ReadError, match="V9999 is no input of vadd\n  hint: inputs: V0038, V0039"):
        NOTHING_KNOWN.with_inputs(read, [("V9999", LocalId(0))])
    with pytest.raises(
        ReadError, match=r"V0038 is given two meanings: local_id_x, lanes 0\.\.7; local_id_y, lanes 0\.\.7"
    ):
        NOTHING_KNOWN.with_inputs(read, [("V0038", LocalId(0)), ("V0038", LocalId(1))])
    with pytest.raises(ReadError, match="local_id_x@16: the thread has 8 lanes"):
        NOTHING_KNOWN.with_inputs(read, [("V0038", LocalId(0, 16))])


# ---------------------------------------------------------------- start-up


def test_the_libraries_for_files_are_imported_only_when_a_file_is_read() -> None:
    script = "import sys, visaproof.launch.launch; print(sorted({'yaml', 'elftools'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
