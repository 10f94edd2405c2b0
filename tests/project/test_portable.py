"""The headers without Python, as on a processor that there is no wheel for: the same bits."""

import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def portable():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        import portable

        yield portable


@pytest.fixture(scope="module")
def here(portable, tmp_path_factory):
    """The command of a driver for this machine."""
    return portable.driver("native", tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="module")
def task_and_answer(portable):
    with warnings.catch_warnings(action="ignore"):  # a few epochs do not end it
        return portable.training_hash.task(), portable.training_hash.answer()


def test_the_driver_gives_the_bits_of_the_estimator(portable, here, task_and_answer):
    task, answer = task_and_answer
    assert portable.trained(here, task) == answer


def test_another_seed_gives_other_bits(portable, here, task_and_answer, monkeypatch):
    task, answer = task_and_answer
    changed = task[:24] + bytes([task[24] ^ 1]) + task[25:]
    monkeypatch.setattr(portable.training_hash, "task", lambda: changed)
    monkeypatch.setattr(portable.training_hash, "answer", lambda: answer)
    monkeypatch.setattr(portable, "driver", lambda processor, folder: here)
    with pytest.raises(SystemExit, match="native: other bits than here"):
        portable.main(["native"])


def test_too_short_an_input_is_an_error(portable, here):
    with pytest.raises(SystemExit, match="the input ends too early"):
        portable.trained(here, b"12345678" * 2)


@pytest.mark.parametrize("processor", ["aarch64", "riscv64"])
def test_so_does_another_processor(portable, processor, task_and_answer, heavy, tmp_path):
    if heavy(20) == 1:
        pytest.skip("a compiler and an emulator: make soak")
    task, answer = task_and_answer
    command = portable.driver(processor, tmp_path)
    assert command[0] == f"qemu-{processor}"
    assert portable.trained(command, task) == answer
