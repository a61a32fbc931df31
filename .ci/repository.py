"""The files of the project, for the scripts beside this one."""

import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def paths():
    """All files that git tracks, or will: not links, and not what is ignored."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True,
        check=True, text=True).stdout.split("\n")
    full = ((path, os.path.join(ROOT, path)) for path in sorted(set(listed)) if path)
    return [path for path, place in full if os.path.isfile(place) and not os.path.islink(place)]


def text(path):
    """The content of a file; None when it is no text."""
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None


def stripped(source, comments=True):
    """Swift with blanks in place of strings and comments; or with comments and empty strings."""
    pattern = re.compile(
        r'(?P<comment>//[^\n]*|/\*.*?\*/)|#+""".*?"""#+|""".*?"""|#"(?:[^\n])*?"#'
        r'|"(?:\\.|[^"\\\n])*"', re.S)

    def blank(found):
        if found["comment"] and not comments:
            return found.group()
        if not comments:
            return '""' + "\n" * found.group().count("\n")
        return re.sub(r"[^\n]", " ", found.group())

    return pattern.sub(blank, source)
