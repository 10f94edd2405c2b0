"""Pages in a real browser: what goes wrong; what a person does and sees in the playground."""

import json

DOTS = """() => [...document.querySelectorAll(".point")].map((g) => {
    const { e, f } = g.transform.baseVal[0].matrix;
    return [e, f];
})"""


def watch(page, troubles, own=lambda url: False):
    """Whatever goes wrong on a page is noted, and whatever it asks for that is not its own."""
    page.on("request", lambda r: own(r.url) or troubles.append(r.url))
    page.on("console", lambda m: troubles.append(m.text))
    page.on("pageerror", lambda e: troubles.append(str(e)))
    page.on("dialog", lambda d: (troubles.append(d.message), d.dismiss()))


def open_file(browser, path, troubles, **settings):
    """A page of its own from the disk; whatever goes wrong there is noted."""
    page = browser.new_page(**settings)
    watch(page, troubles, own=lambda url: url == path.as_uri())
    page.goto(path.as_uri())
    return page


def violations(page, **options):
    """What someone cannot read or use."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options=options)
    return found.violations_count and found.generate_report()


# --- The playground -------------------------------------------------------------------------------


def state(shown, what="m => ({n: m.data.n, x: [...m.data.x], y: [...m.data.y], step: m.step})"):
    return shown.evaluate(f"playground.then({what})")


def place(shown, x, y):
    """Where a point of the plane is on the screen: rows 0 and 2 tell."""
    box = shown.locator(".board-svg").bounding_box()
    dots = shown.evaluate(DOTS)
    data = state(shown)["x"]
    found = []
    for at, value in ((0, x), (1, y)):
        (p, q), (u, v) = (dots[0][at], dots[2][at]), (data[at], data[4 + at])
        found.append((p + (q - p) / (v - u) * (value - u)) * box["width"] / 600)
    return found[0] + box["x"], found[1] + box["y"]


def tool(shown, name):
    shown.get_by_role("radio", name=name).check()


def paste(shown, text):
    """Into the box, as a whole: to fill in thousands of lines takes seconds."""
    shown.get_by_label("Paste a table").evaluate("(box, text) => { box.value = text; }", text)
    shown.get_by_role("button", name="Use this table").click()


def words(shown):
    return shown.locator(".says").inner_text()


def touch(shown, start, end):
    """A finger moves from a place of the screen to another."""
    finger = shown.context.new_cdp_session(shown)
    for kind, at in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
        points = [{"x": x, "y": y} for x, y in at]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def said_of(shown, X, y, classes, **settings):
    """These rows are trained; returns what is said of each step."""
    data = {"x": X.ravel().tolist(), "y": y.tolist(), "n": len(X), "d": 2}
    data |= {"names": ["a", "b"], "classes": classes}
    return state(
        shown,
        f"""m => {{
            const d = {json.dumps(data)};
            m.use({{ ...d, x: Float64Array.from(d.x), y: Int8Array.from(d.y) }},
                  {json.dumps(settings)});
            const said = [];
            for (let t = 0; t <= m.replay.steps; ++t) {{
                m.goTo(t);
                said.push(document.querySelector(".says").textContent);
            }}
            return said;
        }}""",
    )


def fingerprint_of(shown):
    return shown.locator(".fingerprint dd").inner_text()


def run_copied(shown, capsys):
    """The last line that the copied Python code prints."""
    shown.get_by_role("button", name="Copy as Python").click()
    code = shown.locator(".sharing textarea[readonly]").input_value()
    exec(compile(code, "copied", "exec"), {})
    return capsys.readouterr().out.splitlines()[-1]


def saved(shown, path):
    """The page is saved by its button; returns the path."""
    with shown.expect_download() as waiting:
        shown.get_by_role("button", name="Save page").click()
    waiting.value.save_as(path)
    return path


def link_of(shown):
    """What follows the address of the page in its link."""
    shown.get_by_role("button", name="Copy link").click()
    return "#" + shown.locator(".sharing textarea[readonly]").input_value().split("#")[1]
