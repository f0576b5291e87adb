"""RS C.1: a per-modality shift, and a whole-row one."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.c1_reference import share
from refsym_theory.evidence import Level, below, equal, require

KEY, OTHER, VIDEO, TEXT, A = symbols("k l V Z a")


@proof(
    "RS.C1-reference",
    "within",
    Level.EXACT,
    lambda a: 1,
    {"odds times a": lambda a: a, "odds over a": lambda a: 1 / a},
)
def test_odds_between_two_video_keys(stated: Callable[..., Any]) -> None:
    odds = share(KEY, VIDEO, TEXT, A) / share(OTHER, VIDEO, TEXT, A)
    require(vanishes(odds - stated(A) * KEY / OTHER))


@proof(
    "RS.C1-reference",
    "across",
    Level.EXACT,
    lambda a: a,
    {"unchanged": lambda a: 1, "squared": lambda a: a**2},
)
def test_odds_of_video_against_text(stated: Callable[..., Any], record_property: Callable[..., None]) -> None:
    video = share(VIDEO, VIDEO, TEXT, A)
    require(vanishes(video / (1 - video) - stated(A) * VIDEO / TEXT))
    record_property("computed", "equal weights, a = 2: the video share goes from 1/2 to 2/3")


@proof(
    "RS.C1-reference",
    "whole",
    Level.EXACT,
    lambda a: (a, a),
    {"video only": lambda a: (a, 1), "text inverse": lambda a: (a, 1 / a)},
)
def test_a_shift_of_the_whole_row(stated: Callable[..., Any]) -> None:
    require(vanishes(share(KEY, VIDEO, TEXT, *stated(A)) - share(KEY, VIDEO, TEXT)))


@control("RS.C1-reference", "row", Level.EXACT)
def test_text_left_out_of_the_shift() -> None:
    one = Fraction(1)
    require(equal(share(one, one, one), Fraction(1, 2)))
    require(below(share(one, one, one), share(one, one, one, 2 * one)))
