"""The name of a kernel as its source has it: C++ names, as those of SYCL kernels, are mangled in a dump.

_ZTSN3lib4copyIdLb0EEE      lib::copy<double, false>
"""

import re
from functools import lru_cache
from importlib import import_module

MANGLED = "_Z"
TYPE = "typeinfo name for "
"""A SYCL kernel has the name of a type."""
REFERENCE = re.compile(r"S[0-9A-Z]*_|T[0-9]*_")
"""To an earlier part of the name: it may double what comes of it."""
MOST_REFERENCES = 12
"""Of 183 kernels of dpnp none has more than 9; a name of 200 letters with more may be one of gigabytes."""
MOST_LETTERS = 1024


@lru_cache(maxsize=1024)
def readable_name(name: str) -> str:
    """The name in C++; the name itself where it is none that is mangled, or a large one, or without a C++ library."""
    if not name.startswith(MANGLED) or len(name) > MOST_LETTERS or len(REFERENCE.findall(name)) > MOST_REFERENCES:
        return name
    cxxfilt = import_module("cxxfilt")  # it looks for the library when it is imported
    try:
        found = str(cxxfilt.demangle(name)).removeprefix(TYPE)
    except (cxxfilt.Error, UnicodeError):
        return name
    return found if found.isprintable() and len(found) <= MOST_LETTERS else name
