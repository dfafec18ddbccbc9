"""The page of many results: what stands in it, that nothing in it can be run or fetched, and what a browser does."""

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.browser import Browser, browser, chromium
from visaproof.cli import main
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.report.page.entry import Mark
from visaproof.report.page.of_pairs import _pictures
from visaproof.report.page.page import entries_of, page_of
from visaproof.report.pictures.refinement import memory_picture
from visaproof.report.records.refine import Dword
from visaproof.report.text.buffer_words import Buffer, value_text
from visaproof.report.text.markup import json_in_html, xml_text

DATA = Path(__file__).parents[2] / "data"
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
HOSTILE = (
    "</script><script>hacked=1</script><!--<script>&amp;'\"\u2028\u2029\x1b[2J\x00 <img src=x onerror=hacked=2> @DATA@"
)
"""As a file name or in the text of a kernel."""


@pytest.fixture(scope="session")
def document(tmp_path_factory) -> dict[str, Any]:
    """What `conflicts` says of an example with conflicts."""
    file = tmp_path_factory.mktemp("results") / "found.json"
    main(
        [
            "conflicts",
            str(EXAMPLES / "pairs.visaasm"),
            "--launch",
            str(EXAMPLES / "pairs.bin"),
            "--output",
            f"json:{file}",
        ]
    )
    return json.loads(file.read_text())


@pytest.fixture(scope="session")
def everything(tmp_path_factory) -> list[dict[str, Any]]:
    """Documents of each command that has results for a page; of pairs one that refines and one that does not."""
    folder = tmp_path_factory.mktemp("everything")
    pairs = folder / "pairs"
    pairs.mkdir()
    for name in ("mean", "mean_halves", "reload", "reload_once"):
        for suffix in (".visaasm", ".bin"):
            shutil.copy(EXAMPLES / f"{name}{suffix}", pairs)
    lines = (
        "conflicts EX", "bounds EX/pairs.visaasm --launch EX/pairs.bin --size in=4*n --size out=4*n",
        "check EX", f"tv {pairs} --limit 5",
    )  # fmt: skip
    for number, line in enumerate(lines):
        words = [word.replace("EX", str(EXAMPLES)) for word in line.split()]
        main([*words, "--output", f"json:{folder / f'{number}.json'}"])
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def conflicts_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    found = [one for file in document["files"] for one in file.get("scatters", ())]
    return [one for one in found if one["verdict"] == "refuted"]


def with_hostile_names(document: dict[str, Any]) -> dict[str, Any]:
    """Its files, kernels, statements, inputs and arguments have such names."""
    changed = json.loads(json.dumps(document))
    for file in changed["files"]:
        file |= {"file": HOSTILE, "kernel": HOSTILE}
        for one in file["scatters"]:
            one |= {"instruction": HOSTILE, "surface": HOSTILE, "binding": HOSTILE, "file": HOSTILE}
            one["source"] = {"file": HOSTILE, "line": 1, "text": HOSTILE}
            if one["verdict"] == "refuted":
                one["inputs"] = {HOSTILE: HOSTILE}
    changed["files"].append({"file": HOSTILE, "error": HOSTILE})
    changed["not_done"] = [HOSTILE]
    return changed


def many(document: dict[str, Any], count: int) -> dict[str, Any]:
    """So many results."""
    (found,) = [file for file in document["files"] if file["scatters"]][:1]
    one = found["scatters"][0]
    files = [
        found | {"file": f"dumps/k{number}.visaasm", "kernel": f"k{number}", "scatters": [one | {"line": number}]}
        for number in range(count)
    ]
    return document | {"files": files}


@pytest.mark.slow
def test_each_verdict_is_an_entry(everything):
    for document in everything:
        entries = list(entries_of(document))
        assert entries
        good = sum(one.mark in (Mark.PROVED, Mark.NOTE) for one in entries)
        assert len(entries) - good >= len({one["message"] for one in document["findings"]})
        if document["command"] == "conflicts":
            scatters = [one["verdict"] for file in document["files"] for one in file["scatters"]]
            for verdict in set(scatters):
                assert sum(one.mark.value == verdict and one.lines != () for one in entries) >= scatters.count(verdict)


def test_a_conflict_says_who_writes_what_and_how_to_see_it(document):
    entry = next(one for one in entries_of(document) if one.mark is Mark.REFUTED)
    assert re.fullmatch(r"work items \d+ and \d+ both write out\[\d+\]", entry.headline)
    titles = [panel.title for panel in entry.panels]
    assert titles[:2] == ["the launch that shows it", "run it again"]
    assert entry.panels[1].rows[0][0].startswith("visaproof run ")
    assert len(entry.pictures) == 2, "for a wide and for a narrow page"
    assert entry.premises
    assert entry.readings


@pytest.mark.slow
def test_a_free_scatter_says_what_was_not_asked(everything):
    free = [one for one in entries_of(everything[0]) if one.word == "FREE"]
    assert free
    assert all("two threads race" in one.scope for one in free)


def test_pictures_are_xml_with_a_title_and_a_description(document):
    for entry in entries_of(with_hostile_names(document)):
        for picture in entry.pictures:
            root = ElementTree.fromstring(picture)
            ids = [one.get("id") for one in root.iter() if one.get("id")]
            assert len(ids) == len(set(ids))
            assert root.get("role") == "img"
            named = (root.get("aria-labelledby") or "").split()
            texts = {one.get("id"): one.text for one in root if one.tag.endswith(("title", "desc"))}
            assert [bool(texts[one]) for one in named] == [True, True]


def test_nothing_of_the_input_is_markup(document):
    page = page_of([with_hostile_names(document)])
    assert page.count("<script") == 2 + 1, "data, pictures and the script itself"
    assert "<img" not in page
    assert "<!--" not in page
    scripts = re.findall(r'<script type="application/json".*?</script>', page, re.S)
    assert not set("\u2028\u2029") & set("".join(scripts))
    assert not set("\x00\x1b") & set(page)


def test_the_page_names_no_other_file(everything):
    page = page_of(everything)
    page = page.replace("http://www.w3.org/2000/svg", "")  # a name, which nobody fetches
    assert not re.search(
        r"https?:|//[a-z]|@import|url\((?!#)", re.sub(r"<script type=.*?</script>", "", page, flags=re.S)
    )


@pytest.mark.parametrize("text", [HOSTILE, "a\udcffb", "]]>", "\ufffe"])
def test_texts_are_escaped_for_both_languages(text):
    escaped = xml_text(text.encode(errors="backslashreplace").decode())
    assert (
        ElementTree.fromstring(f"<a b='{escaped}'>{escaped}</a>").text
        == ElementTree.fromstring(f"<a>{escaped}</a>").text
    )
    inside = json_in_html(json.dumps(text, ensure_ascii=False))
    assert not set("<>&\u2028\u2029") & set(inside)
    assert json.loads(inside) == text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "no result of visaproof"),
        ("{}", "no result of visaproof"),
        ('{"visaproof": "1", "schema": 99, "command": "check"}', "schema 99"),
        ('{"visaproof": "1", "schema": 1, "command": "conflicts", "files": [{"file": 1}]}', "damaged"),
        ('{"visaproof": "1", "schema": 1, "command": "conflicts"}', "damaged"),
        ('{"visaproof": "1", "schema": 1, "command": "readings", "readings": []}', "no results for a page"),
        ("\xff", "not JSON"),
    ],
)
def test_what_is_no_result_is_an_error_and_no_page(content, said, tmp_path, capsys):
    file, page = tmp_path / "x.json", tmp_path / "page.html"
    file.write_text(content, encoding="latin-1")
    assert main(["report", str(file), "-o", str(page)]) == ExitCode.USAGE
    assert said in capsys.readouterr().err
    assert not page.exists()


def test_an_error_document_is_an_entry(capsys, tmp_path):
    main(["conflicts", "--no-such", "--format", "json"])
    (tmp_path / "e.json").write_text(capsys.readouterr().out)
    assert main(["report", str(tmp_path / "e.json"), "-o", str(tmp_path / "p.html")]) == ExitCode.OK
    assert "ERROR" in (tmp_path / "p.html").read_text()
    assert main(["report", str(tmp_path / "e.json"), "--output", f"html:{tmp_path / 'q.html'}"]) == ExitCode.OK
    assert (tmp_path / "q.html").read_text() == (tmp_path / "p.html").read_text()


def test_a_command_writes_the_page_itself(tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["conflicts", str(EXAMPLES / "pairs.visaasm"), "--output", f"html:{page}"]) == ExitCode.REFUTED
    assert "CONFLICT" in page.read_text()
    assert "CONFLICT" in capsys.readouterr().out, "and prints what it prints"


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def page_view():
    if chromium() is None:
        pytest.skip("no chromium: the page is not opened")
    with browser() as view:
        yield view


@pytest.fixture
def view(page_view: Browser) -> Browser:
    page_view.errors.clear()
    page_view.requests.clear()
    page_view.size(1180, 900)
    return page_view


def opened(view: Browser, text: str, folder: Path) -> float:
    file = folder / "page.html"
    file.write_text(text)
    return view.open(file)


def rows(view: Browser) -> int:
    return view.value("document.querySelectorAll('#list > li').length")


@pytest.mark.slow
def test_a_browser_finds_no_error_and_fetches_nothing(view, everything, tmp_path):
    opened(view, page_of(everything), tmp_path)
    view.value("document.querySelectorAll('#list > li > details').forEach(one => one.open = true)")
    view.value("new Promise(done => setTimeout(done, 100))")
    assert view.errors == []
    assert [one for one in view.requests if not one.startswith(("file:", "data:"))] == []
    assert view.value("document.querySelectorAll('#list svg').length") > 0
    assert view.value("document.querySelectorAll('#list parsererror').length") == 0


def test_hostile_names_are_shown_as_they_are(view, document, tmp_path):
    opened(view, page_of([with_hostile_names(document)], HOSTILE), tmp_path)
    view.value("document.querySelectorAll('#list > li > details').forEach(one => one.open = true)")
    view.value("new Promise(done => setTimeout(done, 100))")
    assert view.value("typeof hacked") == "undefined"
    assert view.value("document.querySelectorAll('img').length") == 0
    assert HOSTILE.replace("\x00", "\ufffd")[:60] in view.value("document.body.textContent").replace("\x00", "\ufffd")
    assert view.errors == []


def test_the_filters_and_the_counts_agree(view, everything, tmp_path):
    opened(view, page_of(everything), tmp_path)
    whole = view.value("document.getElementById('status').textContent")
    counts = view.value(
        "[...document.querySelectorAll('input[name=mark]')]"
        ".map(one => [one.value, +one.nextElementSibling.textContent])"
    )
    assert whole == f"{sum(count for _, count in counts)} of {sum(count for _, count in counts)} results"
    for mark, count in counts:
        view.value(f"document.querySelector('input[value={mark}]').click()")
        assert view.value("document.getElementById('status').textContent").startswith(f"{count} of ")
        assert (
            view.value("new Set([...document.querySelectorAll('#list .badge')].map(one => one.classList[1])).size") == 1
        )
        view.value(f"document.querySelector('input[value={mark}]').click()")


def test_the_keyboard_is_enough(view, everything, tmp_path):
    opened(view, page_of(everything), tmp_path)
    view.press("/")
    view.write("pairs_fixed conflicts")
    assert view.value("document.activeElement.id") == "find"
    found = rows(view)
    assert 0 < found < 10
    view.press("ArrowDown")
    assert view.value("document.activeElement.tagName") == "SUMMARY"
    view.value("document.querySelectorAll('#list details').forEach(one => one.open = false)")
    view.press("Enter")
    assert view.value("document.activeElement.parentElement.open")
    view.press("/")
    view.press("Escape")
    assert rows(view) > found


@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_is_wider_than_the_page(view, everything, width, tmp_path):
    view.size(width, 900)
    opened(view, page_of(everything), tmp_path)
    view.value("document.querySelectorAll('#list > li > details').forEach(one => one.open = true)")
    view.value("new Promise(done => setTimeout(done, 100))")
    assert view.value("document.documentElement.scrollWidth") <= width
    shown = view.value(
        "[...document.querySelectorAll('#list svg')].filter(one => one.getClientRects().length)"
        ".map(one => one.classList[0])"
    )
    assert set(shown) == {"narrow" if width <= 640 else "wide"}


def test_light_and_dark_have_contrast(view, document, tmp_path):
    """Of text and its ground, as WCAG counts it: at least 4.5."""
    opened(view, page_of([document]), tmp_path)
    script = """(() => {
      const part = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
      const light = (name) => {
        const probe = document.createElement('i');
        probe.style.color = `var(${name})`;
        document.body.append(probe);
        const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
        probe.remove();
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
      };
      return [['--fg', '--bg'], ['--dim', '--bg'], ['--dim', '--panel'], ['--bad', '--badbg'], ['--ok', '--okbg'],
        ['--warn', '--warnbg'], ['--src', '--panel'], ['--tgt', '--panel'], ['--dim', '--off']].map(([one, other]) => {
        const [high, low] = [light(one), light(other)].sort((x, y) => y - x);
        return [one, other, (high + 0.05) / (low + 0.05)];
      });
    })()"""
    for dark in (False, True):
        view.dark(dark)
        low = [one for one in view.value(script) if one[2] < 4.5]
        assert low == []
    view.dark(False)


def test_the_printed_page_has_every_result_and_opens_what_was_found(view, everything, tmp_path):
    opened(view, page_of(everything), tmp_path)
    view.value(
        "addEventListener('beforeprint', () => { "
        "printed = [document.querySelectorAll('#list > li').length, document.querySelectorAll('#list .body').length] })"
    )
    view.pdf(tmp_path / "page.pdf")
    made, bodies = view.value("printed")
    assert made == len([one for document in everything for one in entries_of(document)])
    assert bodies > 0
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert view.value("document.querySelectorAll('#list > li > details[open]').length") <= 1, "closed again"


@pytest.mark.slow
def test_ten_thousand_results_open_at_once_because_rows_are_lazy(view, document, tmp_path):
    """Measured 1.1 to 1.3 s on two cores with other work; the limit leaves room for more of that."""
    took = opened(view, page_of([many(document, 10_000)]), tmp_path)
    assert rows(view) <= 300
    assert view.value("document.getElementById('status').textContent") == "10000 of 10000 results"
    assert took < 20
    view.press("/")
    view.write("k4321")
    assert rows(view) == 1


# ---------------------------------------------------------------- pictures as files


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    "line",
    [
        "conflicts pairs.visaasm --launch pairs.bin",
        "bounds pairs.visaasm --launch pairs.bin --size in=4*n --size out=4*n",
        "refine mean.visaasm mean_short.visaasm --launch mean.bin",
    ],
)
def test_a_picture_is_written_as_a_file_of_its_own(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(EXAMPLES)
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    assert main([*line.split(), "--html", str(page), "--svg", str(picture)]) == ExitCode.REFUTED
    assert capsys.readouterr().out, "what a person reads is printed as ever"
    root = ElementTree.fromstring(picture.read_text())
    assert root.get("role") == "img"
    assert "prefers-color-scheme" in picture.read_text()
    assert page.read_text().startswith("<!doctype html>")


def test_a_picture_of_nothing_says_so(tmp_path):
    picture = tmp_path / "none.svg"
    main(["check", str(EXAMPLES / "mean.visaasm"), "--svg", str(picture)])
    assert "nothing was refuted" in picture.read_text()


def test_a_shell_gets_completions_and_man_a_page(capsys):
    assert main(["completion", "bash"]) == ExitCode.OK
    assert "conflicts" in capsys.readouterr().out
    assert main(["completion", "man"]) == ExitCode.OK
    page = capsys.readouterr().out
    assert page.startswith(".TH VISAPROOF 1")
    assert ".SS visaproof conflicts" in page


@pytest.mark.parametrize(
    ("value", "width", "data_type", "shown"),
    [
        (0x3FC00000, 4, "f", "1.5"),
        (0xBFF0000000000000, 8, "df", "-1"),
        (0x3C00, 2, "hf", "1"),
        (0x7FC00001, 4, "f", "NaN (0x7fc00001)"),
        (0x3FC00000, 4, None, "0x3fc00000"),
        (0x00000007, 4, "hf", "0x00000007"),  # a part of it, or several
    ],
)
def test_values_are_shown_in_their_type(value: int, width: int, data_type: str | None, shown: str) -> None:
    assert value_text(value, width, data_type) == shown


@pytest.mark.slow
def test_pictures_show_floats_where_the_kernels_store_floats(capsys) -> None:
    names = ("transpose_naive", "transpose_naive_bad")
    source, target = (str(DATA / "visaasm" / name / "tgllp-O2-simd8.visaasm") for name in names)
    launch = str(DATA / "manifest.json")
    assert main(["refine", source, target, "--launch", launch, "--format", "json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)["asked"]
    example = record["example"]
    assert example["data_type"] == "f"
    (picture, _) = _pictures(example, "p")
    assert example["dwords"]
    for dword in example["dwords"]:
        assert f">{value_text(int(dword['source'], 16), 4, 'f')}<" in picture
        assert f">{dword['source']}<" not in picture


def test_a_picture_of_vectors_names_their_components() -> None:
    """As the sentence above it does; what is no element of 32 bits is named by its bytes."""
    changed = Dword(address=4, place="out[0].y", before="0", source="1", target="2")
    drawn = memory_picture(
        [changed, Dword(address=8, before="0", source="0", target="0")], Buffer("out", 8), ("", ""), "p"
    )
    shown = drawn.svg("wide")
    assert ">out[0].y<" in shown
    assert "out[0].y differs" in shown
    assert "bytes 0x8 to" in shown
