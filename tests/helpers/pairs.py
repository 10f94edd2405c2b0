"""Which pairs of an order and a keep a test is run on: they are independent choices.

Of all pairs a test has a third, and another test another third; each order and each keep is among
them. Where a third parameter has three values or more, all pairs of values are.
"""

import zlib

TELLING = {"order", "keep"}


def left_out(items):
    """The tests that `make test` leaves to `make soak`."""
    products = {}
    for item in items:
        if hasattr(item, "callspec") and item.callspec.params.keys() >= TELLING:
            products.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return {item for name, product in products.items() for item in _of_one(name, product)}


def _of_one(name, product):
    ranks, numbers = {}, []  # of each parameter its values, as they come; of each test its values
    for item in product:
        number = {}
        for parameter, value in item.callspec.params.items():
            seen = ranks.setdefault(parameter, {})
            number[parameter] = seen.setdefault(id(value), len(seen))
        numbers.append(number)
    orders, keeps = len(ranks["order"]), len(ranks["keep"])
    pairs = {(number["order"], number["keep"]) for number in numbers}
    if min(orders, keeps) < 3 or len(pairs) < orders * keeps:
        return []  # no product, or some value would not be run at all
    third = zlib.crc32(name.encode())
    return [
        item
        for item, number in zip(product, numbers, strict=True)
        if (sum(number.values()) + third) % 3
    ]
