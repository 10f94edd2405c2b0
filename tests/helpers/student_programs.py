"""Programs as students write them: a style is a template, a mistake another text in its slots.

The slots are {mistake} (the condition of an update), {w} and {b} (its lines), and for what is
returned {kept} (after an update), {seen} (after a visit), {over} (after an epoch) and {result}.
"""

from collections.abc import Iterator
from typing import NamedTuple

HEAD = "import numpy as np\nimport math\n"


class Style(NamedTuple):
    """`score`, `x`, `y` are the expressions that the slots are made of."""

    name: str
    text: str
    score: str
    no_b: str  # the score without b
    x: str
    y: str
    w: str = "w"
    b: str = "b"
    vector: str = "numpy"  # or "list": how a sum is written
    notes: str = "li-hang"
    options: tuple[tuple[str, object], ...] = ()


LOOP = """
def train(X, y{args}):
    {setup}
    w, b = {start}, {start_b}
    {begin}
    {loop}
        clean = True
        for i in {rows}:
            if {mistake}:
                {w}
                {b}
                clean = False
                {kept}
            {seen}
        {over}
        {end}
    return {result}
"""

PRIMAL = [
    Style("index", LOOP, "np.dot(w, X[i]) + b", "np.dot(w, X[i])", "X[i]", "y[i]"),
    Style("matmul", LOOP, "X[i] @ w + b", "X[i] @ w", "X[i, :]", "y[i]"),
    Style("sum", LOOP, "(w * X[i]).sum() + b", "(w * X[i]).sum()", "X[i]", "y[i]"),
    Style(
        "lists",
        LOOP,
        "sum(p * q for p, q in zip(w, X[i])) + b",
        "sum(p * q for p, q in zip(w, X[i]))",
        "X[i]",
        "y[i]",
        vector="list",
    ),
    Style(
        "loops",
        LOOP,
        "math.fsum(w[j] * X[i][j] for j in range(len(w))) + b",
        "math.fsum(w[j] * X[i][j] for j in range(len(w)))",
        "X[i]",
        "y[i]",
        vector="list",
    ),
    Style(
        "columns",
        LOOP,
        "float(w @ X[:, i] + b)",
        "float(w @ X[:, i])",
        "X[:, i]",
        "y[0, i]",
        notes="mit",
    ),
    Style(
        "inner",
        LOOP,
        "float(np.inner(X[i], w)) + float(b)",
        "float(np.inner(X[i], w))",
        "X[i]",
        "int(y[i])",
        options=(("order", "cyclic"),),
    ),
    Style(
        "einsum",
        LOOP,
        "np.einsum('j,j->', w, X[i]) + b",
        "np.einsum('j,j->', w, X[i])",
        "X[i]",
        "y[i]",
    ),
    Style("generator", LOOP, "np.dot(w, X[i]) + b", "np.dot(w, X[i])", "X[i]", "y[i]"),
    Style("record", LOOP, "w.dot(X[i]) + b", "w.dot(X[i])", "X[i]", "y[i]"),
]

K = {"dual": "np.dot(X[j], X[i])", "kernel": "X[j, i]"}
PLAIN = {"dual": "sum(p * q for p, q in zip(X[j], X[i]))", "kernel": "X[j][i]"}


def dual_styles(task: str) -> list[Style]:
    k, plain = K[task], PLAIN[task]
    gram = "(X @ X.T)" if task == "dual" else "X"
    sums = {
        "loop": f"sum(w[j] * y[j] * {k} for j in range(len(y)))",
        "matrix": f"np.dot(w * y, {gram}[:, i])",
        "row": f"({gram}[i] * w * y).sum()",
        "plain": f"sum(w[j] * y[j] * {plain} for j in range(len(y)))",
        "einsum": f"np.einsum('j,j,j->', w, y, {gram}[i])",
        "matmul": f"(w * y) @ {gram}[i]",
        "fsum": f"math.fsum(w[j] * y[j] * {plain} for j in range(len(w)))",
        "inner": f"np.inner({gram}[:, i], y * w)",
        "generator": f"np.dot(w * y, {gram}[:, i])",
        "record": f"np.dot(y * w, {gram}[i])",
    }
    return [
        Style(
            name,
            LOOP,
            f"{text} + b",
            text,
            "",
            "y[i]",
            vector="list" if name in ("plain", "fsum") else "numpy",
        )
        for name, text in sums.items()
    ]


def styles(task: str) -> list[Style]:
    return dual_styles(task) if task in ("dual", "kernel") else PRIMAL


# --- The program of a style, with a mistake or without -------------------------------------------


def program(task: str, style: Style, mistake: str | None = None) -> str:
    """The text of a program.

    `mistake` is a name of rosenblatt.teach, "changes its input", or "shuffles anew", which is none.
    """
    dual = task in ("dual", "kernel")
    columns, lists = style.notes == "mit", style.vector == "list"
    n = "X.shape[1]" if columns else "len(y)"
    d = n if dual else "X.shape[0]" if columns else "len(X[0])"
    score, y, x = style.score, style.y, style.x
    rate = "eta * " if mistake in RATES else ""
    condition = f"{y} * ({score}) <= 0"
    b_line = f"b = b + {rate}{y}"
    slots = {
        "args": ", eta" if mistake in RATES else "",
        "setup": "pass",
        "start": f"[0] * {d}" if lists else f"np.zeros({d})",
        "start_b": "0",
        "begin": "pass",
        "loop": "while True:",
        "rows": f"range({n})",
        "end": "if clean: break",
        "kept": "pass",
        "seen": "pass",
        "over": "pass",
        "result": "w, b",
    }
    conditions = {
        "a score of 0 is right": f"{y} * ({score}) < 0",
        "sign(0) = +1": f"(1 if {score} >= 0 else -1) != {y}",
        "sign(0) = -1": f"(1 if {score} > 0 else -1) != {y}",
        "label forgotten in the condition": f"{score} <= 0",
        "margin 1": f"{y} * ({score}) < 1",
        "b forgotten in the score": f"{y} * ({style.no_b}) <= 0",
        "label forgotten in the sum": f"{y} * ({without_label(score)}) <= 0",
        "one look for all": f"{y} * ({before(score)}) <= 0",
    }
    predicted = {
        "0 and 1 predicted": f"(1 if {score} >= 0 else 0)",
        "0 and 1 predicted, 0 at a score of 0": f"(1 if {score} > 0 else 0)",
        "sign(0) = 0": f"np.sign({score})",
    }.get(mistake or "")
    if predicted is not None:
        conditions[mistake] = f"{predicted} != {y}"
    condition = conditions.get(mistake or "", condition)
    if mistake == "one look for all":
        slots["over"] = "old_w, old_b = " + ("list(w), b" if lists else "w.copy(), b")
        slots["begin"] = slots["over"]
    sign = {
        **dict.fromkeys([mistake] if predicted else [], f"({y} - guess)"),
        "label forgotten in the update": "1",
        "label forgotten in w and b": "1",
        "y added to α": y,
        "wrong way": f"(-{y})" if not dual else "(-1)",
        "wrong way for w": f"(-{y})" if not dual else "(-1)",
        "doubled step": f"2 * {y}" if not dual else "2",
        "doubled step for w": f"2 * {y}" if not dual else "2",
    }.get(mistake or "", "1" if dual else y)
    of_w = {"rate applied twice": "eta * eta * ", "rate ignored": ""}.get(mistake or "", rate)
    b_line = {
        **dict.fromkeys([mistake] if predicted else [], f"b = b + ({y} - guess)"),
        "label forgotten in w and b": "b = b + 1",
        "label forgotten in b": "b = b + 1",
        "wrong way": f"b = b - {y}",
        "wrong way for b": f"b = b - {y}",
        "doubled step": f"b = b + {rate}2 * {y}",
        "doubled step for b": f"b = b + 2 * {y}",
        "b never changes": "pass",
        "b scaled by R²": f"b = b + {y} * {radius(task, columns)}",
        "rate applied twice": f"b = b + eta * eta * {y}",
        "rate ignored": f"b = b + {y}",
        "rate forgotten in b": f"b = b + {y}",
    }.get(mistake or "", b_line)
    if dual:
        w_line = f"w[i] = w[i] + {of_w}{sign}"
    elif lists:
        w_line = f"w = [p + {of_w}({sign}) * q for p, q in zip(w, {x})]"
    else:
        w_line = f"w = w + {of_w}({sign}) * {x}"
    if predicted is not None:
        w_line = f"guess = {predicted}; {w_line}"
    slots |= {"mistake": condition, "w": w_line, "b": b_line}
    copied = "list(w)" if lists else "np.array(w)"
    if mistake == "starts again after an update":
        slots["kept"] = "break"
    elif mistake == "first row left out":
        slots["rows"] = f"range(1, {n})"
    elif mistake == "last row left out":
        slots["rows"] = f"range({n} - 1)"
    elif mistake == "starts from ones":
        slots["start"] = slots["start"].replace("[0] *", "[1] *").replace("zeros", "ones")
        slots["start_b"] = "1"
    elif mistake == "ends at the first right row":
        slots["begin"] = "hit = False"
        slots["kept"] = "hit = True"
        slots["seen"] = f"if not hit: return {slots['result']}\nhit = False"
    elif mistake in ("shuffles once", "shuffles anew"):
        slots["begin"] = f"rng = np.random.default_rng(0); order = rng.permutation({n})"
        slots["rows"] = "order" if mistake == "shuffles once" else f"rng.permutation({n})"
    elif mistake == "one epoch":
        slots["loop"] = "for _ in range(1):"
    elif mistake == "ends after 50 epochs":
        slots["loop"] = "for _ in range(50):"
    elif mistake == "never ends":
        slots["end"] = "pass"
    elif mistake == "weights from before the last update":
        slots["begin"] = f"old = {copied}, b"
        slots["w"] = f"old = {copied}, b; {w_line}"
        slots["result"] = "old"
    elif mistake == "changes its input":
        slots["setup"] = "X *= 2; X /= 4; X *= 2; X += 1; X[0] += 1; X[0] -= 2; X -= 1"
    if task == "averaged":
        _averaged(slots, mistake, n, lists, copied)
    if task == "pocket":
        _pocket(slots, mistake, n, style, copied)
    return HEAD + told(style, slots)


RATES = ("rate applied twice", "rate ignored", "rate forgotten in b", "doubled step")


def _averaged(slots: dict[str, str], mistake: str | None, n: str, lists: bool, copied: str) -> None:
    slots["args"] += ", epochs"
    slots["loop"], slots["end"] = "for epoch in range(epochs):", "pass"
    if mistake == "may end when an epoch is clean":  # it is none
        slots["end"] = "if clean: break"
    if mistake == "one epoch":
        slots["loop"] = "for epoch in range(1):"
    begin = "sw, sb, k = 0 * np.array(w, dtype=float), 0.0, 0"
    add = "sw, sb, k = sw + np.array(w), sb + b, k + 1"
    result = "sw / max(k, 1), sb / max(k, 1)"
    slots["begin"] = f"{begin}; {slots['begin']}"
    where = {"average over updates": "kept", "average over epochs": "over"}.get(
        mistake or "", "seen"
    )
    if mistake == "average of the last epoch":
        slots["seen"] = f"if i == 0: {begin}"
        slots["seen"] += f"\n{add}"
    elif mistake == "average includes the start":
        slots["before"] = add
    elif mistake == "ends at the first right row":
        slots["seen"] = f"{add}\nif not hit: return {result}\nhit = False"
    else:
        slots[where] = add if slots[where] == "pass" else f"{add}\n{slots[where]}"
    result = {
        "last weights, no average": "w, b",
        "sum, not divided": "sw, sb",
        "sum divided by the rows": f"sw / {n}, sb / {n}",
        "sum divided by the updates": "sw / max(u, 1), sb / max(u, 1)",
        "b not averaged": "sw / k, b",
        "average counts the start": "sw / (k + 1), sb / (k + 1)",
    }.get(mistake or "", result)
    if mistake == "sum divided by the updates":
        slots["begin"] += "; u = 0"
        slots["kept"] = "u = u + 1"
    slots["result"] = result


def _pocket(slots: dict[str, str], mistake: str | None, n: str, style: Style, copied: str) -> None:
    slots["args"] += ", max_updates"
    if mistake == "pocket is not a copy":
        copied = "w"
        slots["w"] = slots["w"].replace("w = [", "w[:] = [").replace("w = w +", "w +=")
    errors = "errors = lambda: sum(" + slots["mistake"] + f" for i in range({n}))"
    if mistake == "one look for all":
        errors = f"errors = lambda: sum({style.y} * ({style.score}) <= 0 for i in range({n}))"
    begin = f"pocket, fewest, u = ({copied}, b), {n}, 0"
    lines = [errors, "e = errors()", f"if e < fewest: pocket, fewest = ({copied}, b), e"]
    if mistake == "pocket replaced by equals":
        lines[2] = lines[2].replace("<", "<=")
    elif mistake == "pocket compared with the last":
        lines[2] = f"if e < fewest: pocket = ({copied}, b)\nfewest = e"
    elif mistake in ("pocket is the last", "pocket once an epoch"):
        lines = lines if mistake == "pocket once an epoch" else ["pocket = (w, b)"]
    slots["seen"] = slots["seen"].replace("return w, b", "return pocket")
    count = ["u = u + 1", "if u >= max_updates: return pocket"]
    text = "\n".join(lines)
    slots["begin"] = f"{begin}; {slots['begin']}\n{errors}\nfewest = errors()"
    if mistake == "pocket once an epoch":
        slots["over"] = f"{text}\n{slots['over']}"
        slots["kept"] = "\n".join([count[0], "if u >= max_updates: return pocket"])
    else:
        rest = "" if slots["kept"] == "pass" else "\n" + slots["kept"]
        slots["kept"] = "\n".join([text, *count]) + rest
    slots["result"] = "pocket"


def told(style: Style, slots: dict[str, str]) -> str:
    """The text of the loop; the styles "generator" and "record" tell every update."""
    text = style.text
    if style.name == "generator" and slots["result"] == "w, b":
        slots["kept"] = "yield i, w, b" + ("" if slots["kept"] == "pass" else "\n" + slots["kept"])
        text = text.replace("    return {result}\n", "")
    elif style.name == "record":
        slots["args"] += ", record"
        slots["kept"] = "record(i, w, b)" + (
            "" if slots["kept"] == "pass" else "\n" + slots["kept"]
        )
    if "before" in slots:
        text = text.replace(
            "            if {mistake}:", "            {before}\n            if {mistake}:"
        )
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        made = line.format(**slots) if "{" in line else line
        lines += [indent + part if k else part for k, part in enumerate(made.split("\n"))]
    return "\n".join(lines)


def without_label(score: str) -> str:
    for text in ("w[j] * y[j]", "w * y", "y * w"):
        score = score.replace(text, "w[j]" if "[j]" in text else "w")
    return score.replace("'j,j,j->', w, y", "'j,j->', w").replace("w, y, ", "w, ")


def before(score: str) -> str:
    """The score under the weights from before the epoch."""
    import re

    score = re.sub(r"\bw\b", "old_w", score)
    return re.sub(r"\bb\b", "old_b", score)


def radius(task: str, columns: bool) -> str:
    """R²; the kernel perceptron knows no rows: none of these programs has it."""
    return f"max((X * X).sum(axis={0 if columns else 1}))"


def planted(task: str, mistakes: list[str]) -> Iterator[tuple[str, Style, str]]:
    for mistake in mistakes:
        for style in styles(task):
            yield mistake, style, program(task, style, mistake)
