"""scikit-learn's own tests of its Perceptron, with one import changed.

Their file is read as data and run with `from rosenblatt import Perceptron` in place of its import;
it uses what is private there, we do not. Of the tests of their SGDClassifier those run here that
their Perceptron passes, too, but for what `docs/from-scikit-learn.md` lists.
"""

from pathlib import Path
from types import ModuleType

import pytest
import sklearn
from scipy import sparse

from raising import raises
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

TESTS = Path(sklearn.__file__).parent / "linear_model" / "tests"
if not TESTS.is_dir():  # a distribution may leave them out
    pytest.skip("scikit-learn is installed without its tests", allow_module_level=True)


def their(name, *swaps):
    """One of their test files, as a module."""
    source = (TESTS / name).read_text(encoding="utf-8")
    for old, new in swaps:
        assert source.count(old) == 1
        source = source.replace(old, new)
    module = ModuleType(name)
    exec(compile(source, str(TESTS / name), "exec"), vars(module))
    return module


perceptron = their(
    "test_perceptron.py",
    ("from sklearn.linear_model import Perceptron\n", "from rosenblatt import Perceptron\n"),
)
# pytest finds them here, with their own parameters.
globals().update({name: f for name, f in vars(perceptron).items() if name.startswith("test_")})


def test_perceptron_l1_ratio():
    """Penalties that make weights 0 are refused, and so is this one of their tests."""
    with raises(InputError, option="penalty", value="elasticnet"):
        perceptron.test_perceptron_l1_ratio()


def test_all_of_their_tests_are_here():
    theirs = {name for name in vars(perceptron) if name.startswith("test_")}
    assert theirs == {
        "test_perceptron_accuracy",
        "test_perceptron_correctness",
        "test_perceptron_l1_ratio",
        "test_undefined_methods",
    }
    assert theirs <= set(globals())


# --- Tests of SGDClassifier -----------------------------------------------------------------------

sgd = their("test_sgd.py")


class Sparse(Perceptron):
    """Takes dense rows and learns from sparse ones, as the class of that name does there."""

    def fit(self, X, y, *given, **more):
        return super().fit(sparse.csr_matrix(X), y, *given, **more)

    def partial_fit(self, X, y, *given, **more):
        return super().partial_fit(sparse.csr_matrix(X), y, *given, **more)

    def decision_function(self, X):
        return super().decision_function(sparse.csr_matrix(X))


def as_there(kind):
    def made(learning_rate="constant", **given):
        return kind(**{"random_state": 42, "tol": None, "max_iter": 5} | given)

    return made


sgd.SGDClassifier, sgd.SparseSGDClassifier = as_there(Perceptron), as_there(Sparse)


@pytest.mark.parametrize("kind", ["SGDClassifier", "SparseSGDClassifier"])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("test_input_format", {}),
        ("test_clone", {}),
        ("test_sgd_at_least_two_labels", {}),
        ("test_set_intercept_to_intercept", {}),
        ("test_set_coef_multiclass", {}),
        ("test_weights_multiplied", {}),
        ("test_wrong_class_weight_label", {}),
        ("test_wrong_sample_weights", {}),
        ("test_partial_fit_binary", {}),
        ("test_partial_fit_multiclass", {}),
        ("test_fit_then_partial_fit", {}),
        ("test_partial_fit_equal_fit_classif", {"lr": "constant"}),
        ("test_multiple_fit", {}),
        ("test_set_intercept_offset_binary", {"fit_params": {"intercept_init": 0}}),
    ],
)
def test_of_the_sgd_classifier(kind, name, given):
    getattr(sgd, name)(klass=getattr(sgd, kind), **given)


def test_of_the_sgd_classifier_in_single_and_double_precision():
    sgd.test_sgd_numerical_consistency(sgd.SGDClassifier)
