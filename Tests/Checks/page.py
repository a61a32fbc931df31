"""The pages of reports in a browser, as people meet them: first screens, accessibility, keyboard, print.

    page.py PROGRAM FOLDER [--short] [--pictures DIRECTORY]

PROGRAM makes the reports in FOLDER: of a hike, a run and a ride as GPX, of Google's Timeline, of a
folder of 300 activities, of an empty day and of the demonstration's day. Each is looked at on a phone
and on a desk, light, dark and in print. --short leaves out most of these; --pictures writes pictures
of the first screens, each with its words, by which those of the README are known to be old.
"""

import argparse
import json
import math
import random
import struct
import subprocess
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
# The pictures of the README, in .github.
README = {("demo", "desk"): "day-report", ("hike", "phone"): "hike-report"}
SIZES = {"phone": (390, 844), "desk": (1280, 800)}
BEGIN = datetime(2026, 5, 9, 7, 30, tzinfo=timezone.utc)
# What a person asks first of an activity.
FACTS = {
    "hike": ["In motion", "Distance", "Speed", "Up", "Down", "Highest point"],
    "run": ["In motion", "Distance", "Pace"],
    "ride": ["In motion", "Distance", "Speed", "Up"],
}

# What each page has, by selectors: nothing of it may be lost.
PARTS = {
    "demo": {"the strip": "svg .letter", "its trips": "svg .trip", "two cursors": "input.seek",
             "zoom in time": "[aria-label='Show the whole time']", "GPX": ".map .save",
             "the map's zoom": "[aria-label='Zoom in']", "its ruler": ".map .scale",
             "directions": ".map .arrow", "curves": "path.curve", "steps": "path.dots",
             "totals": "table.totals", "folds": "details.fold", "corrections": "form, .tools .save"},
    "hike": {"the profile": "text.summit", "gradients": "path.up2, path.up3", "kilometres": "summary:has-text('kilometre')",
             "marks on the map": ".milestone"},
    "timeline": {"ways not observed": "path.link", "the key of silences": "i.silent"},
    "folder": {"activities": ".activities .course", "bars": "figure rect", "the days": "details.day",
               "links": ".activities a"},
}  # fmt: skip


def track(minutes, speed, climb, begin=BEGIN, seed=1, kind="hiking"):
    """Return GPX of an outing with a fix each five seconds, up by `climb` metres and down again."""
    noise = random.Random(seed)
    heading, north, east = noise.uniform(0, 6.28), 0.0, 0.0
    points = []
    for second in range(0, 60 * minutes, 5):
        heading += noise.gauss(0, 0.06)
        north += 5 * speed * math.cos(heading)
        east += 5 * speed * math.sin(heading)
        height = 620 + climb * math.sin(math.pi * second / (60 * minutes))
        time = (begin + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")
        points.append(
            f'<trkpt lat="{47.5 + (north + noise.gauss(0, 1)) / 111195:.7f}" '
            f'lon="{11.1 + (east + noise.gauss(0, 1)) / 75130:.7f}">'
            f"<ele>{height:.1f}</ele><time>{time}</time></trkpt>"
        )
    return (
        '<gpx version="1.1" creator="check" xmlns="http://www.topografix.com/GPX/1/1"><trk>'
        f"<type>{kind}</type><trkseg>{''.join(points)}</trkseg></trk></gpx>"
    )


def timeline():
    """Return a day of Google's Timeline, as a phone exports it."""
    home, work = "geo:47.500000,11.100000", "geo:47.560000,11.180000"

    def at(hour):
        return (BEGIN.replace(hour=0, minute=0) + timedelta(hours=hour)).isoformat()

    def visit(begin, end, place, kind):
        top = {"semanticType": kind, "probability": "0.9", "placeLocation": place}
        return {"startTime": at(begin), "endTime": at(end),
                "visit": {"probability": "0.9", "topCandidate": top}}  # fmt: skip

    def drive(begin, end, start, stop):
        top = {"type": "in passenger vehicle", "probability": "0.8"}
        return {"startTime": at(begin), "endTime": at(end), "activity": {
            "start": start, "end": stop, "distanceMeters": "9000", "topCandidate": top}}  # fmt: skip

    return json.dumps([
        visit(0, 8, home, "Home"), drive(8, 8.4, home, work), visit(8.4, 17, work, "Work"),
        drive(17, 17.5, work, home), visit(17.5, 23.9, home, "Home"),
    ])  # fmt: skip


def reports(program, folder, is_short):
    """Make the recordings and their reports, and return the pages by name."""
    inputs = {
        "hike": ("hike.gpx", track(170, 1.2, 600)),
        "run": ("run.gpx", track(50, 2.9, 30, seed=2, kind="running")),
        "ride": ("ride.gpx", track(90, 6.4, 250, seed=3, kind="cycling")),
        "timeline": ("Timeline.json", timeline()),
        "empty": ("empty.csv", "t,ax,ay,az\n1778313600,0,0,9.81\n1778313601,0,0,9.81\n"),
    }
    for name, text in inputs.values():
        (folder / name).write_text(text)
    several = folder / "outings"
    several.mkdir(exist_ok=True)
    for index in range(40 if is_short else 300):
        kind, speed = [("hiking", 1.2), ("running", 2.9), ("cycling", 6)][index % 3]
        begin = BEGIN - timedelta(days=3 * index)
        text = track(30, speed, 60, begin=begin, seed=index, kind=kind)
        (several / f"{index}.gpx").write_text(text)
    paths = {name: folder / file for name, (file, _) in inputs.items()}
    paths["folder"] = several
    demo = folder / "demo" / "person-001" / "2026-05-11.csv.gz"
    assert demo.exists(), f"{demo} is what demo-recording writes"
    paths["demo"] = demo
    pages = {}
    for name, path in paths.items():
        out = folder / "reports" / name
        subprocess.run([program, "analyze", path, "--out", out, "--time-zone", "Europe/Berlin"],
                       check=True, capture_output=True)  # fmt: skip
        pages[name] = out / "report.html"
    return pages


def look(page: Page, name: str, size: str) -> None:
    """Check one page: facts, overflow, elements without a name, what axe-core finds."""
    width, height = SIZES[size]
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{name}, {size}: {wide} pixels wide"
    found = page.evaluate(
        "[...document.querySelectorAll('.figures div')].filter(each =>"
        f" each.getBoundingClientRect().bottom <= {height}).map(each =>"
        " each.querySelector('dt').textContent)"
    )
    lost = [part for part, where in PARTS.get(name, {}).items() if not page.locator(where).count()]
    assert not lost, f"{name}, {size}: without {lost}"
    missing = [fact for fact in FACTS.get(name, []) if fact not in found]
    assert not missing, f"{name}, {size}: the first screen lacks {missing}, and has {found}"
    result = Axe().run(page)
    assert result.violations_count == 0, f"{name}, {size}: {result.generate_report()}"


def described(png: bytes, text: str) -> bytes:
    """Return a PNG with a text chunk behind its header (PNG 1.2, 4.2.3.3)."""
    body = b"iTXtDescription\0\0\0\0\0" + text.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return png[:33] + chunk + png[33:]


def picture(page: Page, name: str, size: str, folder: Path | None) -> None:
    """Write a picture of the first screen, or see that the README's is of the same words."""
    own = README.get((name, size))
    words = page.inner_text("main")[:600]
    if folder:
        (folder / f"{own or f'{name}-{size}'}.png").write_bytes(described(page.screenshot(), words))
    elif own:
        assert words.encode() in (ROOT / f".github/{own}.png").read_bytes(), (
            f".github/{own}.png is old: take that of page.sh --pictures; its words: {words}")


def keyboard(page: Page) -> None:
    """Reach and choose a trip, move the cursor and the map, and correct, by keys alone."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('title')"):
            break
    page.keyboard.press("Enter")
    assert page.locator(".way.lit").count() == 1
    page.locator("input.seek").first.focus()
    page.keyboard.press("End")
    assert page.locator(".story .now").count() == 1
    page.locator(".map").focus()
    page.keyboard.press("+")
    assert "scale(1.6)" in page.locator(".map .moved").get_attribute("transform")
    page.get_by_role("button", name="Correct what is listed").focus()
    page.keyboard.press("Enter")
    page.locator(".story select").nth(1).focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".corrections li").count() == 1
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    assert page.locator(".corrections li").count() == 0


def main():
    """Run all checks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    pages = reports(options.program, options.folder, options.short)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"])  # fmt: skip
        for name, path in pages.items():
            for size, (width, height) in SIZES.items():
                for scheme in ["light"] if options.short else ["light", "dark"]:
                    page = browser.new_page(
                        viewport={"width": width, "height": height}, color_scheme=scheme)  # fmt: skip
                    problems = []
                    page.on("console", lambda each, to=problems: to.append(each.text))
                    page.on("pageerror", lambda each, to=problems: to.append(str(each)))
                    page.on("request", lambda each, to=problems: to.append(each.url))
                    page.goto(path.as_uri())
                    drawn = page.evaluate("performance.now()")
                    look(page, name, size)
                    if scheme == "light":
                        picture(page, name, size, options.pictures)
                    if name == "demo" and size == "desk":
                        keyboard(page)
                    if size == "desk":
                        page.emulate_media(media="print")
                        assert page.locator(".seek").first.is_hidden() or name == "folder"
                    assert problems == [path.as_uri()], f"{name}, {size}: {problems}"
                    height = page.evaluate("document.documentElement.scrollHeight")
                    print(f"{name}, {size}, {scheme}: drawn after {drawn:.0f} ms, {height} pixels high")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
