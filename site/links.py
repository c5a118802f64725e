"""Links of the built book: links.py BOOK [--write]

Every link within the book leads to a page that is there, and to a place in it that is there; every link to a file of the
repository, to a file that is there. Nothing is loaded from elsewhere: no image, script, font, frame or style that a page, a
style sheet or an @import names is outside of the book.
--write first points links into the repository (../../X) at $CERTUS_REPOSITORY, or at the clone around the book.
"""

import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Attributes from which a browser loads by itself.
LOADS = {("img", "src"), ("img", "srcset"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("source", "srcset"), ("video", "src"),
         ("audio", "src"), ("embed", "src"), ("object", "data"), ("link", "href"), ("image", "href"), ("use", "href"), ("form", "action"),
         ("video", "poster"), ("track", "src"), ("input", "src")}


class Page(html.parser.HTMLParser):
    """The ids, links and loaded resources of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.twice, self.links, self.loads, self.texts = set(), [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            value = value or ""
            if name in ("id", "name") and (name == "id" or tag == "a"):
                self.twice += [value] if name == "id" and value in self.ids else []
                self.ids.add(value)
            if tag == "a" and name == "href":
                self.links.append(value)
            if (tag, name) in LOADS:
                self.loads += [part.split()[0] for part in value.split(",")] if name == "srcset" else [value]
            if name == "style":
                self.texts.append(value)
            if tag == "meta" and name == "content" and "url=" in value.lower():
                self.loads.append(value.lower().split("url=")[1])


def is_outside(address):
    return bool(re.match(r"(?i)\s*(?:[a-z][a-z0-9+.-]*:)?//", address)) or address.split(":")[0] in ("http", "https", "ftp", "ws", "wss")


def write(book):
    """mdBook calls every .md a page (.html), those of the repository too: that is undone."""
    base = os.environ.get("CERTUS_REPOSITORY", "")

    def repair(match):
        before, path = match.groups()
        file, _, anchor = path.partition("#")
        if file.endswith(".html") and (ROOT / file).with_suffix(".md").is_file():
            file = file.removesuffix(".html") + ".md"
        return f'{before}{base or "../../"}{file}{"#" + anchor if anchor else ""}"'

    for path in book.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r'(<a [^>]*href=")\.\./\.\./([^"]*)"', repair, text), encoding="utf-8")


def styles(text):
    return re.findall(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""", text)


def check(book):
    """What is wrong."""
    wrong = []
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(book.rglob("*.html"))}
    base = os.environ.get("CERTUS_REPOSITORY", "")
    links = 0
    for path, page in pages.items():
        name = path.relative_to(book)
        # mdBook joins all pages into one for printing: what is an id on two of them is there twice.
        wrong += [] if name.name == "print.html" else [f"{name}: the id {each} twice" for each in page.twice]
        for address in page.loads + [each for text in page.texts for each in styles(text)]:
            if is_outside(address):
                wrong.append(f"{name}: loads {address}")
            elif not address.startswith(("data:", "#")) and not (path.parent / urllib.parse.unquote(address.split("#")[0].split("?")[0])).exists():
                # The module is built after the pages.
                wrong += [] if address == "playground/module.js" else [f"{name}: loads {address}, which is not there"]
        for address in page.links:
            links += 1
            if base and address.startswith(base):
                address = "../../" + address.removeprefix(base)
            if is_outside(address) or address.startswith("mailto:"):
                continue
            file, _, anchor = urllib.parse.unquote(address).partition("#")
            if file.startswith("../../"):
                wrong += [] if (ROOT / file.removeprefix("../../")).exists() else [f"{name}: {address} is not in the repository"]
                continue
            target = (path.parent / file).resolve() if file else path
            if not target.is_file():
                wrong.append(f"{name}: {address} is not there")
            elif anchor and target.suffix == ".html" and anchor not in pages[target].ids:
                wrong.append(f"{name}: {address}: the page has no such place")
    for path in sorted(book.rglob("*.css")):
        wrong += [f"{path.relative_to(book)}: loads {address}" for address in styles(path.read_text(encoding="utf-8")) if is_outside(address)]
    print(f"{len(pages)} pages, {links} links: {len(wrong)} faults")
    return wrong


def main():
    book, *options = sys.argv[1:]
    book = pathlib.Path(book).resolve()
    if "--write" in options:
        write(book)
    wrong = check(book)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
