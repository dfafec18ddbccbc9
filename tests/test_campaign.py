"""Generated OpenCL C kernels against PoCL: that they are the same for a seed, and that a fault of ours is found."""

import re
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks.campaign import batch, refined
from benchmarks.campaign.__main__ import main
from benchmarks.campaign.batch import Bench, Found
from benchmarks.campaign.faults import Fault, faults, known_by
from benchmarks.campaign.generate import generated
from benchmarks.campaign.launches import SOUND, Answer, Outcome, by_pocl, case_of, difference, full_text
from benchmarks.campaign.reduce import reduced
from benchmarks.campaign.store import RESULTS, OtherCampaign, Store
from benchmarks.campaign.syntax import Kernel, Parameter
from benchmarks.campaign.targets import DEVICES, Target, chosen, compile_each, today
from benchmarks.campaign.types import Type
from benchmarks.pocl.oracle import NoOracle, Oracle, oracle
from visaproof.machine.arrays import integers

SEEDS = range(60)


@cache
def pocl() -> Oracle | NoOracle:
    try:
        return oracle()
    except NoOracle as reason:
        return reason


def bench() -> Bench:
    """Skips where PoCL or today's compiler is missing."""
    found = pocl()
    if isinstance(found, NoOracle):
        pytest.skip(str(found))
    if not today().is_file():
        pytest.skip(f"today's compiler is not at {today()}")
    return Bench(today(), found)


# ---------------------------------------------------------------- generated kernels


def test_a_seed_gives_the_same_kernel_and_another_one_another() -> None:
    texts = [generated(seed).text() for seed in SEEDS]
    assert texts == [generated(seed).text() for seed in SEEDS]
    assert len(set(texts)) == len(texts)
    assert case_of(generated(3)) == case_of(generated(3))


def test_all_features_occur() -> None:
    found = {feature for seed in range(200) for feature in generated(seed).features}
    assert {"vector", "double", "half", "sub-group", "local memory", "atomic", "ticket", "division"} <= found


def test_variables_are_declared_whatever_is_dropped() -> None:
    kernel = generated(next(seed for seed in SEEDS if len(generated(seed).statements) > 6))
    assert kernel.with_statements(()).text().count("{") == 1
    assert all(each.partition("=")[0].split()[-1] != "" for each in kernel.declarations)


def test_targets_of_a_batch_follow_its_seed_and_one_has_doubles() -> None:
    assert chosen(7, DEVICES, 5) == chosen(7, DEVICES, 5)
    doubles = [each for each in map(generated, SEEDS) if "double" in each.features]
    assert all(Target("pvc").takes(each) for each in doubles)
    assert not any(Target("dg2").takes(each) for each in doubles)


# ---------------------------------------------------------------- reduction, comparison, what is kept


def test_a_kernel_is_reduced_to_what_shows_the_same() -> None:
    kernel = next(each for each in map(generated, range(500)) if "rotate(" in each.text() and each.size > 40)
    smaller = reduced(kernel, lambda each: any("rotate(" in line for one in each.statements for line in one.lines()))
    assert len(smaller.statements) == 1
    assert smaller.size < 8
    assert "rotate(" in smaller.text()


def floats(ulps: int | None) -> Kernel:
    return replace(generated(0), parameters=(Parameter("o", Type("float"), 1, ulps=ulps),))


COMPARED = [
    (None, 0x7FC0_0000, 0xFF80_0001, True),
    (None, 0, 1 << 31, True),
    (None, 1, 2, False),
    (2, 0x3F80_0000, 0x3F80_0002, True),
    (2, 0x3F80_0000, 0x3F80_0003, False),
    (2, 0x8000_0001, 1, True),
    (2, 0x7FC0_0000, 0x7F80_0000, False),
]


@pytest.mark.parametrize(("ulps", "ours", "theirs", "alike"), COMPARED)
def test_floats_are_compared_by_value_and_ulps(ulps: int | None, ours: int, theirs: int, alike: bool) -> None:
    mine, other = (bits.to_bytes(4, "little") for bits in (ours, theirs))
    assert (difference(floats(ulps), [mine], [other]) is None) == alike


def test_results_in_any_order_are_compared_as_sets() -> None:
    kernel = replace(generated(0), parameters=(Parameter("o", Type("uint"), 2, "any"),))
    assert difference(kernel, [b"\1\0\0\0\2\0\0\0"], [b"\2\0\0\0\1\0\0\0"]) is None
    assert difference(kernel, [b"\1\0\0\0\1\0\0\0"], [b"\2\0\0\0\1\0\0\0"]) is not None


def test_what_was_run_is_kept_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    store, target = Store.opened(tmp_path, 1), Target("bmg")
    store.add(Found(generated(0), target, Outcome(Answer.AGREE)))
    store.add(Found(generated(1), target, Outcome(Answer.DIFFER, "o[0]"), reduced=generated(1)))
    with (tmp_path / RESULTS).open("a") as file:
        file.write('{"seed": 2, "tar')
    again = Store.opened(tmp_path, 1)
    assert [again.done(generated(seed), target) for seed in range(3)] == [True, True, False]
    assert len(list((tmp_path / "found").glob("*.cl"))) == 1
    again.add(Found(generated(2), target, Outcome(Answer.AGREE)))
    assert len(Store.opened(tmp_path, 1).records) == 3
    with pytest.raises(OtherCampaign):
        Store.opened(tmp_path, 2)


def test_a_device_that_there_is_not_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--devices", "bmg,none"])
    assert "unknown device none" in capsys.readouterr().err


# ---------------------------------------------------------------- with the compiler and PoCL


@pytest.mark.slow
def test_a_seeded_share_agrees_with_pocl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was run is not run again."""
    bench()
    command = [str(tmp_path), "--seed", "77", "--batches", "1", "--budget", "15"]
    code = main(command)
    said = capsys.readouterr().out
    assert code == 0, said
    assert "agree" in said
    runs = len((tmp_path / RESULTS).read_text().splitlines())
    main([*command[:-1], "0"])
    assert f"{runs} runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("detail", "other", "apart"),
    [
        (f"k.visaasm:1:1: what depends on {batch.OPEN}", [b""], False),
        (f"k.visaasm:1:1: what depends on {batch.OPEN}", Outcome(Answer.UNDEFINED), True),
        ("k.visaasm:1:1: an opcode", [b""], True),
    ],
    ids=["a choice", "a choice or undefined", "an opcode"],
)
def test_only_what_depends_on_a_choice_may_be_modelled_by_one_engine_alone(
    detail: str, other: list[bytes] | Outcome, apart: bool
) -> None:
    found = batch._twins(generated(0), Outcome(Answer.NOT_MODELLED, detail), other)
    assert (found is not None) == apart


@pytest.mark.slow
def test_a_planted_fault_is_found_and_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    """xor is or on arrays, as a mutant would have it."""
    here, target = bench(), Target("bmg")
    monkeypatch.setattr(batch, "TWINS", 1_000_000)
    kernels = [each for each in map(generated, range(200)) if " ^ " in each.text() and each.size < 40]
    kernels = [each for each in kernels if target.takes(each)][:6]
    assert all(found.outcome.answer in SOUND for found in here.run(kernels, [target], lambda *_: False))
    monkeypatch.setitem(integers.WRAPPING, "xor", integers.WRAPPING["or"])
    wrong = [found for found in here.run(kernels, [target], lambda *_: False) if found.outcome.answer is Answer.DIFFER]
    assert wrong
    smaller = here.reduced(min(wrong, key=lambda each: each.kernel.size), 20)
    assert smaller.reduced is not None
    assert smaller.outcome.answer is Answer.DIFFER
    assert smaller.reduced.size <= smaller.kernel.size


@pytest.mark.slow
def test_two_compilations_of_a_kernel_refine_and_those_of_two_kernels_do_not(tmp_path: Path) -> None:
    here, fault = bench(), faults()[0]
    one = replace(fault, parameters=(Type("uint"),) * 2, result=Type("uint"), expression="a ^ b").kernel()
    other = replace(fault, parameters=(Type("uint"),) * 2, result=Type("uint"), expression="a | b").kernel()
    found = [
        compile_each(here.compiler, Target(device), [kernel], tmp_path / str(number))[0]["k"]
        for number, (kernel, device) in enumerate([(one, "bmg"), (one, "dg2"), (other, "dg2")])
    ]
    assert refined.asked(one, found[0], found[1]) == Outcome(Answer.REFINES)
    assert refined.asked(one, found[0], found[2]).answer is Answer.REFUTED


@pytest.mark.slow
def test_what_implementations_may_give_is_no_disagreement(tmp_path: Path) -> None:
    """Where the product of fma is beyond the type, also of floats that are compared by how far they are apart."""
    kernel = replace(
        faults()[0], parameters=(Type("float"),), result=Type("float"), expression="fma(a, -1.875f, a)"
    ).kernel()
    *taken, result = kernel.parameters
    near = replace(kernel, parameters=(*taken, replace(result, ulps=4)))
    found = bench().alone(near, Target("dg2", ""))
    assert found.answer is Answer.NOT_MODELLED
    assert "infinity" in found.detail


OF_COMPILERS = [each for each in faults() if each.devices and not each.emitted]
SEEN_IN_THE_DUMP = [each for each in faults() if each.emitted]


@pytest.mark.slow
@pytest.mark.parametrize("fault", OF_COMPILERS, ids=lambda fault: fault.id)
def test_todays_compiler_has_the_fault(fault: Fault, tmp_path: Path) -> None:
    """An entry that is mended is taken out, and what the generator leaves out for it is put in."""
    here, kernel = bench(), fault.kernel()
    found = here.alone(kernel, Target(fault.devices[-1], fault.options))
    if fault.detail is not None:
        assert found.answer is Answer.KNOWN
        assert found.detail.startswith(fault.id)
    else:
        assert found.answer in (Answer.DIFFER, Answer.COMPILER_CRASHED), found
        assert not fault.seen or f"{fault.seen} here, {fault.due} by PoCL" in found.detail


@pytest.mark.slow
@pytest.mark.parametrize("device", ["tgllp", "bmg"])
@pytest.mark.parametrize("fault", SEEN_IN_THE_DUMP, ids=lambda fault: fault.id)
def test_todays_compiler_emits_the_fault_on_its_devices(fault: Fault, device: str, tmp_path: Path) -> None:
    here, kernel = bench(), fault.kernel()
    found = compile_each(here.compiler, Target(device, fault.options), [kernel], tmp_path / "dump")[0][kernel.name]
    assert fault.emitted is not None
    assert bool(re.search(fault.emitted, found.kernels[kernel.name].path.read_text())) is (device in fault.devices)


@pytest.mark.slow
def test_pocl_has_the_fault_that_its_reference_goes_around() -> None:
    here = bench()
    (fault,) = [each for each in faults() if each.compiler.startswith("PoCL")]
    result = by_pocl(here.oracle, fault.kernel())[-1]
    assert result is not None
    assert result[:4] != (2**31 + 1).to_bytes(4, "little")


def test_the_ledger_is_complete_and_knows_its_faults() -> None:
    assert len({each.id for each in faults()}) == len(faults())
    assert all(each.says and each.compiler and set(each.devices) <= set(DEVICES) for each in faults())
    found = known_by("k.visaasm:1:1: rol with (-) before Src0, which it does not have: page ROL")
    assert found is not None
    assert found.id == "negation-before-rol"
    assert known_by("o[0].0: 1 here, 2 by PoCL") is None


def test_a_compiler_that_is_not_there_is_said(tmp_path: Path) -> None:
    kernel = generated(0)
    compiled, failed = compile_each(tmp_path / "ocloc", Target("bmg"), [kernel], tmp_path / "one")
    assert not compiled
    assert "cannot be run" in failed[kernel.name]
    assert kernel.name in full_text([kernel], reference=True)
