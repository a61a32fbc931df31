"""A day as a fragment of HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ._timeline import Clock, Piece, activity_name, distance, duration, pieces, steps, total

_ROWS = 30
_CELL = "text-align:left;padding:1px 12px 1px 0;vertical-align:top;white-space:nowrap"


def day_html(title: str, facts: Sequence[str], items: Sequence[Mapping[str, Any]]) -> str:
    """Return a heading, a strip of time, the totals of the activities and the timeline.

    All text is escaped; the fragment holds no script and refers to nothing outside of it.
    """
    parts = [f'<div style="max-width:60em"><p style="margin:0"><strong>{escape(title)}</strong>']
    parts += [f"<br>{escape(fact)}" for fact in facts]
    parts.append("</p>")
    if items:
        found = list(pieces(items))
        clock = Clock(items[0]["start"], max(item["end"] for item in items))
        parts += [_strip(found, clock), _totals(found), _timeline(items, clock)]
    return "".join(parts) + "</div>"


def _strip(found: Sequence[Piece], clock: Clock) -> str:
    first = min(piece.start for piece in found)
    length = max(max(piece.end for piece in found) - first, 1e-3)
    boxes = []
    for piece in found:
        x = (piece.start - first) / length * 1000
        width = max((piece.end - piece.start) / length * 1000, 0.5)
        tip = f"{piece.name}, {clock.time(piece.start)}–{clock.time(piece.end)}"
        edge = ' stroke="#8b8f96" stroke-dasharray="4 4"' if piece.type == "gap" else ""
        boxes.append(
            f'<rect x="{x:.2f}" y="0" width="{width:.2f}" height="24" fill="{piece.colour}"'
            f"{edge}><title>{escape(tip)}</title></rect>"
        )
    return (
        '<svg viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" '
        'aria-label="Stays and trips along time" '
        f'style="width:100%;height:24px;margin:6px 0">{"".join(boxes)}</svg>'
    )


def _totals(found: Sequence[Piece]) -> str:
    kinds: dict[tuple[str, str], list[Piece]] = {}
    for piece in found:
        kinds.setdefault((piece.name, piece.colour), []).append(piece)
    rows = (
        (
            _swatch(colour) + escape(name),
            duration(sum(piece.end - piece.start for piece in group)),
            distance(total([piece.distance for piece in group])),
            steps(total([piece.steps for piece in group])),
        )
        for (name, colour), group in kinds.items()
    )
    return _table(("activity", "time", "distance", "steps"), rows)


def _timeline(items: Sequence[Mapping[str, Any]], clock: Clock) -> str:
    rows = []
    for number, item in enumerate(items[:_ROWS]):
        what = {"gap": "no data"}.get(item["type"], str(item["type"]))
        if item["type"] == "trip":
            what += ": " + ", ".join(
                f"{activity_name(leg)} {duration(leg['end'] - leg['start'])}"
                for leg in item["legs"]
            )
        rows.append(
            (
                str(number),
                f"{clock.time(item['start'])}–{clock.time(item['end'])}",
                duration(item["end"] - item["start"]),
                f'<div style="white-space:normal">{escape(what)}</div>',
                distance(item.get("distance")),
                steps(item.get("steps")),
            )
        )
    table = _table(("item", "time", "duration", "what", "distance", "steps"), rows)
    left = len(items) - _ROWS
    return table + (f"<p>… and {left} more in <code>day.timeline</code></p>" if left > 0 else "")


def _swatch(colour: str) -> str:
    return (
        f'<span style="display:inline-block;width:0.8em;height:0.8em;background:{colour};'
        'border:1px solid #8b8f96;margin-right:0.5em"></span>'
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are HTML already."""
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f'<table style="margin:6px 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
