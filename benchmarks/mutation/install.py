"""Puts a mutant in the place of its module."""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from types import CodeType, ModuleType
from typing import Any

from benchmarks.mutation.derive import Mutant


class _MutantLoader(SourceFileLoader):
    """Compiles the mutant instead of the file, with every name of `visaproof.smt` at hand for the changed line."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.target.module, str(mutant.target.path))
        self._source = mutant.source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__.startswith("visaproof.smt."):  # a part of visaproof.smt: see `complete_names`
            super().exec_module(module)
            return
        smt = import_module("visaproof.smt")
        vars(module).update({name: getattr(smt, name) for name in smt.__all__})
        super().exec_module(module)


class _MutantFinder:
    """Finds one module: the mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._mutant.target.module:
            return None
        return spec_from_loader(name, _MutantLoader(self._mutant))


def install(mutant: Mutant) -> None:
    """From now on, importing the mutant's module gives the mutant."""
    loaded = [name for name in sys.modules if name.partition(".")[0] == "visaproof"]
    assert not loaded, f"imported before the mutant: {loaded}"
    finder: Any = _MutantFinder(mutant)
    sys.meta_path.insert(0, finder)


def complete_names(mutant: Mutant) -> None:
    """Gives a mutant that is a part of `visaproof.smt` the other names of it, once all of them are there."""
    smt = import_module("visaproof.smt")
    names = vars(import_module(mutant.target.module))
    for name in smt.__all__:
        names.setdefault(name, getattr(smt, name))
