"""Duplicate splits: what it takes for an operation on tokens not to notice any of them."""

from collections.abc import Callable, Sequence
from typing import Any

from sympy import Expr, symbols

from algebra import vanishes
from refsym_theory.claims.rs.c3_attention import Form, Token, split
from refsym_theory.evidence import Truth, equal, require


def require_additive(contribution: Callable[..., tuple[Any, ...]], *content: Expr) -> None:
    """Require that what a token contributes is additive in its mass, whatever its content.

    Then no split changes a sum over tokens, however many tokens and copies there are, nor a function of such sums.
    """
    a, b = symbols("a b")
    for whole, *parts in zip(*(contribution(mass, *content) for mass in (a + b, a, b)), strict=True):
        require(vanishes(whole - sum(parts)))


def outputs(x: Any) -> tuple[Any, ...]:
    """Return the outputs of an operation as a tuple."""
    return x if isinstance(x, tuple) else (x,)


def require_invariant(form: Form, tokens: Sequence[Token]) -> None:
    """Require that splitting any one of the symbolic tokens in two changes no output, as an identity."""
    a = symbols("a")
    for index, (mass, *_) in enumerate(tokens):
        after = form(split(tokens, index, (a, mass - a)))
        for before, changed in zip(outputs(form(tokens)), outputs(after), strict=True):
            require(vanishes(before - changed))


def changes(form: Form, before: Sequence[Token], after: Sequence[Token]) -> Truth:
    """Whether an operation, in exact numbers, tells one list of tokens from the other."""
    same = [equal(x, y) for x, y in zip(outputs(form(before)), outputs(form(after)), strict=True)]
    if Truth.UNKNOWN in same:
        return Truth.UNKNOWN
    return Truth.TRUE if Truth.FALSE in same else Truth.FALSE
