"""Sphinx's settings for util/docs: the project's Markdown files as they stand, README.md first."""
project, author = "memsim", "the authors of memsim"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["README.md", "docs/**.md"]
exclude_patterns = ["build", "tests", "src", "memsim-out"]
myst_heading_anchors = 6  # headings are targets of links, as on a Git server
html_theme = "alabaster"
html_theme_options = {"page_width": "75rem", "description": "a simulator of GPU memory systems"}
html_copy_source = False
html_show_copyright = False
pygments_style = "default"


def setup(app):
    app.connect("source-read", add_contents)


def add_contents(app, name, source):
    """A list of all pages, for the side of each; README.md as it stands links them in its text."""
    if name == root_doc:
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\ndocs/tutorial\ndocs/*\ndocs/models/*\ndocs/results/**\n```\n"
