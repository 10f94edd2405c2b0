"""Where there is no GPU: nothing of it is imported, and what is asked for is refused in words."""

import subprocess
import sys
import types

import numpy as np
import pytest

import rosenblatt
from rosenblatt._core.device import is_on_gpu, to_host
from rosenblatt._core.gpu import driver
from rosenblatt.errors import DeviceError, DeviceMemoryError, InputError, MissingExtraError


@pytest.fixture(autouse=True)
def fresh():
    """What was found once is not believed from one test to the next."""
    driver.cupy.cache_clear()
    yield
    driver.cupy.cache_clear()


class _Error(Exception):
    pass


class _FullError(_Error):
    pass


def pretended(monkeypatch, count):
    """A CuPy whose driver says so much of GPUs; an error, if it is one."""

    def device_count():
        if isinstance(count, Exception):
            raise count
        return count

    runtime = types.SimpleNamespace(
        getDeviceCount=device_count, CUDARuntimeError=_Error, memGetInfo=lambda: (2 * 10**9, 10**10)
    )
    cuda = types.SimpleNamespace(
        runtime=runtime,
        memory=types.SimpleNamespace(OutOfMemoryError=_FullError),
        compiler=types.SimpleNamespace(CompileException=ZeroDivisionError),
        driver=types.SimpleNamespace(CUDADriverError=KeyError),
    )
    library = types.ModuleType("cupy")
    library.__version__, library.cuda = "13.0", cuda
    monkeypatch.setitem(sys.modules, "cupy", library)


def test_training_imports_no_cupy():
    code = (
        "import sys, rosenblatt, numpy as np\n"
        "p = rosenblatt.Perceptron().fit(np.eye(2), [0, 1])\n"
        "p.predict(np.eye(2))\n"
        "assert 'cupy' not in sys.modules\n"
        "assert not [m for m in sys.modules if m.startswith('rosenblatt._core.gpu')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_cupy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[gpu\]"'):
        rosenblatt.config_context(device="cuda")


def test_without_a_driver_nvidia_smi_is_named(monkeypatch):
    pretended(monkeypatch, _Error("cudaErrorInsufficientDriver: driver too old\nmore"))
    with pytest.raises(DeviceError, match=r"finds no usable GPU \(cudaErrorInsufficientDriver: dr"):
        rosenblatt.config_context(device="cuda")


def test_a_machine_without_a_gpu(monkeypatch):
    pretended(monkeypatch, 0)
    with pytest.raises(DeviceError, match="this machine has no GPU"):
        rosenblatt.config_context(device="cuda")


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (
            _FullError("Out of memory."),
            DeviceMemoryError,
            "2.0 of 10.0 GB are free",
        ),
        (ZeroDivisionError("nvrtc: no such file"), DeviceError, "does not fit this machine's CUDA"),
        (_Error("cudaErrorIllegalAddress"), DeviceError, "cudaErrorIllegalAddress"),
        (KeyError("CUDA_ERROR_NO_BINARY_FOR_GPU"), DeviceError, "cupy-cuda12x or cupy-cuda13x"),
    ],
)
def test_errors_of_the_gpu_become_words(monkeypatch, raised, kind, said):
    pretended(monkeypatch, 1)
    with pytest.raises(kind, match=said), driver.errors_in_words():
        raise raised


def test_other_devices_are_not_known():
    with pytest.raises(InputError, match=r"device='tpu' is not known\. Allowed: 'cpu', 'cuda'"):
        rosenblatt.config_context(device="tpu")


def test_the_estimator_knows_the_same_devices(monkeypatch):
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    with pytest.raises(InputError, match=r"device='gpu' is not known\. Allowed: 'cpu', 'cuda'"):
        rosenblatt.Perceptron(device="gpu").fit(X, y)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtraError, match="needs CuPy"):
        rosenblatt.Perceptron(device="cuda").fit(X, y)
    assert rosenblatt.Perceptron(device="cpu").fit(X, y).training_errors_ == 0


def test_a_model_file_does_not_keep_the_device(tmp_path):
    p = rosenblatt.Perceptron(device="cpu").fit([[1.0], [-1.0]], [1, 0])
    rosenblatt.save(p, tmp_path / "model.json")
    assert "device" not in (tmp_path / "model.json").read_text()
    assert rosenblatt.load(tmp_path / "model.json").device is None


def test_the_cpu_can_be_named():
    with rosenblatt.config_context(device="cpu"):
        p = rosenblatt.Perceptron().fit([[1.0], [-1.0]], [1, 0])
    assert p.training_errors_ == 0


def test_what_is_on_a_gpu_says_so_itself():
    class Cuda:
        def __dlpack_device__(self):
            return (2, 0)

    class Host:
        def __dlpack_device__(self):
            return (1, 0)

    class Interface:
        __cuda_array_interface__ = {"shape": (1,)}  # noqa: RUF012 - as the protocol has it

    assert is_on_gpu(Cuda())
    assert is_on_gpu(Interface())
    assert not is_on_gpu(Host())
    for plain in (np.zeros(3), [1, 2], None, "text"):
        assert not is_on_gpu(plain)
        assert to_host(plain) is plain
