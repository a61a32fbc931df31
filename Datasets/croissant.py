"""Prints the metadata of a described data set as Croissant 1.1 (mlcommons.org/croissant).

    python3 Datasets/croissant.py FOLDER > FOLDER/croissant.json
    python3 Datasets/croissant.py Datasets/Descriptions/NAME.json

FOLDER is a data set in the tidy form; its description is Datasets/Descriptions/NAME.json, or else
FOLDER/dataset.json. Its CSV files are listed with their sizes and digests, and their tidy columns
with types and units as record sets. Of a description alone there are neither. The same files give
the same text.
"""

import csv
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/",
    **{name: f"cr:{name}" for name in (
        "annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty",
        "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes",
        "isArray", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
        "references", "regex", "repeated", "replace", "samplingRate", "separator", "source",
        "subField", "transform")},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/", "sc": "https://schema.org/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "description": {"@container": "@language"}, "name": {"@container": "@language"},
}
LICENCES = {
    "MIT": "MIT", "Apache-2.0": "Apache-2.0", "BSD-3-Clause": "BSD-3-Clause",
    "CC BY 4.0": "CC-BY-4.0", "CC0-1.0": "CC0-1.0",
}
#: The columns of the tidy form: type, unit, meaning.
COLUMNS = {
    "recording": ("Text", None, "the recording's name, which is that of its files"),
    "subject": ("Text", None, "the person"),
    "label": ("Text", None, "what the person did, in the data set's own words"),
    "note": ("Text", None, "a remark"),
    "system": ("Text", None, "the system that found the step"),
    "t": ("Float", "s", "time on the recording's clock"),
    "start": ("Float", "s", "start on the recording's clock"),
    "end": ("Float", "s", "end on the recording's clock"),
    **{f"a{axis}": ("Float", "m/s²", f"specific force along {axis}, with gravity; +9.81 upwards")
       for axis in "xyz"},
    **{f"g{axis}": ("Float", "rad/s", f"rotation rate about {axis}") for axis in "xyz"},
    "pressure": ("Float", "hPa", "air pressure"),
    "lat": ("Float", "°", "latitude, WGS 84"),
    "lon": ("Float", "°", "longitude, WGS 84"),
    "alt": ("Float", "m", "altitude"),
    "hacc": ("Float", "m", "stated radius of the position; negative when unknown"),
    "speed": ("Float", "m/s", "speed over ground; negative when unknown"),
    "course": ("Float", "°", "course over ground, clockwise from north; negative when unknown"),
    "moving": ("Integer", None, "1 while the person moves, else 0"),
    "stay": ("Integer", None, "the stay's number, −1 on the way"),
    "env": ("Text", None, "surroundings"),
    "mode": ("Text", None, "mode of travel"),
    "activity": ("Text", None, "activity"),
    "cadence": ("Float", "1/min", "steps of both feet per minute"),
    "steps": ("Integer", None, "steps of both feet since the row before"),
}
FIXES = ("t", "lat", "lon", "alt", "hacc", "speed", "course")
#: The record sets: what they hold, and which of the columns may be there.
RECORD_SETS = {
    "accelerations": ("accelerations of all recordings",
                      ("t", "ax", "ay", "az", "gx", "gy", "gz", "pressure")),
    "fixes": ("location fixes of all recordings", FIXES),
    "truth": ("reference tracks of all recordings",
              (*FIXES, "moving", "stay", "env", "mode", "activity", "cadence", "steps")),
    "stays": ("stays of all recordings", ("start", "end", "lat", "lon")),
    "labels": ("what the person did, from when to when",
               ("recording", "subject", "start", "end", "label", "note")),
    "steps": ("steps of either foot", ("recording", "t", "system")),
}
#: The record sets that are one file; the others are all files of a kind.
TABLES = {"labels.csv": "labels", "steps.csv": "steps"}


def header(path):
    """The column names of a CSV file, compressed or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            return [name.strip() for name in next(csv.reader(file), [])]
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"{path}: {error}")


def kind(path, columns):
    """The record set to which a file belongs, or nothing."""
    plain = path.name.removesuffix(".gz")
    if plain in TABLES:
        return TABLES[plain]
    for part, name in ((".gps", "fixes"), (".truth", "truth"), (".stays", "stays")):
        if plain.endswith(f"{part}.csv"):
            return name
    return "accelerations" if {"t", "ax", "ay", "az"} <= set(columns) else None


def file_object(path):
    """A file with its size and digest."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    formats = ["text/csv", "application/gzip"] if path.suffix == ".gz" else "text/csv"
    return {
        "@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B", "encodingFormat": formats, "sha256": digest}


def field(record_set, column, source):
    """A column with its type and unit."""
    data_type, unit, meaning = COLUMNS[column]
    identifier = f"{record_set}/{column}"
    result = {
        "@type": "cr:Field", "@id": identifier, "name": column, "description": meaning,
        "dataType": [f"sc:{data_type}", "cr:Label"] if column == "label" else f"sc:{data_type}",
        "source": source}
    if unit:
        result["description"] += f" ({unit})"
        result["annotation"] = {
            "@type": "cr:Field", "@id": f"{identifier}/unit", "name": "unit",
            "dataType": "sc:Text", "equivalentProperty": "sc:unitText", "value": unit}
    return result


def record_set(name, base, paths, columns):
    """The files of a kind that have the same columns, if these are several, and what is in them."""
    meaning, _ = RECORD_SETS[base]
    if base in TABLES.values():
        where, sets, fields = {"fileObject": {"@id": paths[0].name}}, [], []
    else:
        files = f"{name}-files"
        where = {"fileSet": {"@id": files}}
        sets = [{
            "@type": "cr:FileSet", "@id": files, "name": files, "encodingFormat": "text/csv",
            "includes": [re.sub(r"([*?[])", r"[\1]", path.name) for path in paths]}]
        fields = [field(name, "recording", {
            **where, "extract": {"fileProperty": "filename"},
            "transform": {"regex": r"^(.+?)(?:\.gps|\.truth|\.stays)?\.csv(?:\.gz)?$"}})]
    fields += [field(name, column, {**where, "extract": {"column": column}}) for column in columns]
    return sets, {
        "@type": "cr:RecordSet", "@id": name, "name": name, "description": meaning, "field": fields}


def contents(folder):
    """The distribution and the record sets of a folder.

    Files of a kind with different columns are different record sets, because a FileSet is of files
    that are alike; the names of those with more columns end with these.
    """
    paths = sorted(path for path in folder.iterdir() if path.name.endswith((".csv", ".csv.gz")))
    kinds = {name: {} for name in RECORD_SETS}
    for path in paths:
        present = header(path)
        if base := kind(path, present):
            columns = tuple(column for column in RECORD_SETS[base][1] if column in present)
            kinds[base].setdefault(columns, []).append(path)
    distribution, record_sets = [file_object(path) for path in paths], []
    for base, groups in kinds.items():
        common = set.intersection(*map(set, groups)) if groups else set()
        for columns, members in sorted(groups.items()):
            name = "-".join([base, *(column for column in columns if column not in common)])
            sets, records = record_set(name, base, members, columns)
            distribution += sets
            record_sets.append(records)
    return {"distribution": distribution, "recordSet": record_sets}


def metadata(described, folder=None):
    """The Croissant object of a description, and of the folder that holds the data."""
    title, url = described["source"]["title"], described["source"]["url"]
    licence = described["licence"]
    sensors, placement = described.get("sensors", []), described.get("placement", "")
    facts = [f"sensors: {', '.join(sensors)}"] if sensors else []
    facts += [f"placement: {placement}"] if placement else []
    if rate := described.get("samplingRate"):
        facts.append(f"accelerations per second: {rate:g}")
    if people := described.get("people"):
        facts.append(f"people: {people}")
    facts.append(f"stated accuracy of fixes: {described.get('horizontalAccuracy', 'undocumented')}")
    training = described.get("trainingLabels", {})
    labels = [
        f"{label}: {activity}" + (f"; in training {training[label]}" if label in training else "")
        for label, activity in sorted(described.get("labels", {}).items())]
    result = {
        "@context": CONTEXT, "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": described["name"],
        "description": f"{title}. In the tidy form of swift-locomotion. " + "; ".join(facts) + ".",
        "license": f"https://spdx.org/licenses/{LICENCES[licence]}.html"
        if licence in LICENCES else licence,
        "citeAs": title, "keywords": sensors, "measurementTechnique": placement,
        "rai:dataCollection": "; ".join(facts),
        "rai:dataPreprocessingProtocol": described.get("layout", []),
        "rai:dataAnnotationProtocol": labels,
        "rai:dataLimitations": described.get("notes", []),
    }
    if url:
        author = title.split(": ", 1)[0]
        if author != title:
            result["creator"] = {"@type": "sc:Person", "name": author}
        result |= {"url": url, "isBasedOn": url}
    if year := re.search(r"\b(?:19|20)\d\d\b", title):
        result["datePublished"] = year[0]
    if folder:
        result |= contents(folder)
    return {key: value for key, value in result.items() if value not in ("", [])}


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).exists():
        sys.exit("usage: croissant.py FOLDER|DESCRIPTION.json")
    path = Path(sys.argv[1]).resolve()
    folder = path if path.is_dir() else None
    if folder:
        kept = Path(__file__).resolve().parent / "Descriptions" / f"{folder.name}.json"
        path = kept if kept.exists() else folder / "dataset.json"
        if not path.exists():
            sys.exit(f"{folder} has no description: expected {kept} or {path}")
    described = json.loads(path.read_text(encoding="utf-8"))
    print(json.dumps(metadata(described, folder), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
