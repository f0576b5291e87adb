"""Printed numbers as the exact intervals that they stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from refsym_stats.audit.enclosure import Enclosure
from refsym_stats.errors import InputError

ABOUT = Fraction(1, 20)
"""How far a number called "about" may lie from what is printed, relative to it."""

_LONGEST = 60
_LARGEST_EXPONENT = 400
_NUMERAL = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?P<point>\.[0-9]*)?(?:e(?P<exp>[+-]?[0-9]+))?"
)
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")


@dataclass(frozen=True)
class Numeral:
    """A printed number.

    Attributes
    ----------
    text : str
        As a reader sees it.
    value : Fraction
        What the digits say.
    span : Enclosure
        Every value that rounds to those digits, both ends included: conventions for ties differ.
    unit : Fraction
        Of the last printed digit; 0 for an exact number.
    """

    text: str
    value: Fraction
    span: Enclosure
    unit: Fraction

    @property
    def exact(self) -> bool:
        """The number stands for itself alone."""
        return self.span.low == self.span.high


def numeral(written: object) -> Numeral:
    """Read a number as it is typed into a table.

    "64.13" stands for [64.125, 64.135], "7.7e-4" for [7.65e-4, 7.75e-4]; "2,489" and "2/1024" are exact, "88." is
    rounded to units, "=0.40" exact although it has decimals, "about 512" within five per cent. A TOML integer is exact.

    Raises
    ------
    InputError
        It is none of these, or a TOML float, whose digits are lost.
    """
    if isinstance(written, bool) or not isinstance(written, (str, int)):
        raise InputError(f'{written!r} is no printed number; write it in quotes, "64.13", so that its digits are kept')
    text = str(written).strip().replace("−", "-")
    about, body = text.startswith("about "), text.removeprefix("about ").strip()
    fixed, body = body.startswith("="), body.removeprefix("=").strip()
    if len(body) > _LONGEST or (about and fixed):
        raise InputError(f"{text[:_LONGEST]!r} is no printed number")
    value, unit = _read(body, text)
    reach = unit / 2
    if about:
        reach = max(reach, abs(value) * ABOUT)
    if fixed:
        reach = unit = Fraction(0)
    shown = body.removesuffix(".")
    return Numeral(f"about {shown}" if about else shown, value, Enclosure(value - reach, value + reach), unit)


def _read(body: str, text: str) -> tuple[Fraction, Fraction]:
    if _RATIO.fullmatch(body):
        top, bottom = body.split("/")
        if int(bottom) == 0:
            raise InputError(f"{text!r} divides by zero")
        return Fraction(int(top), int(bottom)), Fraction(0)
    found = _NUMERAL.fullmatch(body)
    if found is None or abs(int(found["exp"] or 0)) > _LARGEST_EXPONENT:
        raise InputError(f'{text!r} is no printed number; examples: "64.13", "2,489", "7.7e-4", "2/1024", "about 512"')
    decimals = (found["point"] or ".")[1:]
    power = Fraction(10) ** (int(found["exp"] or 0) - len(decimals))
    value = int(found["whole"].replace(",", "") + decimals) * power
    rounded = found["point"] is not None or found["exp"] is not None
    return (-value if found["sign"] == "-" else value), (power if rounded else Fraction(0))
