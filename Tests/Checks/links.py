"""Finds dead links: in the Markdown of the repository, or in a site that DocC made.

Usage: links.py [SITE [BASE]]

Without SITE: every relative link and heading in Markdown and notebooks, and every path between
backticks that begins with a folder of the repository. With SITE, a folder of static HTML: every
page, image and file of the site that a page names, and that the pages are hosted below BASE ("/" by
default). Symbols and articles between double backticks and in <doc:…> are DocC's to check: they are
warnings there. Addresses on other servers are not asked for. Prints one line per dead link, and ends
with 1 if there are any.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
QUOTED_PATH = re.compile(r"(?<!`)`((?:bash )?[\w.-]+/[^`\n]*)`(?!`)")


def prose(text):
    """Markdown whose blocks of code are empty, line by line.

    >>> prose("a\\n```sh\\n[x](y)\\n```\\nb")
    'a\\n\\n\\n\\nb'
    """
    lines, fence = [], None
    for line in text.split("\n"):
        opening = re.match(r"\s*(```+|~~~+)", line)
        if opening and (fence is None or line.strip().startswith(fence)):
            fence = None if fence else opening.group(1)
            line = ""
        lines.append("" if fence else line)
    return "\n".join(lines)


def anchors(text):
    """The anchors of the headings, as GitHub makes them.

    >>> sorted(anchors("# A `b`, c!\\n## D\\n## D\\n"))
    ['a-b-c', 'd', 'd-1']
    """
    found, counts = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", prose(text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = counts.get(slug, 0)
        counts[slug] = number + 1
        found.add(f"{slug}-{number}" if number else slug)
    return found


def dead_in_markdown(texts, paths):
    """Dead links of Markdown files, as (file, line, target).

    `texts` has each file's text by its path below the root of the repository, `paths` all files.

    >>> files = {"README.md": "[a](docs/a.md#one) [b](gone.md)\\n`docs/none.sh`", "docs/a.md": "# One"}
    >>> dead_in_markdown(files, files)
    [('README.md', 1, 'gone.md'), ('README.md', 2, 'docs/none.sh')]
    >>> dead_in_markdown({"docs/a.md": "[x](../README.md#no) [y](#me) [z](../docs)\\n# Me"},
    ...                  {"README.md": 0, "docs/a.md": 0})
    [('docs/a.md', 1, '../README.md#no')]
    """
    folders = {str(parent) for path in paths for parent in Path(path).parents}
    tops = {path.split("/")[0] for path in paths if "/" in path}
    dead = []
    for name, text in texts.items():
        text = prose(text)
        targets = [(m.start(), m.group(1) or m.group(2)) for m in LINK.finditer(text)]
        targets += [(m.start(), m.group(1)) for m in REFERENCE.finditer(text)]
        for place, target in targets:
            link = urlsplit(target)
            if link.scheme or link.netloc:
                continue
            path = name
            if link.path:
                path = normal(str(Path(name).parent / unquote(link.path)))
            heading = unquote(link.fragment)
            if path not in paths and path not in folders:
                dead.append((name, text.count("\n", 0, place) + 1, target))
            elif heading and path.endswith(".md") and heading not in anchors(texts.get(path, "")):
                dead.append((name, text.count("\n", 0, place) + 1, target))
        # A line with only `FILE`: names a file that the article itself prints.
        printed = set(re.findall(r"^`([^`\n]+)`:$", text, re.MULTILINE))
        for match in QUOTED_PATH.finditer(text):
            path = match.group(1).removeprefix("bash ").split(" ")[0].rstrip("/,.")
            if path.split("/")[0] not in tops or re.search(r"[*<>{}…$]|[A-Z]{3,}(?![a-z.])", path):
                continue
            if path not in paths and path not in folders and path not in printed:
                dead.append((name, text.count("\n", 0, match.start()) + 1, path))
    return dead


def normal(path):
    """A path without `..` and `.`."""
    parts = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def repository_texts(root):
    """The text of each Markdown file and notebook, and the paths of all files."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True)
    paths = [path for path in listed.stdout.splitlines() if (root / path).is_file()]
    texts = {}
    for path in paths:
        if path.endswith(".md"):
            texts[path] = (root / path).read_text()
        elif path.endswith(".ipynb"):
            cells = json.loads((root / path).read_text())["cells"]
            texts[path] = "\n".join(
                "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return texts, set(paths)


def dead_in_site(site, base="/"):
    """What the pages of a site name and the site doesn't have, as (page, address); and the pages.

    >>> import tempfile
    >>> site = Path(tempfile.mkdtemp())
    >>> def write(path, content):
    ...     (site / path).parent.mkdir(parents=True, exist_ok=True)
    ...     _ = (site / path).write_text(content)
    >>> write("data/documentation/a.json", json.dumps({"references": {
    ...     "b": {"url": "/documentation/b"}, "a": {"url": "/documentation/A#it"},
    ...     "i": {"variants": [{"url": "/images/none.png"}]}, "w": {"url": "https://x.test/"}}}))
    >>> write("documentation/a/index.html", 'var baseUrl = "/"')
    >>> write("documentation/c/index.html", 'var baseUrl = "/p/"')
    >>> dead_in_site(site)[0]
    [('documentation/a', '/documentation/b'), ('documentation/a', '/images/none.png'), \
('documentation/c', 'has no data'), ('documentation/c', 'is not hosted below /')]
    """
    dead, pages = [], set()
    for file in sorted(site.glob("data/**/*.json")):
        page = str(file.relative_to(site / "data").with_suffix(""))
        pages.add(page)
        for address in addresses(json.loads(file.read_text())):
            link = urlsplit(address)
            if link.scheme or link.netloc or not link.path:
                continue
            path = unquote(link.path).lstrip("/")
            # A page's files have its name in small letters.
            page_of_it = path.lower().rstrip("/")
            is_page = (site / page_of_it / "index.html").is_file() \
                and (site / "data" / f"{page_of_it}.json").is_file()
            if not is_page and not (site / path).is_file():
                dead.append((page, address))
    for file in sorted(site.glob("documentation/**/index.html")):
        page = str(file.parent.relative_to(site))
        if page not in pages:
            dead.append((page, "has no data"))
        if f'baseUrl = "{base}"' not in file.read_text():
            dead.append((page, f"is not hosted below {base}"))
    return dead, pages


def addresses(value):
    """Every address in a page's data."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == "url" and isinstance(part, str):
                yield part
            else:
                yield from addresses(part)
    elif isinstance(value, list):
        for part in value:
            yield from addresses(part)


def main(arguments):
    """Checks what the arguments name, and returns the exit status."""
    if arguments:
        site = Path(arguments[0])
        base = "/" + "/".join(p for p in "".join(arguments[1:]).split("/") if p) + "/"
        dead, pages = dead_in_site(site, base.replace("//", "/"))
        lines = [f"{page}: {address}" for page, address in dead]
        checked = f"{len(pages)} pages"
        if not pages:
            lines.append(f"{site}: has no pages")
    else:
        texts, paths = repository_texts(Path(__file__).resolve().parents[2])
        lines = [f"{name}:{line}: {target}" for name, line, target in dead_in_markdown(texts, paths)]
        checked = f"{len(texts)} files of Markdown"
    for line in lines:
        print(f"dead link: {line}", file=sys.stderr)
    print(f"links: {checked}, {len(lines)} dead links")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
