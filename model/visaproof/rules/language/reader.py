"""Reading a rule file: `key: value` lines, the source's instructions indented, `=>`, and the target's; # comments."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import visaproof
from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import ExecMask
from visaproof.isa.platform import PLATFORM_NAMES, Platform, platform_named
from visaproof.rules.language.declarations import (
    NAME,
    read_choice,
    read_predicates,
    read_registers,
    read_surfaces,
    separated,
)
from visaproof.rules.language.expressions import At, read_condition, read_expression
from visaproof.rules.language.syntax import (
    Choice,
    Condition,
    Declared,
    Expect,
    Kind,
    Let,
    Rule,
    TemplateLine,
)
from visaproof.visaasm.naming import closest, listed, shown
from visaproof.visaasm.source import read_text, split_lines

_KEY = re.compile(r"([A-Za-z][A-Za-z ]*?)[ \t]*:[ \t]*")
_COMMENT = re.compile(r"[ \t]+#.*")
_LET = re.compile(rf"({NAME})\s*=\s*")
_EACH = re.compile(rf"each\s+({NAME})\s+in\s+([^:]+):\s*")
RULE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
DEFAULT_PLATFORMS = (Platform.DG2, Platform.PVC)
MOST_LINES = 2_000
RESERVED = frozenset(("mask", "all", "none", *ExecMask.__members__))
"""What holes may be called, and variables not: conditions would mean the other thing."""


def read_rule_file(path: Path) -> Rule:
    """The rule in a file.  Raises ReadError, also for a file that cannot be opened or is no text."""
    try:
        text = read_text(path)
    except ReadError as error:
        raise ReadError(error.message, error.position, "a rule file is text") from None
    return read_rule(text, str(path))


def read_rule(text: str, path: str) -> Rule:
    """The rule that `text` is; `path` is for messages.  Raises ReadError."""
    lines = split_lines(text, path)
    if len(lines) > MOST_LINES:
        raise ReadError("the rule is too long", Position(path, MOST_LINES, 1), f"at most {MOST_LINES} lines")
    reader = _Reader(path, lines)
    for number, line in enumerate(lines, 1):
        reader.read(number, line)
    return reader.rule()


class _Reader:
    """What has been read so far."""

    def __init__(self, path: str, lines: tuple[str, ...]) -> None:
        self._path, self._lines = path, lines
        self._name = ""
        self._about: list[str] = []
        self._platforms: tuple[str, ...] = ()
        self._choices: list[Choice] = []
        self._lets: list[Let] = []
        self._declared: list[Declared] = []
        self._names: set[str] = set()
        self._conditions: dict[str, list[Condition]] = {"pre": [], "right if": []}
        self._expect = Expect.PROVED
        self._observed: list[tuple[str, Position]] = []
        self._templates: tuple[list[TemplateLine], list[TemplateLine]] = ([], [])
        self._arrow: int | None = None
        self._texts: dict[int, str] = {}
        self._keys: dict[str, Callable[[str, At], None]] = {
            "rule": self._rule,
            "platform": self._platform,
            "for": self._for,
            "let": self._let,
            "var": self._var,
            "temp": self._temp,
            "pred": self._pred,
            "surface": self._surface,
            "pre": lambda text, at: self._condition("pre", text, at),
            "right if": lambda text, at: self._condition("right if", text, at),
            "expect": self._expected,
            "observe": self._observe,
        }

    def read(self, number: int, line: str) -> None:
        stripped = line.strip()
        if not stripped:
            return
        column = line.index(stripped[0]) + 1
        if stripped.startswith("#"):
            if not self._name:
                self._about.append(stripped.lstrip("#").strip())
        elif stripped == "=>":
            if self._arrow is not None:
                raise ReadError(
                    "a second =>", Position(self._path, number, column), f"the first is in line {self._arrow}"
                )
            self._arrow = number
        elif column > 1:
            self._template(stripped, Position(self._path, number, column))
        else:
            self._header(_COMMENT.sub("", stripped), number)

    def _header(self, text: str, number: int) -> None:
        found = _KEY.match(text)
        known = [f"{key}:" for key in self._keys]
        if found is None:
            hint = f"a line starts with {listed(known)}; instructions are indented"
            raise ReadError(f"unexpected {shown(text)}", Position(self._path, number, 1), hint)
        key = " ".join(found.group(1).split())
        if key not in self._keys:
            hint = closest(key, list(self._keys)) or f"one of {listed(known)}"
            raise ReadError(f"unknown key {shown(key)}", Position(self._path, number, 1), hint)
        start = found.end()
        if start == len(text):
            raise ReadError(f"nothing follows {key}:", Position(self._path, number, start + 1))
        self._keys[key](text[start:], lambda offset: Position(self._path, number, start + offset + 1))

    # ------------------------------------------------------------ keys

    def _rule(self, text: str, at: At) -> None:
        if self._name:
            raise ReadError("a second rule in one file", at(0), "one rule in each file")
        if not RULE_NAME.fullmatch(text):
            raise ReadError(f"{shown(text)} is no name of a rule", at(0), "small letters, digits, - and _")
        self._name = text

    def _platform(self, text: str, at: At) -> None:
        self._platforms = tuple(text.replace(",", " ").split())
        for name in self._platforms:
            try:
                platform_named(name)
            except KeyError:
                raise ReadError(
                    f"no platform {shown(name)}", at(text.index(name)), f"one of {PLATFORM_NAMES}"
                ) from None

    def _for(self, text: str, at: At) -> None:
        choice = read_choice(text, at)
        for name in choice.names:
            self._require_new(name, at(0))
        self._choices.append(choice)

    def _let(self, text: str, at: At) -> None:
        found = _LET.match(text)
        if found is None:
            raise ReadError("a hole has the form NAME = EXPRESSION", at(0), "let: slot = max(8, grf / 4)")
        self._require_new(found.group(1), at(0))
        start = found.end()
        value = read_expression(text[start:], lambda offset: at(start + offset))
        self._lets.append(Let(found.group(1), value, at(0)))

    def _var(self, text: str, at: At) -> None:
        self._registers(Kind.REGISTER, text, at)

    def _temp(self, text: str, at: At) -> None:
        self._registers(Kind.TEMPORARY, text, at)

    def _registers(self, kind: Kind, text: str, at: At) -> None:
        for declared in read_registers(kind, text, at):
            self._declare(declared)

    def _pred(self, text: str, at: At) -> None:
        for declared in read_predicates(text, at):
            self._declare(declared)

    def _surface(self, text: str, at: At) -> None:
        for declared in read_surfaces(text, at):
            self._declare(declared)

    def _declare(self, declared: Declared) -> None:
        if declared.name in RESERVED:
            raise ReadError(f"{declared.name} means something else in conditions", declared.position, "another name")
        self._require_new(declared.name, declared.position)
        self._declared.append(declared)

    def _require_new(self, name: str, position: Position) -> None:
        if name in self._names:
            raise ReadError(f"{name} is declared twice", position)
        if name == "grf":
            raise ReadError("grf is the bytes of a register", position, "another name")
        self._names.add(name)

    def _condition(self, key: str, text: str, at: At) -> None:
        self._conditions[key].append(read_condition(text, at))
        self._texts[at(0).line] = text

    def _expected(self, text: str, at: At) -> None:
        try:
            self._expect = Expect(text)
        except ValueError:
            raise ReadError(f"a rule is not {shown(text)}", at(0), "proved or refuted") from None

    def _observe(self, text: str, at: At) -> None:
        for start, part in separated(text):
            name = part.strip()
            self._observed.append((name, at(start + len(part) - len(part.lstrip()))))

    # ------------------------------------------------------------ templates

    def _template(self, text: str, position: Position) -> None:
        each = None
        if (found := _EACH.match(text)) is not None:
            start = position.column + found.start(2)

            def at(offset: int) -> Position:
                return Position(position.path, position.line, start + offset)

            each = found.group(1), read_expression(found.group(2), at)
            position = Position(position.path, position.line, position.column + found.end())
            text = text[found.end() :]
        self._templates[0 if self._arrow is None else 1].append(TemplateLine(text, position, each))

    def rule(self) -> Rule:
        end = Position(self._path, max(1, len(self._lines)), 1)
        if not self._name:
            raise ReadError("the rule has no name", Position(self._path, 1, 1), "rule: NAME")
        if self._arrow is None:
            raise ReadError("there is no =>", end, "it stands between the source's instructions and the target's")
        if not self._templates[0]:
            raise ReadError("the source has no instructions", Position(self._path, self._arrow, 1))
        registers = [one.name for one in self._declared if one.kind is Kind.REGISTER]
        for name, position in self._observed:
            if name not in registers:
                raise ReadError(f"no variable {shown(name)} to observe", position, closest(name, registers))
        if self._conditions["right if"] and self._expect is Expect.PROVED:
            line = min(line for line in self._texts if self._lines[line - 1].startswith("right"))
            raise ReadError(
                "`right if` stands in a rule that is refuted", Position(self._path, line, 1), "expect: refuted"
            )
        return Rule(
            self._name,
            "\n".join(self._about).strip(),
            self._platforms or tuple(one.name for one in DEFAULT_PLATFORMS),
            tuple(self._choices),
            tuple(self._lets),
            tuple(self._declared),
            tuple(self._conditions["pre"]),
            tuple(self._conditions["right if"]),
            self._expect,
            tuple(self._observed),
            tuple(self._templates[0]),
            tuple(self._templates[1]),
            self._path,
            self._lines,
            self._texts,
        )


# ---------------------------------------------------------------- files

# The rules that were asked for: files, folders, or names in the library that came with the package.

SUFFIX = ".rule"


class NoSuchRule(Exception):
    """A file, folder or name that is not there; `known` are the names in the library."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name)
        self.name = name
        self.known = tuple(known)


def library() -> Path:
    """The folder of the shipped rules."""
    package = Path(visaproof.__file__).parent
    candidates = (package / "_proofs" / "rules", package.parent.parent / "proofs" / "rules")
    return next((folder for folder in candidates if folder.is_dir()), candidates[-1])


def rule_files(asked: Sequence[str]) -> list[Path]:
    """The files of what was asked for, in order and each once; of nothing, the library's.  Raises NoSuchRule."""
    known = {path.stem: path for path in sorted(library().glob(f"*{SUFFIX}"))}
    found: dict[Path, None] = {}
    for name in asked or [str(library())]:
        path = Path(name)
        if path.is_dir():
            inside = sorted(path.glob(f"*{SUFFIX}"))
            if not inside:
                raise NoSuchRule(name, list(known))
            found |= dict.fromkeys(inside)
        elif name in known and not path.is_file():
            found[known[name]] = None
        elif path.is_file():
            found[path] = None
        else:
            raise NoSuchRule(name, list(known))
    return list(found)
