"""Checks the page of the cases in headless Chromium: check.py PAGE SHOTS

On a phone and on a desktop, light and dark: every number, table row and finding of the page is that of its data, every picture is drawn inside its frame,
nothing sticks out sideways, text can be read on its ground, nothing is fetched and nothing is said on the console. Screenshots go to SHOTS.
Then each check is shown a page in which what it looks for is planted, and must find it. Exit 4: there is no Chromium.
"""

import base64
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "report_test"))
import chromium  # noqa: E402

VIEWS = [("phone", 390, 844, True, "light"), ("phone-dark", 390, 844, True, "dark"), ("narrow", 320, 640, True, "light"),
         ("desktop", 1280, 900, False, "light"), ("desktop-dark", 1280, 900, False, "dark")]

NUMBERS = """(() => {
    const wrong = [], data = JSON.parse(document.getElementById('data').textContent);
    const sections = [...document.querySelectorAll('section[data-case]')];
    if (sections.map(s => s.id).join() !== data.cases.map(c => c.name).join()) wrong.push('the sections are not the cases of the data');
    if (data.cases.length < 5) wrong.push('only ' + data.cases.length + ' cases');
    const plain = text => text.replaceAll('`', '');
    const links = [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'));
    for (const one of data.cases) {
        const section = document.getElementById(one.name);
        if (!section) continue;
        const fault = what => wrong.push(one.name + ': ' + what);
        if (!links.includes('#' + one.name)) fault('is not in the index');
        const shown = Object.fromEntries([...section.querySelectorAll('[data-figure]')].map(e => [e.dataset.figure, e.textContent]));
        for (const [name, value] of Object.entries(one.figures)) if (shown[name] !== value) fault(name + ' is ' + shown[name] + ' in the page and ' + value + ' in the data');
        if (Object.keys(shown).length !== Object.keys(one.figures).length) fault('has numbers that the data have not');
        if (Object.keys(shown).length === 0) fault('has no numbers');
        for (const [name, value] of Object.entries(shown)) if (!Number.isFinite(Number(value))) fault(name + ' is ' + value);
        const tables = [...section.querySelectorAll('table:not(.figures)')];
        if (tables.length !== one.tables.length || tables.length === 0) fault(tables.length + ' tables for ' + one.tables.length);
        tables.forEach((table, i) => {
            const rows = [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent));
            const expected = (one.tables[i] ?? {rows: []}).rows.map(r => r.map(plain));
            if (JSON.stringify(rows) !== JSON.stringify(expected)) fault('table ' + i + ' is not that of the data');
            if (rows.flat().some(cell => /NaN|inf\\b|undefined/.test(cell))) fault('table ' + i + ' has a number that is none');
        });
        const findings = [...section.querySelectorAll('.findings li')].map(li => [li.querySelector('q').textContent, li.className === 'holds', li.textContent]);
        if (findings.length !== one.findings.length || findings.length === 0) fault(findings.length + ' findings for ' + one.findings.length);
        findings.forEach(([stated, holds, text], i) => {
            const finding = one.findings[i] ?? {stated: '', found: ''};
            if (stated !== plain(finding.stated) || holds !== finding.agrees || !text.includes(plain(finding.found))) fault('finding ' + i + ' is not that of the data');
            if (/NaN/.test(text)) fault('finding ' + i + ' has a number that is none');
        });
        const pictures = [...section.querySelectorAll('figure svg')];
        if (pictures.length !== one.pictures.length || pictures.length === 0) fault(pictures.length + ' pictures for ' + one.pictures.length);
        pictures.forEach((svg, i) => {
            if (svg.querySelectorAll('polyline, rect, circle, polygon, path, line').length < 5) fault('picture ' + i + ' is empty');
            const frame = svg.getBoundingClientRect();
            if (frame.width < 200 || frame.height < 100) fault('picture ' + i + ' is too small to be read');
            for (const text of svg.querySelectorAll('text')) {
                const box = text.getBoundingClientRect();
                if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) fault('picture ' + i + ': “' + text.textContent.trim() + '” sticks out');
            }
        });
    }
    return wrong;
})()"""

LAYOUT = """(() => {
    const wrong = [];
    document.querySelectorAll('details').forEach(d => d.open = true);
    const root = document.documentElement;
    if (Math.max(root.scrollWidth, document.body.scrollWidth) > root.clientWidth)
        wrong.push('the page is wider than the window: ' + [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest('.wide') && !e.closest('svg'))
            .slice(0, 3).map(e => e.outerHTML.slice(0, 100)).join(' | '));
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    if (new Set(ids).size !== ids.length) wrong.push('an id twice');
    if (document.querySelectorAll('script:not([type="application/json"])').length) wrong.push('a script');
    if ([...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => a.name.startsWith('on')))) wrong.push('a handler');
    if (document.querySelectorAll('main h2').length !== document.querySelectorAll('section').length) wrong.push('a section without a head');
    if ([...document.querySelectorAll('figure svg')].some(e => !e.querySelector('title')?.textContent.trim())) wrong.push('a picture without a title');
    // WCAG 2: at least 4.5 to 1.
    const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
    const colour = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
    const ground = e => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
    const bad = new Set();
    for (const e of document.querySelectorAll('body *')) {
        if (!e.checkVisibility() || e.tagName === 'SCRIPT' || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
        const ink = colour(getComputedStyle(e)[e.closest('svg') ? 'fill' : 'color']).slice(0, 3);
        const [one, other] = [light(ink), light(ground(e))].sort((a, b) => b - a);
        if ((one + .05) / (other + .05) < 4.5) bad.add(e.tagName + '.' + (e.className.baseVal ?? e.className) + ': contrast ' + ((one + .05) / (other + .05)).toFixed(2));
    }
    return wrong.concat([...bad]);
})()"""


def heard(browser, url):
    """What was fetched, and what was said on the console."""
    wrong = []
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent" and parameters["request"]["url"].split("#")[0] != url:
            wrong.append(f"fetches {parameters['request']['url'][:80]}")
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            wrong.append(f"the console says {str(parameters)[:120]}")
    return wrong


def check(browser, page, view, shots=None):
    name, width, height, is_phone, scheme = view
    url = pathlib.Path(page).resolve().as_uri()
    browser.size(width, height, is_phone, scheme)
    browser.open(url)
    if shots:
        # The top, and each case: one long picture would be too long.
        places = [("top", 0, 1600)] + browser.evaluate("[...document.querySelectorAll('section')].map(s => [s.id, s.offsetTop, s.offsetHeight])")
        for place, top, tall in places:
            clip = {"x": 0, "y": top, "width": width, "height": max(1, min(tall, 7000)), "scale": 1}
            picture = browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
            pathlib.Path(shots, f"{place}-{name}.png").write_bytes(base64.b64decode(picture))
    wrong = browser.evaluate(NUMBERS) + browser.evaluate(LAYOUT)
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    return wrong + heard(browser, url)


def planted(browser, page):
    """Pages with a fault each: what is not found is what this check cannot see."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    figure = text.index('data-figure="')
    digit = text.index(">", figure) + 1
    faults = {
        "another digit": text[:digit] + "7" + text[digit:],
        "a number left out": text[:figure] + text[figure + len('data-figure="'):],
        "a cell of a table": text.replace("</td></tr>\n</tbody></table></div>\n<", "0</td></tr>\n</tbody></table></div>\n<", 1),
        "a finding turned round": text.replace('<li class="holds">', '<li class="differs">', 1),
        "a picture left out": text[:text.index("<svg")] + text[text.index("</svg>") + 6:],
        "an empty picture": text[:text.index("<title>", text.index("<svg"))] + "<title>x</title>" + text[text.index("</svg>"):],
        "text beyond a picture": text.replace("</svg>", '<text x="470" y="50">far too long for its place</text></svg>', 1),
        "a section left out": text.replace("data-case=", "data-kase=", 1),
        "a wide element": text.replace("<main>", '<main><div style="width:5000px">wide</div>', 1),
        "a script": text.replace("<main>", "<main><script>document.title = 'owned'</script>", 1),
        "a handler": text.replace("<main>", "<main><p onclick=\"alert(1)\">x</p>", 1),
        "an image from elsewhere": text.replace("<main>", '<main><img src="https://example.invalid/x.png" alt="">', 1),
        "faint text": text.replace("<main>", '<main><p style="color:#999">faint</p>', 1),
        "faint text in a picture": text.replace("</svg>", '<text x="60" y="60" fill="#999999">faint</text></svg>', 1),
    }
    missed = []
    path = pathlib.Path(page).with_name("planted.html")
    for fault, faulty in faults.items():
        path.write_text(faulty, encoding="utf-8")
        if faulty == text or not check(browser, path, VIEWS[0]):
            missed.append(f"planted and not found: {fault}")
        path.unlink()
    print(f"{len(faults) - len(missed)} of {len(faults)} planted faults found")
    return missed


def main():
    page, shots = sys.argv[1:]
    command = chromium.find()
    if command is None:
        print("SKIPPED: there is no Chromium: NOTHING was checked", file=sys.stderr)
        return 4
    os.makedirs(shots, exist_ok=True)
    size = os.path.getsize(page)
    print(f"{page}: {size / 1e6:.2f} MB")
    wrong = [f"{page} has {size} bytes, more than 4 MB"] if size > 4e6 else []
    browser = chromium.Browser(command)
    try:
        for view in VIEWS:
            wrong += [f"{view[0]}: {what}" for what in check(browser, page, view, shots)]
        wrong += planted(browser, page)
    finally:
        browser.close()
    for what in wrong[:50]:
        print(what, file=sys.stderr)
    print(f"{len(wrong)} faults; screenshots in {shots}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
