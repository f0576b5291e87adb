"""The fields of one check as typed, each read with an error that names file, check and field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from refsym_stats.audit.enclosure import Enclosure
from refsym_stats.audit.expression import Expression
from refsym_stats.audit.numerals import Numeral, numeral
from refsym_stats.audit.verdicts import Input
from refsym_stats.errors import InputError, names

T = TypeVar("T")


@dataclass(frozen=True)
class Printed:
    """A numeral and its place."""

    numeral: Numeral
    place: str


@dataclass
class Fields:
    """One check's table.

    Attributes
    ----------
    where : str
        File and check, as errors name them.
    raw : mapping
        As TOML gave it.
    numbers : mapping
        The printed numbers that it may name.
    used : dict
        Those that it did name: the finding's inputs.
    """

    where: str
    raw: Mapping[str, Any]
    place: str
    numbers: Mapping[str, Printed]
    used: dict[str, Input] = field(default_factory=dict)

    def reading(self, name: str, read: Callable[[], T]) -> T:
        """Run a step of reading or computing; its error names the field."""
        try:
            return read()
        except InputError as error:
            raise InputError(f"{self.where}: {name}: {error}") from None
        except OverflowError:
            raise InputError(f"{self.where}: {name}: leaves the range of floats") from None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field that is a sentence."""
        value = self.raw.get(name, default)
        if value is None:
            raise InputError(f"{self.where}: {name} is missing")
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{self.where}: {name} is {value!r}; text in quotes is needed")
        return " ".join(value.split())

    def has(self, name: str) -> bool:
        """The check gives this field."""
        return name in self.raw

    def numeral(self, name: str) -> Numeral:
        """Return a field that is a printed number, or the name of one; it becomes an input."""
        found = self._printed(name, self._value(name))
        self.used.setdefault(name, Input(name, found.numeral.text, found.place))
        return found.numeral

    def printed(self) -> Numeral:
        """Return the number under audit; it is no input."""
        return self._printed("printed", self._value("printed")).numeral

    def numerals(self, name: str) -> list[Numeral]:
        """Return a field that is a list of printed numbers."""
        value = self._value(name)
        if not isinstance(value, list) or not value:
            raise InputError(f'{self.where}: {name} is {value!r}; a list such as ["0.38", "0.35"] is needed')
        found = [self._printed(name, item) for item in value]
        for i, item in enumerate(found, 1):
            self.used[f"{name} {i}"] = Input(f"{name} {i}", item.numeral.text, item.place)
        return [item.numeral for item in found]

    def expression(self, name: str) -> tuple[Expression, dict[str, Numeral]]:
        """Return a field that is an expression, and the numbers that it names; they become inputs."""
        value = self._value(name)
        parsed = self.reading(name, lambda: Expression.parse(str(value) if isinstance(value, int) else value))
        return parsed, {word: self.named(name, word) for word in parsed.names}

    def named(self, name: str, word: str) -> Numeral:
        """Return the printed number of that name; it becomes an input."""
        if word not in self.numbers:
            raise InputError(f"{self.where}: {name}: unknown name {word!r}; the names are {names(self.numbers, 12)}")
        found = self.numbers[word]
        self.used[word] = Input(word, found.numeral.text, found.place)
        return found.numeral

    def size(self, name: str) -> tuple[Enclosure, Enclosure, str]:
        """Return an expression for a size: its value as printed, its span, and how it reads."""
        parsed, found = self.expression(name)
        exact = {word: Enclosure.point(number.value) for word, number in found.items()}
        spans = {word: number.span for word, number in found.items()}
        value = self.reading(name, lambda: parsed.evaluate(exact))
        span = self.reading(name, lambda: parsed.evaluate(spans))
        return value, span, parsed.with_numbers({word: number.text for word, number in found.items()})

    def integers(self, name: str, least: int = 1) -> list[int]:
        """Return the integers that a size may be, the printed one first.

        Raises
        ------
        InputError
            There is none, or more than 10,000.
        """
        value, span, _ = self.size(name)
        low, high = max(least, -(-span.low // 1)), span.high // 1
        if high - low > 10_000 or high < low:
            raise InputError(f"{self.where}: {name} is {span}; 1 to 10,000 integers from {least} on are needed")
        inside = list(range(int(low), int(high) + 1))
        first = int(value.low) if value.low.denominator == 1 else None
        return sorted(inside, key=lambda n: n != first)

    def integer(self, name: str, least: int = 1) -> int:
        """Return a size that is one exact integer."""
        found = self.integers(name, least)
        if len(found) != 1:
            raise InputError(f"{self.where}: {name}: one exact integer is needed")
        return found[0]

    def _value(self, name: str) -> Any:
        if name not in self.raw:
            raise InputError(f"{self.where}: {name} is missing")
        return self.raw[name]

    def _printed(self, name: str, value: Any) -> Printed:
        if isinstance(value, str) and value.strip() in self.numbers:
            return self.numbers[value.strip()]
        return Printed(self.reading(name, lambda: numeral(value)), self.place)
