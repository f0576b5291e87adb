"""Arithmetic on named numbers over intervals: a small language, read by Python's grammar and never run by Python."""

from __future__ import annotations

import ast
import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refsym_stats.audit import statistics
from refsym_stats.audit.enclosure import Enclosure, rising, square_root
from refsym_stats.errors import InputError, names

Function = Callable[..., Enclosure]

_LONGEST = 2000
_OPERATORS: dict[type[ast.operator], Callable[[Enclosure, Enclosure], Enclosure]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _least(*values: Enclosure) -> Enclosure:
    return Enclosure(min(v.low for v in values), min(v.high for v in values))


def _greatest(*values: Enclosure) -> Enclosure:
    return Enclosure(max(v.low for v in values), max(v.high for v in values))


def _total(*values: Enclosure) -> Enclosure:
    return Enclosure(sum((v.low for v in values), Fraction(0)), sum((v.high for v in values), Fraction(0)))


def _mean(*values: Enclosure) -> Enclosure:
    return _total(*values) / Enclosure.point(len(values))


def _ascents(*values: Enclosure) -> Enclosure:
    return _total(*(_less(a, b) for a, b in itertools.pairwise(values)))


def _floor(value: Enclosure) -> Enclosure:
    return Enclosure(Fraction(math.floor(value.low)), Fraction(math.floor(value.high)))


def _ceil(value: Enclosure) -> Enclosure:
    return Enclosure(Fraction(math.ceil(value.low)), Fraction(math.ceil(value.high)))


def _log(value: Enclosure) -> Enclosure:
    if value.low <= 0:
        raise InputError(f"takes the logarithm of {value}")
    return rising(math.log, value)


def _bonferroni(p: Enclosure, size: Enclosure) -> Enclosure:
    return _least(Enclosure.point(1), p * size)


FUNCTIONS: dict[str, tuple[Function, int | None]] = {
    "min": (_least, None),
    "max": (_greatest, None),
    "sum": (_total, None),
    "mean": (_mean, None),
    "count": (_total, None),
    "ascents": (_ascents, None),
    "abs": (abs, 1),
    "sqrt": (square_root, 1),
    "log": (_log, 1),
    "floor": (_floor, 1),
    "ceil": (_ceil, 1),
    "bonferroni": (_bonferroni, 2),
    "mcnemar": (statistics.mcnemar, 2),
    "sign_test": (statistics.sign_test, 2),
    "paired_low": (statistics.paired_low, 3),
    "paired_high": (statistics.paired_high, 3),
    "t_p": (statistics.t_p, 2),
    "t_quantile": (statistics.t_quantile, 2),
    "normal_p": (statistics.normal_p, 1),
}
"""Name, what it does over intervals, and how many arguments it takes (None: one or more)."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    Attributes
    ----------
    text : str
    names : tuple of str
        The numbers that it reads, dotted where they stand in a group, in order of appearance.
    """

    text: str
    names: tuple[str, ...]
    _tree: ast.expr

    @classmethod
    def parse(cls, text: object) -> Expression:
        """Read an expression.

        Raises
        ------
        InputError
            It is no expression of this language.
        """
        if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
            raise InputError(f"{str(text)[:40]!r} is no expression of at most {_LONGEST} characters")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(f'{text!r} cannot be read; an example: "100 * (measure - standard) / n"') from None
        found: dict[str, None] = {}
        try:
            _checked(tree, found)
        except RecursionError:
            raise InputError("is nested too deeply") from None
        return cls(text.strip(), tuple(found), tree)

    def evaluate(self, numbers: Mapping[str, Enclosure], spans: Mapping[str, Enclosure] | None = None) -> Enclosure:
        """Enclose the expression's values over the numbers' intervals.

        Parameters
        ----------
        numbers : mapping
            What each name may be.
        spans : mapping, optional
            What each printed number stands for, as `rounds` reads it.

        Raises
        ------
        InputError
            A step is undefined somewhere on those intervals, such as a division by one that contains zero.
        """
        return _value(self._tree, numbers, spans if spans is not None else numbers)

    def with_numbers(self, texts: Mapping[str, str]) -> str:
        """Write the expression with what was printed in place of the names."""

        def replaced(match: re.Match[str]) -> str:
            word = match[0]
            if word not in texts:
                return word
            return f"({texts[word]})" if texts[word].startswith("-") else texts[word].removeprefix("+")

        return re.sub(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", replaced, self.text)


def _checked(node: ast.expr, found: dict[str, None]) -> None:
    match node:
        case ast.Constant(value=value) if type(value) in (int, float):
            pass
        case ast.Name() | ast.Attribute():
            found[_dotted(node)] = None
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            _checked(left, found)
            _checked(right, found)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not(), operand=operand):
            _checked(operand, found)
        case ast.BoolOp(values=values):
            for value in values:
                _checked(value, found)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARISONS for op in ops):
            for part in (left, *others):
                _checked(part, found)
        case ast.Call(func=ast.Name(id="rounds"), args=[value, (ast.Name() | ast.Attribute()) as printed], keywords=[]):
            _checked(value, found)
            _checked(printed, found)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS and arguments:
            wanted = FUNCTIONS[name][1]
            if wanted is not None and len(arguments) != wanted:
                raise InputError(f"{name} takes {wanted} numbers, got {len(arguments)}")
            for argument in arguments:
                _checked(argument, found)
        case ast.Call(func=ast.Name(id="rounds")):
            raise InputError("rounds takes a value and the name of a printed number")
        case ast.Call(func=ast.Name(id=name)) if name not in FUNCTIONS:
            raise InputError(f"unknown function {name!r}; the functions are {names([*FUNCTIONS, 'rounds'], 30)}")
        case _:
            raise InputError(
                f"{ast.unparse(node)[:40]!r} is not allowed; numbers, names, + - * / **, comparisons, functions are"
            )


def _value(node: ast.expr, numbers: Mapping[str, Enclosure], spans: Mapping[str, Enclosure]) -> Enclosure:
    def of(part: ast.expr) -> Enclosure:
        return _value(part, numbers, spans)

    match node:
        case ast.Constant(value=value):
            return Enclosure.point(Fraction(repr(value)))
        case ast.Name() | ast.Attribute():
            return numbers[_dotted(node)]
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](of(left), of(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -of(operand)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Enclosure.point(1) - of(operand)
        case ast.UnaryOp(operand=operand):
            return of(operand)
        case ast.BoolOp(op=op, values=values):
            return (_least if isinstance(op, ast.And) else _greatest)(*map(of, values))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [of(left), *map(of, others)]
            steps = zip(ops, sides, sides[1:], strict=False)
            return _least(*(_COMPARISONS[type(op)](a, b) for op, a, b in steps))
        case ast.Call(func=ast.Name(id="rounds"), args=[value, printed]):
            span, found = spans[_dotted(printed)], of(value)
            return Enclosure.truth(found.within(span), not found.misses(span))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name][0](*map(of, arguments))
    raise AssertionError(ast.dump(node))


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=name):
            return f"{_dotted(owner)}.{name}"
    raise InputError(f"{ast.unparse(node)[:40]!r} is no name of a number")


def _less(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure.truth(a.high < b.low, a.low < b.high)


def _at_most(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure.truth(a.high <= b.low, a.low <= b.high)


def _equal(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure.truth(a.exact and a == b, not a.misses(b))


_COMPARISONS: dict[Any, Callable[[Enclosure, Enclosure], Enclosure]] = {
    ast.Lt: _less,
    ast.LtE: _at_most,
    ast.Gt: lambda a, b: _less(b, a),
    ast.GtE: lambda a, b: _at_most(b, a),
    ast.Eq: _equal,
    ast.NotEq: lambda a, b: Enclosure.point(1) - _equal(a, b),
}
