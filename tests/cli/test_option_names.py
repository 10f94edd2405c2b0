"""Who typed a command reads options; who called a function reads parameters."""

import ast
import json

import click
import pytest

from commands import CREDIT, write
from raising import check_sentence
from rosenblatt._out_of_core import store
from rosenblatt._training import linear_rule
from rosenblatt._util.budget import Budget, TooLong
from rosenblatt._util.spelling import either, in_shell, option
from rosenblatt.cli import COMMANDS, group
from sentences import FILES


@pytest.mark.parametrize(
    ("name", "values", "in_python", "typed"),
    [
        ("header", (False,), "header=False", "--no-header"),
        ("header", (True,), "header=True", "--header"),
        ("max_points", (0,), "max_points=0", "--max-points 0"),
        ("impute", ("mean",), "impute='mean'", "--impute mean"),
        ("na_values", ("?",), "na_values='?'", "--na-values '?'"),
        ("ignore", ("a b", "c"), "ignore=['a b', 'c']", "--ignore 'a b' --ignore c"),
        ("ignore", (["a", "b"],), "ignore=['a', 'b']", "--ignore a --ignore b"),
        ("costs", ({"yes:no": 5},), "costs={'yes:no': 5}", "--cost yes:no=5"),
        ("costs", (), "costs", "--cost"),
        ("checkpoint", (...,), "checkpoint=FOLDER", "--checkpoint FOLDER"),
        ("checkpoint_every", (), "checkpoint_every", "--checkpoint-every"),
        ("target", ("it's",), 'target="it\'s"', "--target 'it'\"'\"'s'"),
        ("positive", ("-1",), "positive='-1'", "--positive=-1"),
        ("fit_intercept", (False,), "fit_intercept=False", "--no-intercept"),
        ("C", (0,), "C=0", "-C 0"),
    ],
)  # fmt: skip
def test_an_option_is_spelled_for_its_reader(name, values, in_python, typed):
    assert option(name, *values) == in_python
    with in_shell():
        assert option(name, *values) == typed
        assert either("a function", "a command") == "a command"
    assert either("a function", "a command") == "a function"


def test_an_option_of_another_command_is_named_with_it(shell):
    """`rosenblatt predict` fills nothing in; `rosenblatt fit` learns how."""
    write("t.csv", "a,y\n" + "1,n\n2,y\n" * 20)
    write("new.csv", "a,b\n1,x\n,y\n")
    shell("fit", "t.csv", "-y", "y")
    asked = ("predict", "t-rosenblatt/model.json", "new.csv", "--on-missing", "error")
    assert "train with rosenblatt fit --impute mean." in shell(*asked)[2]
    assert "use --impute mean," in " ".join(shell("inspect", "new.csv")[1].split())


def options_of_commands():
    context = click.Context(group)
    for name in COMMANDS:
        for parameter in group.get_command(context, name).params:
            yield from (*parameter.opts, *parameter.secondary_opts)


def named():
    """The options that sentences name: `option("header", False)`."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "option":
                arguments = [a.value for a in node.args if isinstance(a, ast.Constant)]
                if arguments and len(node.args) == len(arguments):
                    yield arguments


def test_every_option_that_a_sentence_names_is_one_of_a_command():
    known = set(options_of_commands())
    assert {"--no-header", "-C"} <= known
    sentences = list(named())
    assert len(sentences) > 50
    with in_shell():
        typed = {option(*arguments).split()[0] for arguments in sentences}
    assert typed - known == set()


def test_the_spelling_ends_with_the_command(shell):
    assert "--target COLUMN" in shell("fit", CREDIT)[2]
    assert option("header", False) == "header=False"


def test_errors_and_problems_name_options(shell):
    err = shell("fit", CREDIT, "--target", "crad")[2]
    assert err.startswith("Error: --target crad is not a column of ")
    err = shell("fit", write("t.csv", "a,b,y\n1,x,no\n2,,yes\n"), "-y", "y")[2]
    check_sentence(err.strip())
    check_sentence(err.strip())
    out = shell("inspect", "t.csv", "-y", "y")[1]
    assert "or use --impute median, which" in " ".join(out.split())


def test_warnings_of_training_speak_of_options(shell):
    path = write("t.csv", "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    err = shell("trace", path, "-y", "y", "--max-iter", "3")[2]
    check_sentence(err.strip())
    check_sentence(err.strip())
    check_sentence(err.strip())
    check_sentence(err.strip())


def test_errors_of_training_speak_of_options(shell, monkeypatch):
    path = write("t.csv", "a,b,y\n5,4,n\n1e10,7,y\n-3,1,n\n")
    err = shell("trace", path, "-y", "y", "--eta0", "1e308")[2]
    assert err.startswith("Error: The weights times --eta0 1e+308 are beyond")
    assert "Use a smaller --eta0: " in err
    monkeypatch.setattr(linear_rule, "MOST_BYTES", 10)
    err = shell("trace", path, "-y", "y", "--keep", "vote")[2]
    check_sentence(err.strip())
    check_sentence(err.strip())


def test_numbers_that_cannot_be_scaled_need_no_option(shell):
    path = write("t.csv", "a,y\n1e308,n\n-1e308,y\n1e308,n\n-1e308,y\n")
    err = shell("trace", path, "-y", "y", "--scale")[2]
    check_sentence(err.strip())


def test_limits_and_folders_speak_of_options():
    def given_up():
        budget = Budget()
        budget.bound(1)
        with pytest.raises(TooLong) as error:
            budget.spend_on_long(1 << 60, 1 << 20)
        return str(error.value)

    assert given_up().endswith("time_limit, in seconds, allows more, as does work_limit")
    assert store.advice().startswith("Another folder: cache=FOLDER, or ")
    with in_shell():
        assert given_up().endswith("some seconds: --time-limit, in seconds, allows more")
        assert store.advice().startswith("Another folder: --cache FOLDER, or ")


def test_trace_counts_the_rows_of_a_file_from_one(shell):
    path = write("t.csv", "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    out = shell("trace", path, "-y", "y", "--max-iter", "3", "--check", "-q")[1]
    assert "w(a)  w(b)   b" in out
    assert "contradict each other: 1, 2, 3, 4 (rows are counted from 1" in " ".join(out.split())


def test_train_is_called_fit_here(shell):
    code, _, err = shell("train", "t.csv")
    assert code == 2
    check_sentence(err.strip())


# --- In the environment ---------------------------------------------------------------------------


def all_options():
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        for each in command.params:
            if isinstance(each, click.Option):
                yield pytest.param(name, command, each, id=f"{name} {each.opts[-1]}")


def value_of(each):
    """One that it takes, and what it is then."""
    if each.is_flag:
        return "1", True
    if isinstance(each.type, click.Choice):
        return each.type.choices[-1], each.type.choices[-1]
    whole = isinstance(each.type, (click.IntRange, type(click.INT)))
    value = 3 if whole else 3.0 if each.type is click.FLOAT else "3"
    return str(value), (value,) if each.multiple else value


@pytest.mark.parametrize(("name", "command", "each"), [*all_options()])
def test_every_option_can_be_set_in_the_environment(name, command, each, monkeypatch):
    """By its own name, whatever the parameter of the function is called."""
    flag = next((flag for flag in each.opts if flag.startswith("--")), "--C")
    text, value = value_of(each)
    monkeypatch.setenv(f"ROSENBLATT_{name}_{flag[2:]}".replace("-", "_").upper(), text)
    context = command.make_context(name, [], resilient_parsing=True)
    assert context.get_parameter_source(each.name).name == "ENVIRONMENT"
    assert context.params[each.name] == value


def test_the_environment_does_what_the_option_does(shell, monkeypatch):
    def ended(*arguments):
        return json.loads(shell("fit", CREDIT, "-y", "card", "--json", "--force", *arguments)[1])

    chosen = ended("--seed", "1")["error"]
    assert ended()["error"] != chosen
    monkeypatch.setenv("ROSENBLATT_FIT_SEED", "1")
    assert ended()["error"] == chosen
    monkeypatch.setenv("ROSENBLATT_INSPECT_JSON", "1")
    assert json.loads(shell("inspect", CREDIT)[1])["command"] == "inspect"
