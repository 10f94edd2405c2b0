"""The playground in a real browser: what a person does and sees."""

DOTS = """() => [...document.querySelectorAll(".point")].map((g) => {
    const { e, f } = g.transform.baseVal[0].matrix;
    return [e, f];
})"""


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


def violations(shown, **options):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(shown, options=options)
    return found.violations_count and found.generate_report()
