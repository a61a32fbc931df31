"""Pages of HTML that need nothing outside of them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em;
  color: #1d2126; background: #fff }
table { border-collapse: collapse; margin: .6em 0 1.6em }
caption { text-align: left; font-weight: 600; padding-bottom: .3em }
th, td { text-align: right; padding: .15em .8em .15em 0; border-bottom: 1px solid #dfe2e6 }
th:first-child, td:first-child { text-align: left }
figure { margin: 1em 0 } figcaption { color: #4b525b } svg { max-width: 100%; height: auto }
""".strip()

HIDDEN = "·"
"""What stands in a cell that is not shown."""


class Page:
    """Headings, texts, tables and plots, one below the other; all text is escaped."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts = [f"<h1>{escape(title)}</h1>"]

    def heading(self, text: str) -> None:
        """Add a heading."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def table(
        self, caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]
    ) -> None:
        """Add a table of texts; the first column names the rows."""
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
        lines = [
            f'<tr><th scope="row">{escape(row[0])}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in rows
        ]
        self._parts.append(
            f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>"
        )

    def plot(self, figure: Figure, caption: str) -> None:
        """Add a plot as SVG; the caption says what can be seen in it."""
        import matplotlib

        output = io.StringIO()
        # Without a date and with fixed names the page is the same every time.
        with matplotlib.rc_context({"svg.hashsalt": "locomotion", "svg.fonttype": "none"}):
            figure.savefig(output, format="svg", metadata={"Date": None, "Creator": None})
        svg = output.getvalue()
        svg = svg[svg.index("<svg") :].replace(
            "<svg", f'<svg role="img" aria-label="{escape(caption)}"', 1
        )
        self._parts.append(
            f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def html(self) -> str:
        """Return the page."""
        policy = "default-src 'none'; style-src 'unsafe-inline'"
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self._title)}</title><style>{_STYLE}</style></head>"
            f"<body>{''.join(self._parts)}</body></html>\n"
        )
