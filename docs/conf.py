"""Sphinx: the pages are Markdown (MyST), and a warning is an error (`make docs`)."""

from visaproof import __version__

project = "visaproof"
author = "The visaproof developers"
project_copyright = author
version = release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples", "generator"]
html_theme = "furo"
html_title = f"visaproof {__version__}"
html_show_copyright = False
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
pygments_style = "sphinx"
pygments_dark_style = "monokai"
suppress_warnings = ["misc.highlighting_failure"]
