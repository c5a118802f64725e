"""Links of the site: links.py BOOK [--write] | links.py --source

Of the built book:

Every link within the book leads to a page that is there, and to a place in it that is there; every link to a file of the
repository, to a file that is there. Nothing is loaded from elsewhere: no image, script, font, frame or style that a page, a
style sheet or an @import names is outside of the book.
--write first points links into the repository (../../X) at $CERTUS_REPOSITORY, or at the clone around the book.
--source checks the same of the pages in Markdown, where there is no mdBook to build them, and that the table of contents has
them all. Either way each kind of fault is then planted, and must be found.
"""

import contextlib
import html.parser
import os
import pathlib
import re
import shutil
import sys
import tempfile
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


def slug(heading):
    """The id that mdBook gives a heading."""
    text = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w -]", "", text).replace(" ", "-")


def check_source(folder):
    """What is wrong with the links of the pages in Markdown, and with what is loaded by the HTML in them."""
    wrong, links, texts = [], 0, {}
    for path in sorted(folder.glob("*.md")):
        # Not within code.
        texts[path] = re.sub(r"^```.*?^```$|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    places = {path: {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.M)} | set(re.findall(r'id="([^"]*)"', text))
              for path, text in texts.items()}
    listed = set(re.findall(r"\]\(([^)#]*)\)", (folder / "SUMMARY.md").read_text(encoding="utf-8")))
    wrong += [f"{path.name} is not in SUMMARY.md" for path in texts if path.name not in listed | {"SUMMARY.md"}]
    for path, text in texts.items():
        found = re.findall(r"(!?)\[[^]]*\]\(([^) ]*)[^)]*\)", text)
        page = Page(text)
        loads = [address for mark, address in found if mark] + page.loads + [each for part in page.texts for each in styles(part)]
        wrong += [f"{path.name}: loads {address}" for address in loads if is_outside(address)]
        for address in [address for mark, address in found] + page.links + page.loads:
            links += 1
            if is_outside(address) or address.startswith(("data:", "mailto:")) or address == "playground/module.js":
                continue
            file, _, anchor = urllib.parse.unquote(address).partition("#")
            base = ROOT / "site/src" if file.startswith("../../") else folder
            target = (base / file).resolve() if file else path
            if target.suffix == ".html" and target.with_suffix(".md") in texts:
                target = target.with_suffix(".md")
            if not target.exists():
                wrong.append(f"{path.name}: {address} is not there")
            elif anchor and target in places and anchor not in places[target]:
                wrong.append(f"{path.name}: {address}: the page has no such place")
    for path in [*folder.rglob("*.css"), *(folder.parent / "theme").rglob("*.css")]:
        wrong += [f"{path.name}: loads {address}" for address in styles(path.read_text(encoding="utf-8")) if is_outside(address)]
    print(f"{len(texts)} pages in Markdown, {links} links: {len(wrong)} faults")
    return wrong


# What is planted into a page, in Markdown (mdBook passes HTML on), and into a style sheet.
PLANTED = ['<a href="nowhere.html">x</a>', '<a href="index.html#nowhere">x</a>', '<a href="../../nowhere.rs">x</a>',
           '<img src="https://example.invalid/x.png" alt="">', '<img src="//example.invalid/x.png" alt="">',
           '<script src="http://example.invalid/x.js"></script>', '<p style="background:url(https://example.invalid/x.png)">x</p>',
           '<link rel="stylesheet" href="https://example.invalid/x.css">', '<img src="nowhere.png" alt="">']
PLANTED_STYLES = ["@import 'https://example.invalid/x.css';", "p { background: url('//example.invalid/x.png') }"]


def planted(folder, page, style, find):
    """What is planted in a copy and not found."""
    missed = []
    with tempfile.TemporaryDirectory() as copies:
        copy = pathlib.Path(copies).resolve() / folder.parent.name / folder.name
        shutil.copytree(folder, copy)
        before = len(find(copy))
        for file, faults in ((page, PLANTED), (style, PLANTED_STYLES)):
            text = (copy / file).read_text(encoding="utf-8")
            for fault in faults:
                place = text.find("</main>") if "</main>" in text else len(text)
                (copy / file).write_text(text[:place] + "\n" + fault + "\n" + text[place:], encoding="utf-8")
                missed += [] if len(find(copy)) > before else [f"planted and not found: {fault}"]
            (copy / file).write_text(text, encoding="utf-8")
    return missed


def main():
    arguments = sys.argv[1:]
    if "--source" in arguments:
        folder, page, style, find = ROOT / "site/src", "glossary.md", "playground/page.css", check_source
    else:
        folder, page, style, find = pathlib.Path(arguments[0]).resolve(), "glossary.html", "playground/page.css", check
        if "--write" in arguments:
            write(folder)
    wrong = find(folder)
    with contextlib.redirect_stdout(None):
        missed = planted(folder, page, style, find)
    count = len(PLANTED) + len(PLANTED_STYLES)
    print(f"{count - len(missed)} of {count} planted faults found")
    for line in wrong + missed:
        print(line, file=sys.stderr)
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
