"""A drawing: its parts from top to bottom, its title for who cannot see it, and the SVG that they make."""

from collections.abc import Sequence

from msgspec import Struct, field

from visaproof.report.text.markup import xml_text

CHAR = 7.85
"""Width of a character of the monospaced 13 px font."""

STYLE = """
svg{background:var(--bg);--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d0d7de;--panel:#f6f8fa;--bad:#b3261e;--badbg:#fdecea;
--src:#0b57d0;--tgt:#7d3cc0;--off:#e6e9ed;--cell:#eef4ff}
@media (prefers-color-scheme:dark){svg{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;--panel:#161b22;
--bad:#ff7b72;--badbg:#3a1714;--src:#79b8ff;--tgt:#d2a8ff;--off:#21262d;--cell:#122036}}
@media print{svg{--bg:#fff;--fg:#000;--dim:#444;--line:#888;--panel:#fff;--bad:#a00;--badbg:#fff;--src:#003a9e;
--tgt:#5a1e99;--off:#eee;--cell:#fff}}
"""
"""Of a picture that stands alone: a page has these colours for all of its pictures."""

SHAPES = """
svg text{fill:var(--fg);font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
svg text.h{fill:var(--dim);font:11px system-ui,"DejaVu Sans",sans-serif}
svg text.d{fill:var(--dim)}svg text.b{fill:var(--bad);font-weight:700}
svg text.s{fill:var(--src)}svg text.t{fill:var(--tgt)}svg text.c{font-size:11px}
svg .cell{fill:var(--cell);stroke:var(--line)}svg .on{fill:var(--panel);stroke:var(--line)}
svg .off{fill:var(--off);stroke:var(--line)}svg .hit{fill:var(--badbg);stroke:var(--bad);stroke-width:2}
svg .edge{fill:none;stroke:var(--bad);stroke-width:2.2}svg .head{fill:var(--bad)}
svg .hatch{stroke:var(--line);stroke-width:3}svg .beyond{stroke:var(--line)}
"""


class Drawing(Struct):
    """Parts are added at places in pixels; the height is that of the lowest one."""

    width: int
    title: str
    about: str
    """The same as the picture, in sentences."""
    name: str
    """Begins the ids in it, which are unique in a page."""
    height: float = 0
    parts: list[str] = field(default_factory=list[str])

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Words whose baseline begins (or ends, or is centred) there."""
        shown = f' class="{kind}"' if kind else ""
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{shown}{at}>{xml_text(words)}</text>')
        self._reaches(y + 6)

    def box(self, x: float, y: float, width: float, height: float, kind: str, round_: int = 0) -> None:
        """A rectangle."""
        corner = f' rx="{round_}"' if round_ else ""
        self.parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{corner}/>'
        )  # fmt: skip
        self._reaches(y + height + 2)

    def cells(self, places: Sequence[tuple[float, float]], width: float, height: float, kind: str, mark: str) -> None:
        """Rectangles alike, each with the same character: in two elements, however many there are."""
        if not places:
            return
        boxes = "".join(f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z" for x, y in places)
        self.parts.append(f'<path class="{kind}" d="{boxes}"/>')
        rows = {y for _, y in places}
        for row in sorted(rows):
            at = " ".join(f"{x + width / 2:g}" for x, y in places if y == row)
            count = sum(y == row for _, y in places)
            self.parts.append(
                f'<text class="c d" text-anchor="middle" y="{row + height * 0.7:g}" x="{at}">{mark * count}</text>'
            )
        self._reaches(max(rows) + height + 2)

    def beyond(self, x: float, y: float, width: float, height: float) -> None:
        """A place where nothing is."""
        self.parts.append(
            f'<rect class="beyond" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'fill="url(#{self.name}-hatch)"/>'
        )
        self._reaches(y + height + 2)

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """From the left to the right."""
        (x, y), (to_x, to_y) = start, end
        middle = (x + to_x) / 2
        curve = f"M{x:g} {y:g}C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
        self.parts.append(f'<path class="edge" d="{curve}" marker-end="url(#{self.name}-head)"/>')

    def arrow_down(self, x: float, y: float, to_y: float) -> None:
        """Straight down."""
        self.parts.append(f'<path class="edge" d="M{x:g} {y:g}V{to_y:g}" marker-end="url(#{self.name}-head)"/>')

    def svg(self, kind: str = "") -> str:
        """The picture, with the colours of the page that it is in."""
        name, height = self.name, self.height + 8
        shown = f' class="{kind}"' if kind else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height:g}" role="img"{shown} '
            f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{xml_text(self.title)}</title>'
            f'<desc id="{name}-d">{xml_text(self.about)}</desc>'
            f'<defs><marker id="{name}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker>'
            f'<pattern id="{name}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><path class="hatch" d="M0 0V7"/></pattern></defs>'
            f"{''.join(self.parts)}</svg>"
        )

    def _reaches(self, y: float) -> None:
        self.height = max(self.height, y)


def alone(picture: str) -> str:
    """A picture with colours of its own, as a file."""
    return picture.replace("</desc>", f"</desc><style>{STYLE}{SHAPES}</style>", 1)


def fitting(words: str, width: float) -> str:
    """As many characters as fit, and a sign that there were more."""
    most = max(1, int(width / CHAR))
    return words if len(words) <= most else f"{words[: most - 1]}…"


def runs(numbers: list[int]) -> str:
    """`2–15, 18`: neighbours together."""
    groups: list[list[int]] = []
    for number in sorted(numbers):
        if groups and groups[-1][-1] == number - 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(one[0]) if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in groups)
