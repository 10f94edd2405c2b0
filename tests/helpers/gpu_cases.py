"""Random trainings for the GPU, and the GPU itself where there is one."""

import numpy as np
import pytest

from rosenblatt._core.gpu.driver import cupy
from rosenblatt.errors import DeviceError, MissingExtraError


def gpu_or_skip():
    """CuPy; where there is no GPU the tests that need one are left out, and say why."""
    try:
        return cupy()
    except (DeviceError, MissingExtraError) as error:
        pytest.skip(f"needs an NVIDIA GPU and CuPy: {error}", allow_module_level=True)


def table(rng, n, d, k=2):
    """Rows and labels of k classes: separable, noisy, or full of ties."""
    X = rng.standard_normal((n, d))
    kind = rng.integers(4)
    if kind == 0:
        X = np.round(2 * X)  # rows on the hyperplane, equal rows
    if kind == 1:
        X *= 10.0 ** rng.integers(-30, 30)
    X = X.astype(rng.choice(["f4", "f8"]))
    scores = X.astype("f8") @ rng.standard_normal((d, k))
    y = scores.argmax(axis=1)
    noise = rng.choice([0, 0, 0.01, 0.1, 0.5])
    y = np.where(rng.random(n) < noise, rng.integers(0, k, n), y)
    y[:k] = np.arange(k)
    return np.ascontiguousarray(X), y
