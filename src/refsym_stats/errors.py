"""The error that every input of the user's can raise, and how it names places."""

from collections.abc import Iterable


class InputError(ValueError):
    """Bad input: one line that says what is wrong, where, and what to do about it.

    The command prints the message alone, without a traceback, and exits with status 2.
    """


def rows(numbers: Iterable[int], limit: int = 5) -> str:
    """Name rows in an error: "rows 3, 17, 20 and 4 more", counted from 1 as a person counts them."""
    found = [int(number) + 1 for number in numbers]
    head = ", ".join(map(str, found[:limit]))
    more = f" and {len(found) - limit} more" if len(found) > limit else ""
    return f"row {head}" if len(found) == 1 else f"rows {head}{more}"


def names(labels: Iterable[object], limit: int = 5) -> str:
    """Name labels in an error: "a, b, c and 4 more"."""
    found = [" ".join(str(label).split()) for label in labels]
    more = f" and {len(found) - limit} more" if len(found) > limit else ""
    return ", ".join(found[:limit]) + more
