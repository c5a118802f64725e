"""Checks the built site in headless Chromium: check.py BOOK COMMAND SHOTS

Every page, from file://, on a phone (390 px) and on a desktop, in the light and in the dark: nothing is fetched from elsewhere,
the console is silent, nothing sticks out sideways, text can be read on its ground (WCAG 2, at least 4.5 to 1), headings are in
order, every control has a name, and the keyboard reaches everything that a mouse does. On paper nothing is cut off. The
playground answers as COMMAND does, digit by digit, and can be cancelled. Screenshots go to SHOTS.
Then each check is shown a site in which what it looks for is planted, and must find it. Exit 4: there is no Chromium.
"""

import base64
import decimal
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "audits/report_test"), str(ROOT / "bindings/wasm")]
import chromium  # noqa: E402
import compare  # noqa: E402

VIEWS = [("phone", 390, 844, True, "light"), ("phone-dark", 390, 844, True, "dark"),
         ("desktop", 1280, 900, False, "light"), ("desktop-dark", 1280, 900, False, "dark")]

# Widths, names, headings, contrast.
LAYOUT = """(() => {
    const wrong = [], root = document.documentElement;
    if (Math.max(root.scrollWidth, document.body.scrollWidth) > root.clientWidth)
        wrong.push('the page is ' + Math.max(root.scrollWidth, document.body.scrollWidth) + ' wide in a window of ' + root.clientWidth + ': ' +
            [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 3).map(e => e.outerHTML.slice(0, 90)).join(' | '));
    // What scrolls by itself, code and tables, may be wider inside.
    const wide = [...document.querySelectorAll('main *')].filter(e => !e.parentElement.closest('pre, table, code') && e.getBoundingClientRect().right > root.clientWidth + 1);
    if (wide.length) wrong.push('wider than the window: ' + wide.slice(0, 3).map(e => e.outerHTML.slice(0, 90)).join(' | '));
    let last = 0;
    for (const h of document.querySelectorAll('main :is(h1, h2, h3, h4)')) {
        if (+h.tagName[1] > last + 1) wrong.push('heading ' + h.textContent + ' skips a level');
        last = +h.tagName[1];
    }
    if (document.querySelectorAll('main h1').length !== 1) wrong.push('not one heading of the first level');
    if (!root.lang || !document.title) wrong.push('no language, or no title');
    const seen = e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const name = e => (e.getAttribute('aria-label') || e.title || e.textContent || [...(e.labels ?? [])].map(l => l.textContent).join(' ')).trim();
    for (const e of document.querySelectorAll('a[href], button, input, select, textarea')) if (seen(e) && !name(e)) wrong.push('no name: ' + e.outerHTML.slice(0, 90));
    for (const e of document.querySelectorAll('main :is(input, select, textarea)')) if (!e.labels?.length) wrong.push('no label: ' + e.outerHTML.slice(0, 90));
    for (const e of document.querySelectorAll('img:not([alt]), svg[role=img]:not(:has(title)):not([aria-label])')) wrong.push('a picture without a name');
    // Colours by a canvas, which reads every notation.
    const paper = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const known = new Map();
    const colour = text => {
        if (!known.has(text)) { paper.clearRect(0, 0, 1, 1); paper.fillStyle = '#000'; paper.fillStyle = text; paper.fillRect(0, 0, 1, 1); const [r, g, b, a] = paper.getImageData(0, 0, 1, 1).data; known.set(text, [r, g, b, a / 255]); }
        return known.get(text);
    };
    const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
    const over = (under, c) => under.map((v, i) => v * (1 - c[3]) + c[i] * c[3]);
    const ground = e => {
        const layers = [];
        for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
        return layers.reverse().reduce(over, [255, 255, 255]);
    };
    const bad = new Set();
    for (const e of document.querySelectorAll('body *')) {
        const writes = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || (e.matches('input, select, textarea') && e.value);
        if (!writes || e.closest('svg, script, style, noscript, option, [disabled], .mdbook-version') || !seen(e)) continue;
        const style = getComputedStyle(e), under = ground(e), ink = over(under, colour(style.color));
        const [one, other] = [light(ink), light(under)].sort((a, b) => b - a), ratio = (one + .05) / (other + .05);
        const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && +style.fontWeight >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) bad.add(e.tagName + '.' + e.className + ' “' + e.textContent.trim().slice(0, 30) + '”: contrast ' + ratio.toFixed(2));
    }
    return wrong.concat([...bad].slice(0, 8));
})()"""

# What a mouse can use, each with a number; those of a group of radio buttons would be one stop, and there are none.
REACHABLE = """(() => {
    const usable = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"], [onclick], [role=button]')]
        .filter(e => !e.disabled && e.checkVisibility({ visibilityProperty: true }) && !e.closest('[inert], [aria-hidden=true]') && e.getClientRects().length);
    usable.forEach((e, i) => e.dataset.stop = i);
    return usable.map(e => e.outerHTML.replace(/ data-stop="[0-9]*"/, '').slice(0, 90));
})()"""


def key(browser, name, code, text=None, modifiers=0):
    down = {"type": "keyDown" if text else "rawKeyDown", "key": name, "code": name, "windowsVirtualKeyCode": code, "modifiers": modifiers}
    browser.call("Input.dispatchKeyEvent", **(down | ({"text": text} if text else {})))
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code, modifiers=modifiers)


def keyboard(browser):
    """What the key Tab does not reach, and what does not show that it is reached."""
    browser.evaluate("document.activeElement?.blur()")
    usable = browser.evaluate(REACHABLE)
    reached, unseen = set(), set()
    for _ in range(len(usable) + 30):
        key(browser, "Tab", 9)
        stop, shows = browser.evaluate("""(() => { const e = document.activeElement, s = getComputedStyle(e);
            const box = e.getBoundingClientRect();
            return [e.dataset?.stop ?? null, (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none' || box.width === 0]; })()""")
        if stop is not None:
            if stop in reached and len(reached) == len(usable):
                break
            reached.add(stop)
            if not shows:
                unseen.add(stop)
    wrong = [f"the keyboard does not reach {usable[i]}" for i in range(len(usable)) if str(i) not in reached]
    return wrong + [f"the focus does not show on {usable[int(i)]}" for i in sorted(unseen, key=int)]


def heard(browser, book):
    """What was fetched from outside of the book, and what the console said."""
    wrong = []
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith((book.as_uri() + "/", "data:", "blob:null/", "about:")):
                wrong.append(f"fetches {url[:100]}")
        elif method == "Runtime.exceptionThrown":
            wrong.append(f"exception: {str(parameters['exceptionDetails'])[:200]}")
        elif method == "Runtime.consoleAPICalled":
            wrong.append(f"console: {parameters['type']}: {str(parameters['args'])[:120]}")
        elif method == "Log.entryAdded":
            wrong.append(f"console: {parameters['entry']['text'][:160]}")
        elif method == "Page.javascriptDialogOpening":
            wrong.append("a dialog opened")
    return wrong


def printed(browser):
    """What is cut off on paper, or shown there and of no use."""
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.call("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
    wrong = browser.evaluate("""(() => {
        const wrong = [], wide = document.documentElement.clientWidth;
        for (const e of document.querySelectorAll('main :is(p, pre, table, form, h1, h2, li, textarea)'))
            if (e.checkVisibility() && e.getBoundingClientRect().right > wide + 1) wrong.push('on paper: cut off: ' + e.outerHTML.slice(0, 80));
        for (const e of document.querySelectorAll('main pre')) if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e.querySelector('code') ?? e).whiteSpace === 'pre') wrong.push('on paper: a line is cut off: ' + e.textContent.slice(0, 60));
        for (const e of document.querySelectorAll('nav, .certus-playground button, #mdbook-sidebar, #mdbook-menu-bar')) if (e.checkVisibility() && e.getClientRects().length) wrong.push('on paper: shows ' + e.outerHTML.slice(0, 60));
        return wrong.slice(0, 5);
    })()""")
    pdf = browser.call("Page.printToPDF", printBackground=False)["data"]
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    return wrong + ([] if len(pdf) > 5000 else ["on paper: an empty page"])


def set_field(browser, field, value):
    browser.evaluate(f"""(() => {{ const e = document.getElementById({json.dumps(field)}); e.value = {json.dumps(value)};
        e.dispatchEvent(new Event('input', {{bubbles: true}})); e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")


def finish(browser, ask, seconds=180):
    """Waits for an answer; how it ended."""
    for _ in range(seconds * 5):
        done = browser.evaluate(f"document.querySelector('[data-ask={ask}]').dataset.done ?? null")
        if done:
            return done
        time.sleep(0.2)
    return None


# What is asked in the browser: the form, and its fields. The first is as the page comes.
ASKED = [
    ("account", {}),
    ("account", {"account-specs": "gaussian(sigma=10)*100", "account-question": "epsilon", "account-value": "1"}),
    ("account", {"account-specs": "randomized_response(gamma=1/4)*3", "account-question": "profile"}),
    ("account", {"account-specs": "histogram(keys=2, scale=1)\nmean_of_known(lower=-1, upper=1, records=4, scale=2)",
                 "account-question": "delta", "account-value": "0", "account-relation": "change_one"}),
    ("calibrate", {}),
    ("calibrate", {"calibrate-noise": "laplace", "calibrate-epsilon": "1/3", "calibrate-delta": "0", "calibrate-sensitivity": "2",
                   "calibrate-step": "1/8"}),
    ("certify", {}),
    ("certify", {"certify-spec": "laplace(scale=1)", "certify-mode": "flat", "certify-depth": "12"}),
    ("certify", {"certify-spec": "exponential(epsilon=1, candidates=3)", "certify-mode": "structural", "certify-depth": ""}),
]
REFUSED = [("account", {"account-specs": "laplace(scale=0)"}), ("calibrate", {"calibrate-epsilon": "-1"}), ("certify", {"certify-spec": "nothing"})]


def named(document, path):
    """The value at a dotted path. A key may have a dot itself; "expected.lower" is the key expected_lower."""
    if not path:
        return document
    if isinstance(document, list):
        first, _, rest = path.partition(".")
        return named(document[int(first)], rest)
    if path in document:
        return document[path]
    if path.startswith("expected."):
        return document[path.replace(".", "_")]
    first, _, rest = path.partition(".")
    return named(document[first], rest)


def is_rounded(shown, truth, field):
    """Whether a number is shown with its first 10 digits, rounded to the side on which its end is."""
    if not field.endswith((".lower", ".upper")) or truth is None:
        return False
    way = decimal.ROUND_FLOOR if field.endswith(".lower") else decimal.ROUND_CEILING
    return decimal.Decimal(shown) == decimal.Context(prec=10, rounding=way).create_decimal(truth)


def answers(browser, command, asked=tuple(ASKED)):
    """How the playground's answers differ from the command's: the document, and each number that is shown."""
    wrong = []
    for ask, fields in asked:
        for field, value in fields.items():
            set_field(browser, field, value)
        started = time.monotonic()
        browser.evaluate(f"document.querySelector('[data-ask={ask}] [type=submit]').click()")
        if finish(browser, ask) != "yes":
            wrong.append(f"{ask}, {fields}: no answer")
            continue
        line, text, shown = browser.evaluate(f"""(() => {{ const f = document.querySelector('[data-ask={ask}]');
            return [f.querySelector('[data-command]')?.textContent ?? '', f.querySelector('[data-document]')?.textContent ?? '',
                [...f.querySelectorAll('[data-field]')].map(e => [e.dataset.field, e.textContent])]; }})()""")
        if not text:
            wrong.append(f"{ask}, {fields}: " + browser.evaluate(f"document.querySelector('[data-ask={ask}] .answer').textContent"))
            continue
        words = shlex.split(line)
        expected = subprocess.run([command, *words[1:], "--json", "--quiet"], capture_output=True, text=True, check=False)
        if words[0] != "certus" or expected.returncode:
            wrong.append(f"{line}: {expected.stderr}")
            continue
        document, expected = json.loads(text), json.loads(expected.stdout)
        wrong += [f"{line}: {what}" for what in compare.faults(ask, document, expected)]
        for field, value in shown:
            # The attacker's rates are in the command's text, and compared by bindings/wasm/check.
            source = document if field.startswith("attacker") else expected
            try:
                truth = named(source, field)
            except (KeyError, IndexError, ValueError):
                truth = None
            if value != truth and not (ask == "certify" and is_rounded(value, truth, field)):
                wrong.append(f"{line}: shows {value!r} for {field}, which is {truth!r}")
        fields = {field for field, _ in shown}
        for field in fields:
            # One end alone reads as "exactly".
            if field.endswith(".lower") and field.removesuffix("lower") + "upper" not in fields:
                ends = [named(expected, field), named(expected, field.removesuffix("lower") + "upper")]
                wrong += [] if ends[0] == ends[1] else [f"{line}: shows {field} as exact, and it is {ends}"]
        if len(shown) < 4:
            wrong.append(f"{line}: shows {len(shown)} numbers")
        if asked is not ASKED:
            print(f"{time.monotonic() - started:6.1f} s in the browser: {line}")
    return wrong


def refusals(browser):
    wrong = []
    for ask, fields in REFUSED:
        for field, value in fields.items():
            set_field(browser, field, value)
        browser.evaluate(f"document.querySelector('[data-ask={ask}] [type=submit]').click()")
        finish(browser, ask)
        if not browser.evaluate(f"document.querySelector('[data-ask={ask}] [role=alert]')?.textContent ?? ''").strip():
            wrong.append(f"{ask}, {fields}: is not refused")
    return wrong


def cancelling(browser):
    """A long question leaves the page alive, and ends when it is cancelled; by the keyboard. The next one is answered."""
    set_field(browser, "account-specs", "dp_sgd(noise_multiplier=1, rate=1/100, clip=1048576, coordinates=1000000)*1000")
    set_field(browser, "account-question", "delta")
    set_field(browser, "account-value", "1e-6")
    set_field(browser, "account-relation", "")
    browser.evaluate("document.querySelector('[data-ask=account] [type=submit]').focus()")
    key(browser, "Enter", 13, "\r")
    time.sleep(1.5)
    wrong = []
    started = time.monotonic()
    status = browser.evaluate("document.querySelector('[data-ask=account] .status').textContent")
    if time.monotonic() - started > 1 or not status.startswith("computing"):
        wrong.append(f"a long question: the page is not alive, or does not say that it computes: {status!r}")
    browser.evaluate("document.querySelector('[data-ask=account] [data-cancel]').focus()")
    key(browser, "Enter", 13, "\r")
    if finish(browser, "account", 10) != "cancelled":
        wrong.append("a long question: is not cancelled")
    return wrong


def ready(browser, page, view):
    """Opens a page as somebody would see it."""
    _, width, height, is_phone, scheme = view
    browser.size(width, height, is_phone, scheme)
    browser.open(page.as_uri())
    browser.evaluate("new Promise(done => setTimeout(done, 250))")


def shot(browser, path, width):
    browser.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    tall = browser.evaluate("Math.min(document.documentElement.scrollHeight, 6000)")
    clip = {"x": 0, "y": 0, "width": width, "height": tall, "scale": 1}
    path.write_bytes(base64.b64decode(browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]))


def check_page(browser, book, page, view, shots=None):
    ready(browser, page, view)
    wrong = browser.evaluate(LAYOUT) + keyboard(browser)
    wrong += heard(browser, book)
    if shots:
        shot(browser, shots / f"{page.stem}-{view[0]}.png", view[1])
    return wrong


def check_playground(browser, book, command, view, shots=None):
    page = book / "playground.html"
    ready(browser, page, view)
    wrong = answers(browser, command) + refusals(browser)
    # The answers in place, as somebody sees them.
    answers_in_place = [ASKED[0], ASKED[4], ASKED[8]]
    ready(browser, page, view)
    wrong += answers(browser, command, answers_in_place)
    wrong += [f"with answers: {what}" for what in browser.evaluate(LAYOUT) + keyboard(browser)]
    if shots:
        shot(browser, shots / f"playground-answered-{view[0]}.png", view[1])
    wrong += [f"with answers: {what}" for what in printed(browser)]
    ready(browser, page, view)
    return wrong + cancelling(browser) + heard(browser, book)


def planted(browser, book, command):
    """Sites with a fault each: what is not found is what this check cannot see."""
    missed, count = [], 0
    view = VIEWS[0]

    def site(file, old, new, find):
        nonlocal count
        count += 1
        path = book / file
        text = path.read_text(encoding="utf-8")
        fault = f"{file}: {new[:70]!r}"
        if old not in text:
            missed.append(f"cannot be planted: {fault}")
            return
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        try:
            found = find()
        finally:
            path.write_text(text, encoding="utf-8")
        if not found:
            missed.append(f"planted and not found: {fault}")

    def page(name):
        return lambda: check_page(browser, book, book / name, view)

    def playground(asked):
        def find():
            ready(browser, book / "playground.html", view)
            return answers(browser, command, asked)
        return find

    def paper(name):
        def find():
            ready(browser, book / name, view)
            return printed(browser)
        return find

    def cancelled():
        ready(browser, book / "playground.html", view)
        return cancelling(browser)

    def refused():
        ready(browser, book / "playground.html", view)
        return refusals(browser)

    start = "<main>"
    site("glossary.html", start, start + '<img src="https://example.invalid/x.png" alt="x">', page("glossary.html"))
    site("glossary.html", start, start + "<script>fetch('http://127.0.0.1:9/x').catch(() => 0)</script>", page("glossary.html"))
    site("glossary.html", start, start + "<script>console.log('x')</script>", page("glossary.html"))
    site("glossary.html", start, start + '<p style="color:#aaa;background:#fff">faint</p>', page("glossary.html"))
    site("glossary.html", start, start + '<p style="color:color(srgb 0.7 0.7 0.7);background:#fff">faint</p>', page("glossary.html"))
    site("glossary.html", start, start + '<div style="width:900px">wide</div>', page("glossary.html"))
    site("glossary.html", start, start + '<a href="index.html" tabindex="-1">unreachable</a>', page("glossary.html"))
    site("glossary.html", start, start + '<button style="outline:none">no focus</button>', page("glossary.html"))
    site("glossary.html", start, start + '<span onclick="x()">a mouse only</span>', page("glossary.html"))
    site("glossary.html", start, start + "<h4>skips</h4>", page("glossary.html"))
    site("glossary.html", start, start + '<input aria-hidden="false">', page("glossary.html"))
    site("glossary.html", start, start + '<p style="width:900px">cut off</p>', paper("glossary.html"))
    site("playground.html", '<button type="submit">Calibrate', '<button type="submit" tabindex="-1">Calibrate', page("playground.html"))
    site("playground.html", '<label for="calibrate-epsilon">', "<label>", page("playground.html"))
    # Answers: another digit in the document, in what is shown of it, in the question that is asked, and in the command line.
    site("playground/page.js", "JSON.parse(reply.answer)", 'JSON.parse(reply.answer.replace(/"lower":"(.*?)\\d"/, \'"lower":"$17"\'))', playground([ASKED[0]]))
    site("playground/page.js", '"data-document": "" }, reply.answer', '"data-document": "" }, reply.answer.replace("4.9", "4.8")', playground([ASKED[0]]))
    site("playground/page.js", "[specs, question, value, relation]", "[specs, question, value + '1', relation]", playground([ASKED[0]]))
    site("playground/page.js", '"--epsilon", epsilon.trim()', '"--epsilon", epsilon.trim() + "0"', playground([ASKED[4]]))
    site("playground/page.js", "value.lower), \", \", number", "value.upper), \", \", number", playground([ASKED[6]]))
    site("playground/page.js", "isUpper && hasMore", "!isUpper && hasMore", playground([ASKED[6]]))
    site("playground/page.js", "isUpper && hasMore", "false", playground([ASKED[6]]))
    site("playground/page.js", "engine.cancel()", "0", cancelled)
    site("playground/page.js", "reply.refusal ??", "'' &&", refused)
    print(f"{count - len(missed)} of {count} planted faults found")
    return missed


def main():
    book, command, shots = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    browser_command = chromium.find()
    if browser_command is None:
        print("SKIPPED: there is no Chromium: NOTHING was checked", file=sys.stderr)
        return 4
    shots.mkdir(parents=True, exist_ok=True)
    wrong = []
    pages = [page for page in sorted(book.glob("*.html")) if page.name not in ("print.html", "404.html", "toc.html")]
    browser = chromium.Browser(browser_command)
    try:
        for view in VIEWS:
            for page in pages:
                wrong += [f"{page.name}, {view[0]}: {what}" for what in check_page(browser, book, page, view, shots)]
        for page in pages:
            ready(browser, page, VIEWS[2])
            wrong += [f"{page.name}: {what}" for what in printed(browser)]
        print(f"{len(pages)} pages in {len(VIEWS)} views: {len(wrong)} faults", flush=True)
        wrong += [f"playground: {what}" for what in check_playground(browser, book, command, VIEWS[0], shots)]
        wrong += [f"playground: {what}" for what in check_playground(browser, book, command, VIEWS[3], shots)]
        print(f"the playground against the command: {len(wrong)} faults so far", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder).resolve() / "book"
            shutil.copytree(book, copy)
            wrong += planted(browser, copy, command)
    finally:
        browser.close()
    for what in wrong[:60]:
        print(what, file=sys.stderr)
    print(f"{len(wrong)} faults; screenshots in {shots}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
