"""Trainings in processes of their own: on a terminal, or until Ctrl-C is pressed."""

import json
import signal
import sys

import numpy as np

from rosenblatt import Perceptron


def fit_until_ctrl_c(n, d, cases, *, catch=True):
    """Fits that would take years, one after another; what is there when each is interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be started in the background
    random = np.random.default_rng(0)
    X = random.standard_normal((n, d), dtype=np.float32)
    y = np.where(random.random(n) < 0.5, -1, 1)
    for order, keep in cases:
        choices = {"order": order, "keep": keep, "random_state": 0, "verbose": 1}
        p = Perceptron(patience=None, max_iter=10**9, **choices)
        try:
            p.fit(X, y)
        except KeyboardInterrupt:
            if not catch:
                raise
            print("caught", json.dumps(_found(p, X, y)), flush=True)
    print("end", flush=True)


def _found(p, X, y):
    return {
        "reason": p.stop_reason_.name,
        "errors": p.training_errors_,
        "recount": int(np.sum(y * p.decision_function(X) <= 0)),
        "predicted": sorted(set(p.predict(X[:1000]).tolist()) | {-1, 1}),
        "mistakes": p.mistakes_.tolist()[:3],
        "epochs": p.n_iter_,
        "updates": p.n_updates_,
        "handler": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    }


def fit_with_a_bar(epochs, verbose):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    y = np.where(random.random(3000) < 0.5, -1, 1)
    p = Perceptron(keep="best", patience=None, max_iter=epochs, random_state=0, verbose=verbose)
    try:
        p.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print("errors", p.training_errors_, "epochs", p.n_iter_)
    print("the end", file=sys.stderr)
