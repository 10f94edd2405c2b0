"""Ray: calls go to the node that has the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from rosenblatt._out_of_core.engine import Lost
from rosenblatt._util.extras import needed
from rosenblatt._util.progress import check_interrupt

_WAIT = 0.2  # seconds between looks at Ctrl-C


@final
class OnRay:
    """The cluster that this process is connected to, or that RAY_ADDRESS names; else one of this
    machine's own."""

    def __init__(self) -> None:
        self._ray = needed("ray", 'engine="ray"')
        if not self._ray.is_initialized():
            self._ray.init(log_to_driver=False, include_dashboard=False)
        self.at_once = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._nodes: dict[Any, str] = {}  # where what was placed is
        self._tasks: dict[Callable[..., Any], Any] = {}

    def place(self, load: Callable[..., Any], *arguments: Any) -> Any:
        return self._task(_with_node).options(scheduling_strategy="SPREAD").remote(load, *arguments)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        task, ready = self._task(work), []
        for part in arguments:
            if isinstance(part, self._ray.ObjectRef):
                if part not in self._nodes:
                    self._nodes[part] = self._ray.get(part)[1]
                task = task.options(scheduling_strategy=self._at(self._nodes[part]))
                ready.append(self._ray.get(part)[0])  # a few bytes: the rows stay on the node
            else:
                ready.append(part)
        return task.remote(*ready)

    def _at(self, node: str) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(node_id=node, soft=True)

    def _task(self, work: Callable[..., Any]) -> Any:
        if work not in self._tasks:
            self._tasks[work] = self._ray.remote(max_retries=3)(work)
        return self._tasks[work]

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        waiting = list(handles)
        try:
            while waiting:
                check_interrupt()
                _, waiting = self._ray.wait(waiting, num_returns=len(waiting), timeout=_WAIT)
        except BaseException:
            for handle in waiting:
                self._ray.cancel(handle, force=False)
            raise
        results, lost, why = [], [], ""
        for place, handle in enumerate(handles):
            try:
                results.append(self._ray.get(handle))
            except (
                self._ray.exceptions.WorkerCrashedError,
                self._ray.exceptions.NodeDiedError,
                self._ray.exceptions.ObjectLostError,
            ) as error:
                lost.append(place)
                why = str(error)
            except self._ray.exceptions.RayTaskError as error:
                raise (error.cause or error) from None
        if lost:
            raise Lost(lost, why)
        return [r[0] if isinstance(r, _Placed) else r for r in results]


class _Placed(tuple[Any, str]):
    """What was loaded, and the node that has it."""

    __slots__ = ()


def _with_node(load: Callable[..., Any], *arguments: Any) -> _Placed:
    import ray

    return _Placed((load(*arguments), ray.get_runtime_context().get_node_id()))
