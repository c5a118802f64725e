"""Checks reports in headless Chromium: check.py FOLDER REPORT.html DOCUMENT.json [REPORT DOCUMENT …]

On a phone and on a desktop, light and dark, with and without scripts: nothing sticks out sideways, the console is silent, nothing is fetched,
no text of the document has become markup, and every number in the page is the document's, digit by digit. Screenshots go to FOLDER.
Then each check is shown a page in which what it looks for is planted, and must find it. Exit 4: there is no Chromium.
"""

import base64
import json
import os
import pathlib
import sys
from fractions import Fraction

import chromium

VIEWS = [("phone", 390, 844, True, "light"), ("phone-dark", 390, 844, True, "dark"),
         ("narrow", 320, 640, True, "light"), ("desktop", 1280, 900, False, "light"), ("desktop-dark", 1280, 900, False, "dark")]
# The fields that the table must show wherever the document has them.
SHOWN = ["epsilon", "delta_claimed", "delta_lower", "delta_estimate", "delta_upper"]
# And those that the target's own section must.
TOLD = ["epsilon_lower", "min_detectable_delta", "confidence", "samples_a", "samples_b", "seconds"]
TALLEST = 6000


def text(value):
    return value if isinstance(value, str) else json.dumps(value)


def named(target, path):
    """The document's text at a dotted path, None where there is none."""
    value = target
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, dict) and value.get("lower") == value.get("upper"):
        value = value.get("lower")
    return None if value is None else text(value)


def numbers(browser, document):
    """What differs between the page's numbers and the document's."""
    wrong = []
    targets = document.get("targets", [document])
    found = browser.evaluate("""[...document.querySelectorAll('[data-field]')].map(e =>
        [e.dataset.target ?? null, e.dataset.field, e.textContent, !!e.closest('table.targets')])""")
    table, section = set(), set()
    for index, field, shown, is_table in found:
        if field == "target":
            continue
        whole = document if index is None else targets[int(index)]
        if shown != named(whole, field):
            wrong.append(f"target {index}: {field} is {shown!r} in the page and {named(whole, field)!r} in the document")
        (table if is_table else section).add((index, field))
    for index, target in enumerate(targets):
        missing = [field for field in SHOWN if isinstance(target.get(field), (str, int, float)) and (str(index), field) not in table]
        missing += [field for field in TOLD if isinstance(target.get(field), (str, int, float)) and (str(index), field) not in section]
        exact = {(str(index), "delta_exact"), (str(index), "delta_exact.lower"), (str(index), "delta_exact.upper")}
        missing += ["delta_exact"] if isinstance(target.get("delta_exact"), dict) and not exact & table else []
        if target.get("event") is not None and isinstance(target.get("counts"), dict):
            missing += [field for field in target["counts"] if (str(index), f"counts.{field}") not in section]
        wrong += [f"target {index}: {field} is not in the page" for field in missing]
    rows = browser.evaluate("[...document.querySelectorAll('table.targets tbody tr')].map(r => [r.dataset.row, r.querySelector('.badge').textContent])")
    if [row[0] for row in rows] != [str(index) for index in range(len(targets))]:
        wrong.append("the table's rows are not the document's targets")
    for index, badge in rows:
        verdict = targets[int(index)].get("verdict")
        if verdict and not targets[int(index)].get("error") and not targets[int(index)].get("skipped") and not badge.endswith(verdict):
            wrong.append(f"target {index}: {badge!r} in the page is {verdict!r} in the document")
    curves = browser.evaluate("[...document.querySelectorAll('table.curve')].map(t => [t.dataset.target, [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))])")
    for index, cells in curves:
        curve = targets[int(index)]["curve"]
        fields = [field for field in ("epsilon", "lower", "estimate", "plug_in", "upper") if any(point.get(field) is not None for point in curve)]
        has_exact = any(point.get("exact") is not None for point in curve)
        for point, row in zip(curve, cells, strict=True):
            expected = [named(point, field) for field in fields]
            expected += [(point.get("exact") or {}).get(bound) for bound in ("lower", "upper")] if has_exact else []
            if row != ["–" if value is None else value for value in expected]:
                wrong.append(f"target {index}: the curve has {row} for {expected}")
    drawn = {int(index) for index, _ in curves}
    for index, target in enumerate(targets):
        distinct = {point.get("epsilon") for point in target.get("curve") or []} - {None}
        if len(distinct) > 1 and index not in drawn:
            wrong.append(f"target {index}: its curve is not drawn")
    if "targets" in document:
        counts = dict(browser.evaluate("[...document.querySelectorAll('[data-count]')].map(e => [e.dataset.count, e.textContent])"))
        violations = sum(target.get("verdict") == "violation" for target in targets)
        unexpected = sum(target.get("as_expected") is False and bool(target.get("verdict")) for target in targets)
        expected = {"targets": str(len(targets)), "violations": str(violations), "unexpected": str(unexpected)}
        wrong += [f"{name}: {counts.get(name)} in the page, {count} in the document" for name, count in expected.items() if counts.get(name) != count]
    return wrong


def overflow(browser):
    """What is wider than the page, with everything opened."""
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    measured = browser.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth, document.documentElement.clientWidth]")
    # On a phone the table is cards, and on a desktop there is room: neither need scroll.
    scrolls = browser.evaluate("[...document.querySelectorAll('.wide')].some(e => e.querySelector('table.targets') && e.scrollWidth > e.clientWidth)")
    if max(measured[:2]) <= measured[2]:
        return ["the table is wider than the page"] if scrolls else []
    widest = browser.evaluate("""[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth
        && !e.closest('.wide') && !e.closest('pre')).slice(0, 3).map(e => e.outerHTML.slice(0, 120))""")
    return [f"the page is {max(measured[:2])} wide in a window of {measured[2]}: {widest}"]


def heard(browser, url):
    """What the console said, what was fetched, what popped up."""
    wrong = []
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            wrong.append(f"exception: {parameters['exceptionDetails'].get('text')}")
        elif method == "Runtime.consoleAPICalled":
            wrong.append(f"console: {parameters['type']}")
        elif method == "Log.entryAdded":
            wrong.append(f"console: {parameters['entry']['level']}: {parameters['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            if parameters["request"]["url"] not in (url, "data:,"):
                wrong.append(f"fetched: {parameters['request']['url'][:100]}")
        elif method == "Page.javascriptDialogOpening":
            wrong.append("a dialog opened")
    return wrong


def markup(browser):
    """Whether a text has become markup: the page has one script, no image, frame, form or link but to its targets, no handler, and its own title."""
    wrong = [] if browser.evaluate("document.title").startswith("Privacy audit: ") else ["the title was changed"]
    if browser.evaluate("document.scripts.length") != 1:
        wrong.append("there is a script that is not the page's")
    foreign = browser.evaluate("""[...document.querySelectorAll('img,iframe,object,embed,form,input,audio,video,body style,base,a:not([href^="#t"]):not(.skip[href="#each"])')].map(e => e.tagName)
        .concat([...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on')))""")
    return wrong + [f"foreign markup: {name}" for name in foreign]


def accessible(browser):
    """A first stop that skips to the targets, headings in order, names for drawings, links that lead somewhere, text that stands out from its ground."""
    return browser.evaluate("""(() => {
        const wrong = [];
        const first = document.querySelector('a[href],button,input,select,summary,[tabindex]');
        if (!first || !first.matches('a.skip[href="#each"]')) wrong.push('the first stop of the keyboard is not the skip link');
        let last = 0;
        for (const h of document.querySelectorAll('h1,h2,h3,h4')) {
            const level = +h.tagName[1];
            if (level > last + 1) wrong.push('heading ' + h.textContent + ' skips a level');
            last = level;
        }
        for (const s of document.querySelectorAll('svg[role=img]'))
            if (!s.querySelector('title') && !s.getAttribute('aria-label')) wrong.push('a drawing without a name');
        for (const a of document.querySelectorAll('a[href^="#"]'))
            if (!document.getElementById(a.getAttribute('href').slice(1))) wrong.push('a link to nowhere: ' + a.href);
        const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
        if (new Set(ids).size !== ids.length) wrong.push('an id twice');
        // WCAG 2: at least 4.5 to 1.
        const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
        const colour = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
        const ground = e => {
            const layers = [];
            for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
            return layers.reverse().reduce((under, c) => under.map((v, i) => v * (1 - c[3]) + c[i] * c[3]), [255, 255, 255]);
        };
        const bad = new Set();
        for (const e of document.querySelectorAll('body *')) {
            if (e.closest('svg') || e.closest('.same') || !e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
            if (e.closest(':disabled')) continue;
            const [one, other] = [light(colour(getComputedStyle(e).color).slice(0, 3)), light(ground(e))].sort((a, b) => b - a);
            const ratio = (one + .05) / (other + .05);
            if (ratio < 4.5) bad.add(e.tagName + '.' + e.className + ': contrast ' + ratio.toFixed(2));
        }
        return wrong.concat([...bad]);
    })()""")


def controls(browser, document):
    """The filter shows what it says, and sorting loses nothing."""
    if not browser.evaluate("!!document.querySelector('.filters')"):
        return []
    visible = "[...document.querySelectorAll('table.targets tbody tr')].filter(r => r.checkVisibility()).length"
    wrong, all_of_them = [], browser.evaluate(visible)
    violations = sum(target.get("verdict") == "violation" and not target.get("error") for target in document["targets"])
    browser.evaluate("document.querySelector('[data-filter=violation]').click()")
    if violations and browser.evaluate(visible) != violations:
        wrong.append(f"the filter shows {browser.evaluate(visible)} of {violations} violations")
    browser.evaluate("document.querySelector('[data-filter=all]').click()")
    if browser.evaluate("document.querySelectorAll('table.targets thead button').length") > 0:
        browser.evaluate("document.querySelector('table.targets thead button').click()")
        names = browser.evaluate("[...document.querySelectorAll('table.targets tbody th')].map(e => e.textContent)")
        if names != sorted(names, key=lambda name: name.encode("utf-16-be")) or len(names) != all_of_them:
            wrong.append("sorting by name does not sort, or loses rows")
        browser.evaluate("document.querySelectorAll('table.targets thead button')[1].click()")
        claims = browser.evaluate("[...document.querySelectorAll('table.targets tbody tr')].map(r => r.cells[1].querySelector('.n')).filter(e => e).map(e => e.textContent)")
        if [Fraction(claim) for claim in claims] != sorted(Fraction(claim) for claim in claims):
            wrong.append(f"sorting by claim does not sort: {claims[:5]}")
    return wrong


def check(browser, report, document, view, shots=None):
    name, width, height, is_phone, scheme = view
    url = pathlib.Path(report).resolve().as_uri()
    browser.size(width, height, is_phone, scheme)
    browser.open(url)
    if shots:
        tall = min(TALLEST, browser.evaluate("document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": width, "height": tall, "scale": 1}
        picture = browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        pathlib.Path(shots, f"{pathlib.Path(report).stem}-{name}.png").write_bytes(base64.b64decode(picture))
    wrong = numbers(browser, document) + overflow(browser) + markup(browser) + accessible(browser) + controls(browser, document)
    # What a page does late is heard too.
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    return wrong + heard(browser, url)


def without_scripts(browser, report, document):
    """The page can be read where scripts do not run."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.size(390, 844, True, "light")
        browser.open(pathlib.Path(report).resolve().as_uri())
        wrong = numbers(browser, document) + overflow(browser)
        if browser.evaluate("[...document.querySelectorAll('.filters')].some(e => e.checkVisibility())"):
            wrong.append("buttons that do nothing are shown")
        return wrong
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def planted(browser, report, document, folder):
    """Pages with a fault each: what is not found is what this check cannot see."""
    page = pathlib.Path(report).read_text(encoding="utf-8")
    digit = page.index('data-field="delta_lower">') + len('data-field="delta_lower">')
    faults = {
        "another digit": page[:digit] + "7" + page[digit:],
        "a number left out": page.replace('data-field="delta_claimed"', "", 1),
        "a wide element": page.replace("<main>", '<main><div style="width:5000px">wide</div>', 1),
        "a script": page.replace("<main>", "<main><script>document.title='owned'</script>", 1),
        "a handler": page.replace("<main>", "<main><p onclick=\"alert(1)\">x</p>", 1),
        "an image from elsewhere": page.replace("<main>", '<main><img src="https://example.invalid/x.png" alt="">', 1),
        "a broken script": page.replace("'use strict';", "'use strict'; nonsense();", 1),
        "a link to elsewhere": page.replace("<main>", '<main><a href="https://example.invalid/">x</a>', 1),
        "no skip link": page.replace('<a class="skip" href="#each">Skip to the targets</a>', "", 1),
        "faint text": page.replace("<main>", '<main><p style="color:#999">faint</p>', 1),
        "a verdict": page.replace("✗</span> violation</span>", "✗</span> consistent</span>", 1),
    }
    missed = []
    known = set(check(browser, report, document, VIEWS[0]))
    for fault, faulty in faults.items():
        path = pathlib.Path(folder, "planted.html")
        path.write_text(faulty, encoding="utf-8")
        if faulty == page or not set(check(browser, path, document, VIEWS[0])) - known:
            missed.append(f"planted and not found: {fault}")
        path.unlink()
    print(f"{len(faults) - len(missed)} of {len(faults)} planted faults found")
    return missed


def main():
    folder, *files = sys.argv[1:]
    command = chromium.find()
    if command is None:
        print("SKIPPED: there is no Chromium: NOTHING was checked", file=sys.stderr)
        return 4
    os.makedirs(folder, exist_ok=True)
    browser, wrong = chromium.Browser(command), []
    try:
        pairs = [(report, json.loads(pathlib.Path(document).read_text(encoding="utf-8"))) for report, document in zip(files[::2], files[1::2], strict=True)]
        for report, document in pairs:
            size = os.path.getsize(report)
            print(f"{report}: {size / 1e6:.2f} MB, {len(document.get('targets', [document]))} targets")
            if size > 4e6:
                wrong.append(f"{report} has {size} bytes, more than 4 MB")
            for view in VIEWS:
                wrong += [f"{report}, {view[0]}: {what}" for what in check(browser, report, document, view, folder)]
            wrong += [f"{report}, without scripts: {what}" for what in without_scripts(browser, report, document)]
        wrong += planted(browser, *pairs[0], folder)
    finally:
        browser.close()
    for what in wrong[:50]:
        print(what, file=sys.stderr)
    print(f"{len(wrong)} faults; screenshots in {folder}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
