"""What Sphinx is told: Markdown by MyST, docstrings by autodoc, Furo as it looks."""

import re

from sphinx.domains.python import PyObject

import rosenblatt

project, author = "rosenblatt", "the authors of rosenblatt"
release = version = rosenblatt.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = "rosenblatt"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_theme_options = {"navigation_with_keys": False}
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
highlight_language = "text"
suppress_warnings = [
    "misc.highlighting_failure",  # "…" in an example of JSON
    "ref.python",  # a word of a docstring that several classes have as an attribute
]

smartquotes = False  # a quoted word can be a value
myst_heading_anchors = 4  # as viewers of repositories make them
toc_object_entries = False  # headings are enough
default_role = "code"  # docstrings have `name`, as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say it in words
autodoc_default_options = {"members": True, "inherited-members": True, "undoc-members": False}
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes are told in the class, and once


def escaped(app, what, name, obj, options, lines):
    """`coef_` in the text of a docstring is a name, and no link of reStructuredText."""
    for k, line in enumerate(lines):
        pieces = re.split(r"(`[^`]*`)", line)
        pieces[::2] = [
            re.sub(r"(?<=\w)_(?!\w)|\*(?=\w)|\|", r"\\\g<0>", text) for text in pieces[::2]
        ]
        lines[k] = "".join(pieces)


def skipped(app, what, name, obj, skip, options):
    """Methods that others wrote are documented by them."""
    home = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", "")
    return skip or not str(home).startswith("rosenblatt")


def without_empty_headings(app, pagename, templatename, context, doctree):
    """A corner of a table without a word in it is read aloud as a heading that says nothing."""
    body = context.get("body", "")
    context["body"] = re.sub(r"<th class=\"head[^>]*><p></p></th>", "<td></td>", body)


for field in PyObject.doc_field_types:
    if field.name == "variable":
        field.label = "Attributes"  # as the docstrings call them


def setup(app):
    app.connect("autodoc-process-docstring", escaped, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skipped)
    app.connect("html-page-context", without_empty_headings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
