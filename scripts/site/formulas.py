"""Formulas of the pages on theory, which are plain text in the repository, typeset as MathML."""

import re

PAGES = {"docs/theory.md", "docs/lecture-notes.md"}

# Fences, headings, code, targets of links, HTML and addresses stay as they are.
_KEPT = re.compile(
    r"^```.*?^```[^\n]*$|^#[^\n]*$|^<!--.*?-->$|`[^`\n]*`|\]\([^)]*\)|<[^>\n]*>|https?:\S+",
    re.MULTILINE | re.DOTALL,
)
_ACCENT = "[\u0302\u0303]"
_LETTER = rf"(?:[B-HJ-Zb-zα-ωΓΔΣβγ]{_ACCENT}?|[ŵŷ]|x̃)"
_INDEX = r"_(?:[a-z0-9]|\{\w+\})|[₀-₉ₐ-ₜ]+"
_PRODUCT = r"[kKκηα](?=[γRβwŵ])|n(?=d\b)"  # of two letters without a sign between them
_VARIABLE = rf"(?<![\w’'])(?:{_PRODUCT})?{_LETTER}(?:{_INDEX})?(?:\*|'(?!\w))?[²³]?(?![\w’-])"
_OPERATOR = rf"<=|>=|[=<>≤≥+−·/√‖±][²³]?|(?<= )-(?= )|(?<=[ (])-(?={_LETTER})"
_TOKEN = re.compile(rf"({_VARIABLE})|({_OPERATOR})|(\d+(?:\.\d+)?[²³]?)|([(),⟨⟩⌊⌋][²³]?)|( +)")
_SIGNS = {"<=": "≤", ">=": "≥", "-": "−", "<": "&lt;", ">": "&gt;"}
_POWERS = {"²": "2", "³": "3"}
_SUB = str.maketrans("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₙₜ", "0123456789ijknt")


def typeset(text: str) -> str:
    """The text with its formulas as MathML; code and links stay as they are."""
    out, at = [], 0
    for kept in _KEPT.finditer(text):
        out += [_prose(text[at : kept.start()]), kept[0]]
        at = kept.end()
    return "".join([*out, _prose(text[at:])])


def _prose(text: str) -> str:
    """Runs of tokens that hold a variable become formulas."""
    out, at = [], 0
    while at < len(text):
        run = _run(text, at)
        if run:
            out.append(_mathml(run))
            at = run[-1].end()
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _run(text: str, at: int) -> list[re.Match[str]]:
    """The tokens of a formula that begins here; none where there is none."""
    tokens: list[re.Match[str]] = []
    depth = 0
    while token := _TOKEN.match(text, at):
        if token[4] and token[4][0] in "),⟩⌋" and not depth:
            break
        depth += _opens(token)
        tokens.append(token)
        at = token.end()
    while tokens and (depth or tokens[-1][5] or tokens[-1][2] in ("-", "/", "+", "=", "<", ">")):
        depth -= _opens(tokens.pop())
    if not tokens or tokens[0][5] or not any(t[1] for t in tokens):
        return []
    # Two letters side by side are a product only where signs stand around them.
    if any(t[2] for t in tokens) or len(tokens) == 1:
        return tokens
    return tokens[:1] if tokens[0][1] else []


def _opens(token: re.Match[str]) -> int:
    sign = (token[4] or " ")[0]
    return (sign in "(⟨⌊") - (sign in ")⟩⌋")


def _mathml(tokens: list[re.Match[str]]) -> str:
    return f"<math>{''.join(_part(token) for token in tokens if not token[5])}</math>"


def _part(token: re.Match[str]) -> str:
    found = re.fullmatch(r"(.*?)([²³]?)", token[0])
    assert found is not None
    plain, power = found[1], _POWERS.get(found[2])
    if token[1]:
        made = _variable(plain)
    elif token[3]:
        made = f"<mn>{plain}</mn>"
    else:
        made = f"<mo>{_SIGNS.get(plain, plain)}</mo>"
    return f"<msup>{made}<mn>{power}</mn></msup>" if power else made


def _variable(text: str) -> str:
    found = re.fullmatch(rf"(.*?)({_LETTER})({_INDEX})?([*']?)", text)
    assert found is not None
    before, letter, index, star = found.groups()
    made = f"<mi>{letter}</mi>"
    if index:
        sub = index.lstrip("_").strip("{}").translate(_SUB)
        kind = "mn" if sub.isdigit() else "mi"
        made = f"<msub>{made}<{kind}>{sub}</{kind}></msub>"
    if star:
        made = f"<msup>{made}<mo>{'∗' if star == '*' else '′'}</mo></msup>"
    return f"<mi>{before}</mi>{made}" if before else made
