"""Being stopped: long work calls `check_interrupt` now and then, which may raise."""


def no_interrupt() -> None:
    """The default for `check_interrupt`: nobody waits, nothing stops the work."""
