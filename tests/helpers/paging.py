"""Pages in a real browser: what goes wrong; what a person does and sees in the playground."""

import json

import numpy as np

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


def state(
    shown, what="m => ({n: m.data.n, x: [...m.data.x], y: [...m.data.y], step: m.time.step})"
):
    return shown.evaluate(f"playground.then({what})")


def until(shown, what):
    """Waits until something is so of the model `m`."""
    state(shown, "m => { window.m = m; }")
    shown.wait_for_function(f"() => {what}")


def place(shown, x, y):
    """Where a point of the plane is on the screen: rows 0 and 2 tell."""
    box = shown.locator(".board-svg").bounding_box()
    dots = shown.evaluate(DOTS)
    data = state(shown)["x"]
    found = []
    for at, value in ((0, x), (1, y)):
        (p, q), (u, v) = (dots[0][at], dots[2][at]), (data[at], data[4 + at])
        found.append(p + (q - p) / (v - u) * (value - u))
    return found[0] + box["x"], found[1] + box["y"]


def drag(shown, start, *ends):
    """A point is taken, moved along and let go."""
    shown.mouse.move(*start)
    shown.mouse.down()
    for end in ends:
        shown.mouse.move(*end, steps=4)
    shown.mouse.up()


def tool(shown, name):
    shown.get_by_role("button", name=name).click()


def opened_sheet(shown):
    """Where all that is not always at hand has its place."""
    if not shown.locator("dialog[open]").count():
        shown.get_by_role("button", name="Data, settings, save").click()
    return shown.locator("dialog")


def closed_sheet(shown):
    shown.locator("dialog").get_by_role("button", name="Close").click()


def example(shown, name):
    shown.locator(".thumbs").get_by_role("button", name=name).click()


def paste(shown, text):
    """Into the box as a whole: to fill in thousands of lines takes seconds. What is said of it."""
    sheet = opened_sheet(shown)
    sheet.get_by_label("Paste a table").evaluate("(box, text) => { box.value = text; }", text)
    sheet.get_by_role("button", name="Use this table").click()
    said = sheet.locator(".message").first.text_content()
    if shown.locator("dialog[open]").count():
        closed_sheet(shown)
    return said


def words(shown):
    return shown.locator(".say").inner_text()


def verdict(shown):
    return shown.locator(".ask h2 .verdict").inner_text()


def to_the_end(shown):
    state(shown, "m => m.time.goTo(Infinity)")


def touch(shown, start, end):
    """A finger moves from a place of the screen to another."""
    finger = shown.context.new_cdp_session(shown)
    for kind, at in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
        points = [{"x": x, "y": y} for x, y in at]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def weights_after(t, step):
    """Of a trace, as the page has them: class by class, each with its intercept."""
    w = t.weights_at(step)
    return np.column_stack([np.atleast_2d(w.w), np.atleast_1d(w.b)]).ravel().tolist()


def weights_of(shown, X, y, classes, **settings):
    """These rows are trained; returns the weights after every step, to the bit."""
    data = {"x": X.ravel().tolist(), "y": y.tolist(), "n": len(X), "d": X.shape[1]}
    data |= {"names": [f"x{j}" for j in range(X.shape[1])], "classes": classes}
    return state(
        shown,
        f"""m => {{
            const d = {json.dumps(data)};
            m.use({{ ...d, x: Float64Array.from(d.x), y: Int8Array.from(d.y) }},
                  {json.dumps(settings)});
            return Array.from({{ length: m.replay.steps + 1 }}, (_, t) => [...m.replay.at(t)]);
        }}""",
    )


def fingerprint_of(shown):
    found = opened_sheet(shown).locator(".fingerprint dd").inner_text()
    closed_sheet(shown)
    return found


def run_copied(shown, capsys):
    """The last line that the copied Python code prints."""
    sheet = opened_sheet(shown)
    sheet.get_by_role("button", name="Copy as Python").click()
    code = sheet.locator(".sharing textarea[readonly]").input_value()
    closed_sheet(shown)
    exec(compile(code, "copied", "exec"), {})
    return capsys.readouterr().out.splitlines()[-1]


def downloaded(shown, name, path):
    """What a button of the sheet saves."""
    sheet = opened_sheet(shown)
    with shown.expect_download() as waiting:
        sheet.get_by_role("button", name=name).click()
    waiting.value.save_as(path)
    closed_sheet(shown)
    return path


def link_of(shown):
    """What follows the address of the page in its link."""
    sheet = opened_sheet(shown)
    sheet.get_by_role("button", name="Copy link").click()
    found = "#" + sheet.locator(".sharing textarea[readonly]").input_value().split("#")[1]
    closed_sheet(shown)
    return found
