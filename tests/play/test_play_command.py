"""rosenblatt play: one page, written or served."""

import json
import re
import threading
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer

import numpy as np
import pytest

from raising import raises
from rosenblatt.errors import InputError
from rosenblatt.play import page
from rosenblatt.play.bundle import bundled, minified
from rosenblatt.play.html_page import open_page, server


def table_in(text):
    """What the page was given."""
    part = text.split('id="play-table">')[1].split("</script>")[0]
    return json.loads(part)


def test_a_page_is_written_and_its_place_is_said(shell, tmp_path):
    code, out, err = shell("play", "-o", "p.html", "--no-open")
    assert (code, out, err) == (0, "", "The playground is in p.html.\n")
    assert table_in((tmp_path / "p.html").read_text()) is None
    code, _, err = shell("play", "-o", "p.html", "--no-open")
    assert code == 2
    assert "p.html exists already" in err


def test_a_table_is_on_the_board(shell, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,<y>\n1,2.5,no\n3,4,yes\n0.1,5,no\n")
    code, out, _ = shell("play", "t.csv", "--target", "<y>", "-o", "t.html", "--no-open", "--json")
    assert code == 0
    assert json.loads(out)["page"] == "t.html"
    assert table_in((tmp_path / "t.html").read_text()) == {
        "x": [1, 2.5, 3, 4, 0.1, 5],
        "y": [-1, 1, -1],
        "names": ["a", "b"],
        "classes": ["no", "yes"],
    }


def test_without_a_name_it_is_written_beside_nothing(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    written = open_page("<p>", None, show=True)
    assert written.read_text() == "<p>"
    assert opened == [written.as_uri()]


def test_it_is_served_to_this_machine_alone():
    with server("<p>é", 0) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{serving.server_port}"
        assert serving.server_address[0] == "127.0.0.1"
        with urllib.request.urlopen(here) as answer:
            assert answer.read().decode() == "<p>é"
        strange = urllib.request.Request(here, headers={"Host": "elsewhere.example"})
        for asked in (f"{here}/other", strange):
            with raises(urllib.error.HTTPError) as found:
                urllib.request.urlopen(asked)
            found.value.close()
        with raises(InputError):
            server("", serving.server_port)
        serving.shutdown()


def test_ctrl_c_ends_serving_and_is_no_failure(shell, monkeypatch):
    def pressed(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", pressed)
    code, _, err = shell("play", "--serve")
    assert code == 0
    assert re.fullmatch(r"The playground is at http://127.0.0.1:\d+/ \(Ctrl-C ends it\).\n", err)


def test_one_or_the_other(shell):
    code, _, err = shell("play", "--serve", "-o", "p.html")
    assert code == 2
    assert "Give -o to write the page or --serve to serve it, not both." in err


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((2001, 2)), [0, 1] + [0] * 1999),
        (np.zeros((3, 1)), [0, 1, 0]),
        (np.zeros((4, 2)), [0, 1, 2, 3]),
        (np.zeros((2, 2)), [0, 0]),
        ([[np.nan, 1], [2, 3]], [0, 1]),
        ([[1, 2], [2, 3]], [0, 1, 1]),
    ],
)
def test_what_cannot_be_shown_is_refused(X, y):
    with raises((InputError, ValueError)):
        page(X, y)


def test_names_are_text_in_the_page():
    import pandas as pd

    made = page(pd.DataFrame({"</script><b>": [1, 2], "v": [3, 4]}), ["<i>", "j"])
    assert "</script><b>" not in made
    assert table_in(made)["names"] == ["</script><b>", "v"]
    assert table_in(made)["classes"] == ["<i>", "j"]


def test_modules_are_joined_each_in_its_scope():
    texts = {
        "main": 'import { one as uno, two } from "./a.js";\nexport const sum = uno + two;\n',
        "a": '// a note\nimport { two } from "./b.js";\nconst x = 5;\nexport const one = x;\n',
        "b": "/** A note\n * of lines. */\nexport const two = 2;\n",
    }
    with pytest.raises(KeyError):
        bundled("main", {"main": texts["main"]}.__getitem__)
    text = bundled("main", texts.__getitem__)
    assert "note" not in text
    assert text.index("$b=") < text.index("$a=") < text.index("$main=")
    assert "const{one:uno,two}=$a;" in text
    with raises(ValueError):
        bundled("main", {"main": 'import everything from "./a.js";\n'}.__getitem__)


def test_what_means_something_is_not_squeezed_out():
    """Strings, templates with code in them, patterns, and operators that would become others."""
    text = """
    // a note
    const a = "x  //  y", b = 'it''s';  /* two
    lines */
    const c = `one  ${ a ? ` two  ${ b }` : "  " }  three`;
    const d = c.replace(/[ /]  "/g, "") / 2, e = a + +b - -c;
    let f = 1
    f = 2
    return f / 2 / 3;
    """
    assert minified(text) == (
        """const a="x  //  y",b='it''s';const c=`one  ${a?` two  ${b}`:"  "}  three`;"""
        """const d=c.replace(/[ /]  "/g,"")/2,e=a+ +b- -c;let f=1\nf=2\nreturn f/2/3;"""
    )
