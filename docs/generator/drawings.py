"""Drawings as SVG that read in light and in dark: the picture of the README, the rooms, and the way of one question."""

from collections.abc import Iterator, Sequence
from html import escape

STYLE = """<style>
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 12px; fill: #59636e }
.code { font-family: ui-monospace, monospace; font-size: 13px }
.box { fill: #f6f8fa; stroke: #59636e }
.good { fill: #dafbe1; stroke: #1a7f37 }
.bad { fill: #ffebe9; stroke: #cf222e }
.open { fill: #fff8c5; stroke: #9a6700 }
.arrow { fill: none; stroke: #59636e; stroke-width: 1.5; marker-end: url(#head) }
.red { fill: none; stroke: #cf222e; stroke-width: 2.5; marker-end: url(#head) }
#head path { fill: #59636e }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #9198a1 }
  .box { fill: #212830; stroke: #9198a1 }
  .good { fill: #033a16; stroke: #3fb950 }
  .bad { fill: #490202; stroke: #f85149 }
  .open { fill: #4b2900; stroke: #d29922 }
  .arrow { stroke: #9198a1 }
  .red { stroke: #f85149 }
  #head path { fill: #9198a1 }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"
><path d="M0 0 8 4 0 8z"/></marker></defs>"""


def picture() -> str:
    """From a kernel to an answer, and the collision that the example of the README has."""
    parts = [
        *_box(10, 20, 172, 62, "box", "pairs.visaasm", "what the compiler emits"),
        *_box(10, 98, 172, 62, "box", "zebin", "what the inputs hold"),
        *_box(215, 42, 190, 96, "box", "question", "lanes collide? in bounds?", "same as another kernel?"),
        *_box(470, 8, 260, 50, "good", "proved", "for all inputs, assumptions named"),
        *_box(470, 68, 260, 50, "bad", "refuted", "inputs, and a run that shows it"),
        *_box(470, 128, 260, 50, "open", "unknown, bounded, vacuous", "never taken for a proof"),
        *(_arrow(182, y, 212, 90) for y in (51, 129)),
        *(_arrow(405, 90, 467, y) for y in (33, 93, 153)),
        _text(10, 222, "out[i / 2] = …", "code"),
        _text(10, 242, "one message, 8 lanes", "small"),
        *(_cell(215 + 50 * lane, 198, f"lane {lane}", "bad" if lane < 2 else "box") for lane in range(8)),
        *(_cell(265 + 75 * cell, 278, f"out[{cell}]", "bad" if not cell else "box") for cell in range(4)),
        *(
            f'<path class="{"arrow" if lane > 1 else "red"}" d="M{239 + 50 * lane} 226 '
            f'L{281 + 75 * (lane // 2) + 16 * (lane % 2)} 275"/>'
            for lane in range(8)
        ),
        _text(10, 292, "lanes 0 and 1 write one dword", "small"),
    ]
    return _svg(740, 320, "From a kernel to an answer", parts)


def rooms(layers: Sequence[tuple[str, str]]) -> str:
    """The layers of the package from the top down, each with a sentence; arrows are imports."""
    parts: list[str] = []
    for number, (name, sentence) in enumerate(layers):
        top = 10 + 62 * number
        parts += [f'<rect class="box" x="10" y="{top}" width="800" height="46" rx="6"/>']
        parts += [_text(24, top + 28, f"{name}/", "code"), _text(150, top + 28, sentence, "small")]
        if number:
            parts.append(_arrow(70, top - 16, 70, top - 1))
    return _svg(820, 10 + 62 * len(layers), "The rooms of the package: each imports only those below it", parts)


def question() -> str:
    """The way of one question, from the text to the answer."""
    steps = (
        ("read", "the text, and what inputs hold"),
        ("assume", "named premises bound the launch"),
        ("run symbolically", "guarded reads and writes"),
        ("obligation", "can the property fail?"),
        ("normal form", "decides many of them"),
        ("random testing", "small launches, run concretely"),
        ("solver", "Bitwuzla, then z3, under a limit"),
        ("confirm", "run concretely, then shrink"),
        ("answer", "proved, refuted, unknown, …"),
    )
    parts: list[str] = []
    for number, (name, sentence) in enumerate(steps):
        column, row = divmod(number, 3)
        x, y = 10 + 246 * column, 10 + 84 * row
        kind = "good" if name == "answer" else "box"
        parts += _box(x, y, 228, 62, kind, name, sentence)
        if number:
            parts.append(_arrow(x + 114, y - 22, x + 114, y - 1) if row else _arrow(x - 18, 209, x - 1, 42))
    return _svg(748, 254, "The way of one question", parts)


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
    return "\n".join((head, f"<title>{escape(title)}</title>", STYLE, *parts, "</svg>", ""))


def _box(x: int, y: int, width: int, height: int, kind: str, *lines: str) -> Iterator[str]:
    yield f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>'
    for number, line in enumerate(lines):
        yield _text(x + 12, y + 22 + 20 * number, line, "small" if number else "code")


def _cell(x: int, y: int, name: str, kind: str) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="48" height="28"/>{_text(x + 4, y + 19, name, "small")}'


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'


def _arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    return f'<path class="arrow" d="M{x} {y} L{to_x} {to_y}"/>'
