"""The audit's kinds, verdicts and errors, against oracles that share no code with them."""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from refsym_stats.audit import Finding, Verdict, audit
from refsym_stats.audit.enclosure import Enclosure, square_root
from refsym_stats.audit.expression import Expression
from refsym_stats.audit.numerals import numeral
from refsym_stats.errors import InputError

# A table of one's own, as the documentation shows it: every kind once.
EXAMPLE = """
title = "Table 2 of our report"
source = "report.pdf"                # optional

[numbers.t2]                         # numbers that several checks read, and where they stand
place = "Table 2, n = 120"
base = "61.67"                       # any value that rounds to it: [61.665, 61.675]
ours = "64.17"
n = 120                              # an exact count
q = "=0.40"                          # a setting: exact although it has decimals

[[check]]
id = "difference"
place = "Table 2, last column"
printed = "+2.50"
formula = "t2.ours - t2.base"
counts = { t2.ours = 120, t2.base = 120 }   # both are counts over 120

[[check]]
id = "p"
place = "Table 2, last column"
printed = "0.508"
formula = "mcnemar(gains, losses)"
inputs = { gains = 6, losses = 3 }   # numbers that only this check reads
why = "exact and two-sided"

[[check]]
id = "sentence"
place = "Section 3"
kind = "holds"
printed = "ours is better"
holds = "t2.ours > t2.base"

[[check]]
id = "grim"
place = "Table 2"
kind = "count"
printed = "t2.ours"
of = "t2.n"

[[check]]
id = "denominators"
place = "Section 4, recall at four budgets"
kind = "denominator"
values = ["0.38", "0.41"]
scale = 1                            # shares, not percentages
at_most = 40

[[check]]
id = "pairs"
place = "Section 3"
kind = "pairs"
n = 120
difference = "+2.50"
low = "-2.45"
high = "+7.45"
p = "0.508"

[[check]]
id = "seeds"
place = "Table 3"
kind = "spread"
mean = "61.67"
sd = "0.83"
of = 120
seeds = 3

[[check]]
id = "slope"
place = "Section 5"
kind = "t-interval"
printed = "0.067"
estimate = "-0.00725"
low = "-0.01576"
high = "+0.00126"
df = 2

[[check]]
id = "bootstrap"
place = "Section 5"
kind = "none"
printed = "[0.0080, 0.0260]"
why = "a bootstrap needs the observations"
"""


def table(body: str, tmp_path: Path, numbers: str = "") -> tuple[Finding, ...]:
    path = tmp_path / "table.toml"
    path.write_text(f'title = "t"\n{numbers}\n{body}', encoding="utf-8")
    return audit(path).findings


def one(tmp_path: Path, **fields: object) -> Finding:
    lines = [f"{key} = {value if isinstance(value, (int, list)) else repr(value)}" for key, value in fields.items()]
    lines = [line.replace("'{", "{").replace("}'", "}") for line in lines]
    return table('[[check]]\nid = "x"\nplace = "here"\n' + "\n".join(lines), tmp_path)[0]


def test_the_example_of_the_documentation_runs(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    result = audit(path)
    assert result.title == "Table 2 of our report"
    assert [str(f.verdict) for f in result.findings] == ["agrees"] * 8 + ["not recomputable"]
    assert result.findings[0].inputs[0].place == "Table 2, n = 120"
    assert "64.17 - 61.67" in result.findings[0].arithmetic
    assert result.findings[5].computed == "6/3"


@pytest.mark.parametrize(
    ("text", "value", "low", "high"),
    [
        ("64.13", "64.13", "64.125", "64.135"),
        ("-0.30", "-0.30", "-0.305", "-0.295"),
        ("7.7e-4", "0.00077", "0.000765", "0.000775"),
        ("2e-4", "0.0002", "0.00015", "0.00025"),
        ("11.3e6", "11300000", "11250000", "11350000"),
        ("88.", "88", "87.5", "88.5"),
        ("2,489", "2489", "2489", "2489"),
        ("2/1024", "1/512", "1/512", "1/512"),
        ("=0.40", "0.4", "0.4", "0.4"),
        ("about 512", "512", "486.4", "537.6"),
        ("−1.5", "-1.5", "-1.55", "-1.45"),
    ],
)
def test_a_printed_number_stands_for_what_rounds_to_it(text: str, value: str, low: str, high: str) -> None:
    read = numeral(text)
    assert (read.value, read.span.low, read.span.high) == (Fraction(value), Fraction(low), Fraction(high))


@pytest.mark.parametrize("text", ["", "x", "1.2.3", "1,23", "nan", "inf", "1e999", "1/0", "0x10", "1" * 61, 0.5, True])
def test_what_is_no_printed_number_is_refused(text: object) -> None:
    with pytest.raises(InputError):
        numeral(text)


# Verdicts.


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        ("1.05", Verdict.AGREES),
        ("1.04", Verdict.WITHIN_ROUNDING),
        ("1.06", Verdict.WITHIN_ROUNDING),
        ("1.03", Verdict.CANNOT_BE),  # computed [1.04, 1.06], 1.03 ends at 1.035
        ("1.065", Verdict.CANNOT_BE),
        ("1.0605", Verdict.CANNOT_BE),
        ("1.060", Verdict.WITHIN_ROUNDING),
    ],
)
def test_a_difference_gets_each_verdict(tmp_path: Path, printed: str, verdict: Verdict) -> None:
    found = one(tmp_path, printed=printed, formula="a - b", inputs='{ a = "57.44", b = "56.39" }')
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("printed", "verdict"), [("0.2", Verdict.AGREES), ("0.3", Verdict.AGREES), ("0.4", Verdict.CANNOT_BE)]
)
def test_a_value_exactly_half_a_unit_away_agrees_with_both_neighbours(
    tmp_path: Path, printed: str, verdict: Verdict
) -> None:
    assert one(tmp_path, printed=printed, formula="1 / 4").verdict is verdict


def test_reach_at_exactly_half_a_unit_is_within_rounding_and_a_hair_less_is_not(tmp_path: Path) -> None:
    # 0.5 stands for [0.45, 0.55]; 0.6 begins at 0.55.
    assert one(tmp_path, printed="0.6", formula="a", inputs='{ a = "0.5" }').verdict is Verdict.WITHIN_ROUNDING
    found = one(tmp_path, printed="0.6", formula="a - 1/10**30", inputs='{ a = "0.5" }')
    assert found.verdict is Verdict.CANNOT_BE


def test_repeated_names_do_not_widen_the_range(tmp_path: Path) -> None:
    # a - a is 0 whatever a is, although its ends differ by 1; a (1 - a) on [0.45, 0.55] reaches 0.25 at most.
    assert one(tmp_path, printed="0.1", formula="a - a", inputs='{ a = "0.5" }').verdict is Verdict.CANNOT_BE
    assert one(tmp_path, printed="0.26", formula="a * (1 - a)", inputs='{ a = "0.5" }').verdict is Verdict.CANNOT_BE


@given(st.integers(-300, 300), st.integers(-300, 300), st.integers(-40, 40), st.sampled_from(["+", "-", "*"]))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_verdicts_of_products_and_sums_match_the_corners(a: int, b: int, shift: int, sign: str) -> None:
    x, y, tenth = Fraction(a, 10), Fraction(b, 10), Fraction(1, 20)
    apply = {"+": lambda u, v: u + v, "-": lambda u, v: u - v, "*": lambda u, v: u * v}[sign]
    corners = [apply(x + i, y + j) for i, j in itertools.product((-tenth, tenth), repeat=2)]
    exact = apply(x, y)
    printed = Fraction(round(exact * 10) + shift, 10)
    low, high = printed - tenth, printed + tenth
    found = audit_formula(f"a {sign} b", {"a": f"{a / 10:.1f}", "b": f"{b / 10:.1f}"}, f"{float(printed):.1f}")
    if low <= exact <= high:
        assert found is Verdict.AGREES
    elif max(corners) < low or min(corners) > high:
        assert found is Verdict.CANNOT_BE
    else:
        assert found is Verdict.WITHIN_ROUNDING


def audit_formula(formula: str, inputs: dict[str, str], printed: str) -> Verdict:
    from refsym_stats.audit.table import read

    lines = ", ".join(f'{name} = "{text}"' for name, text in inputs.items())
    body = f'title = "t"\n[[check]]\nid = "x"\nplace = "p"\nprinted = "{printed}"\n'
    return read(f"{body}formula = '{formula}'\ninputs = {{ {lines} }}\n".encode(), "t").findings[0].verdict


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [
        ("a > b", Verdict.AGREES),
        ("b > a", Verdict.CANNOT_BE),
        ("c > a", Verdict.WITHIN_ROUNDING),
        ("c > a and b > a", Verdict.CANNOT_BE),
        ("not (b > a) or c > a", Verdict.AGREES),
        ("a < c < a", Verdict.NOT_RECOMPUTABLE),  # false, but no halving of boxes excludes it: nothing is claimed
        ("rounds(a - b, d)", Verdict.WITHIN_ROUNDING),
        ("count(a > b, c > b, b > a) == 2", Verdict.AGREES),
        ("ascents(b, c, a) == 2", Verdict.WITHIN_ROUNDING),
    ],
)
def test_a_sentence_gets_each_verdict(tmp_path: Path, holds: str, verdict: Verdict) -> None:
    values = '{ a = "0.52", b = "0.40", c = "0.52", d = "0.13" }'
    found = one(tmp_path, kind="holds", printed="a sentence", holds=holds, inputs=values)
    assert found.verdict is verdict


def test_a_count_gets_each_verdict(tmp_path: Path) -> None:
    assert one(tmp_path, kind="count", printed="61.67", of=120).verdict is Verdict.AGREES
    assert one(tmp_path, kind="count", printed="61.68", of=120).verdict is Verdict.CANNOT_BE
    rounded = one(tmp_path, kind="count", printed="61.54", of="n", inputs='{ n = "about 120" }')  # 72 of 117
    assert rounded.verdict is Verdict.WITHIN_ROUNDING
    vacuous = one(tmp_path, kind="count", printed="57.44", of="2489 * 5")
    assert "cannot fail" in vacuous.arithmetic


def test_counts_over_n_are_those_of_brute_force(tmp_path: Path) -> None:
    for n in (7, 30, 120, 432):
        possible = {f"{100 * c / n:.1f}" for c in range(n + 1)}
        for text in ("12.5", "33.3", "38.0", "86.1", "0.2"):
            verdict = one(tmp_path, kind="count", printed=text, of=n).verdict
            tie = any(abs(Fraction(100 * c, n) - Fraction(text)) == Fraction(1, 20) for c in range(n + 1))
            assert (verdict is Verdict.AGREES) == (text in possible or tie), (n, text)


def test_differences_of_counts_are_tried_one_by_one(tmp_path: Path) -> None:
    # Unrounded, 87.0 - 86.6 can be 0.36 to 0.44; over 432 questions it is one or two of them: 0.46.
    numbers = '{ a = "87.0", b = "86.6" }'
    within = one(tmp_path, printed="0.46", formula="a - b", inputs=numbers, counts="{ a = 432, b = 432 }")
    assert within.verdict is Verdict.WITHIN_ROUNDING
    assert "Only these counts fit: a 376, b 374" in within.arithmetic
    never = one(tmp_path, printed="0.42", formula="a - b", inputs=numbers, counts="{ a = 432, b = 432 }")
    assert never.verdict is Verdict.CANNOT_BE
    assert one(tmp_path, printed="0.42", formula="a - b", inputs=numbers).verdict is Verdict.WITHIN_ROUNDING
    no_count = one(tmp_path, printed="0.1", formula="a", inputs='{ a = "0.1" }', counts="{ a = 432 }")
    assert no_count.verdict is Verdict.CANNOT_BE


def test_a_common_denominator_is_found_by_brute_force_or_denied(tmp_path: Path) -> None:
    values = ["0.38", "0.35", "0.47", "0.53"]

    def fits(n: int) -> bool:
        return all(any(f"{c / n:.2f}" == v for c in range(n + 1)) for v in values)

    assert not any(map(fits, range(1, 31)))
    first = next(n for n in range(1, 200) if fits(n))
    assert one(tmp_path, kind="denominator", values=values, scale=1, at_most=30).verdict is Verdict.CANNOT_BE
    found = one(tmp_path, kind="denominator", values=values, scale=1, at_most=first)
    assert (found.verdict, found.computed) == (Verdict.AGREES, f"n = {first}")
    edge = one(
        tmp_path, kind="denominator", values=values, scale=1, at_most="n", inputs=f'{{ n = "about {first - 1}" }}'
    )
    assert edge.verdict is Verdict.WITHIN_ROUNDING


def test_gains_and_losses_are_those_of_brute_force(tmp_path: Path) -> None:
    n = 60
    for difference, p in (("+5.00", "0.508"), ("-3.33", "0.625"), ("+0.00", "1.000")):
        expected = {
            (g, b)
            for g in range(n + 1)
            for b in range(n + 1 - g)
            if f"{100 * (g - b) / n:+.2f}" == difference
            and f"{stats.binomtest(g, g + b).pvalue if g + b else 1.0:.3f}" == p
        }
        found = one(tmp_path, kind="pairs", n=n, difference=difference, p=p)
        assert bool(expected) == (found.verdict is Verdict.AGREES)
        if 0 < len(expected) <= 4:
            assert {tuple(map(int, pair.split("/"))) for pair in found.computed.split(", ")} == expected


def test_pairs_get_each_verdict_and_the_refusal_names_the_least_p(tmp_path: Path) -> None:
    found = one(tmp_path, kind="pairs", n=100, difference="+6", p_at_most="0.004", sides=1)
    assert found.verdict is Verdict.CANNOT_BE
    assert "0.015625" in found.arithmetic
    assert one(tmp_path, kind="pairs", n=100, difference="+8", p_at_most="0.004", sides=1).computed == "8/0"
    assert one(tmp_path, kind="pairs", n=432, difference="+0.93", p="0.608").computed == "19/15"
    within = one(tmp_path, kind="pairs", n="n", inputs='{ n = "about 100" }', difference="+5.8252", p="0.031")
    assert within.verdict is Verdict.WITHIN_ROUNDING  # 6 of 103
    clash = one(tmp_path, kind="pairs", n=432, difference="+0.93", p="0.608", low="-2.73", high="+4.58")
    assert clash.verdict is Verdict.CANNOT_BE


def test_a_negative_one_sided_difference_is_searched_in_full(tmp_path: Path) -> None:
    # Against more gains, p falls towards 1/2 as pairs cancel: the search must not stop at the first, 1.
    assert one(tmp_path, kind="pairs", n=30, difference="-2", p="0.85", sides=1).verdict is Verdict.CANNOT_BE
    found = one(tmp_path, kind="pairs", n=100, difference="-2", p="0.77", sides=1)
    assert found.verdict is Verdict.AGREES
    for pair in found.computed.split(", "):
        g, b = map(int, pair.split("/"))
        assert f"{stats.binomtest(g, g + b, alternative='greater').pvalue:.2f}" == "0.77"


def test_a_spread_is_that_of_whole_counts(tmp_path: Path) -> None:
    found = one(tmp_path, kind="spread", mean="57.44", sd="0.60", of=2489, seeds=5)
    counts = [int(word.replace(",", "")) for word in found.computed.split("example ")[1].split(" of")[0].split(", ")]
    shares = [100 * c / 2489 for c in counts]
    assert f"{statistics.mean(shares):.2f}" == "57.44"
    assert f"{statistics.stdev(shares):.2f}" == "0.60"


def test_spreads_of_few_items_match_brute_force(tmp_path: Path) -> None:
    n, seeds = 6, 3
    possible = set()
    for counts in itertools.combinations_with_replacement(range(n + 1), seeds):
        shares = [100 * c / n for c in counts]
        possible.add((f"{statistics.mean(shares):.1f}", f"{statistics.stdev(shares):.1f}"))
    means = sorted({mean for mean, _ in possible})[:4]
    for mean, sd in itertools.product(means, ("0.0", "9.6", "16.7", "10.0", "25.5")):
        found = one(tmp_path, kind="spread", mean=mean, sd=sd, of=n, seeds=seeds)
        assert (found.verdict is Verdict.AGREES) == ((mean, sd) in possible), (mean, sd)
    # Two seeds of 20 items, 9 and 11 right: sd 7.07; of 19 items, 9 and 10 right: sd 3.72.
    for sd, verdict in (("7.07", Verdict.AGREES), ("3.72", Verdict.WITHIN_ROUNDING), ("7.20", Verdict.CANNOT_BE)):
        given_n = {"of": "n", "inputs": '{ n = "about 20" }'}
        assert one(tmp_path, kind="spread", mean="50.", sd=sd, seeds=2, **given_n).verdict is verdict


@pytest.mark.parametrize(
    ("p", "verdict"),
    [("0.067", Verdict.AGREES), ("0.06694", Verdict.WITHIN_ROUNDING), ("0.068", Verdict.CANNOT_BE)],
)
def test_a_t_interval_gets_each_verdict(tmp_path: Path, p: str, verdict: Verdict) -> None:
    ends = {"estimate": "-0.00725", "low": "-0.01576", "high": "+0.00126"}
    assert one(tmp_path, kind="t-interval", printed=p, df=2, **ends).verdict is verdict


def test_the_range_of_p_over_unrounded_intervals_is_that_of_a_fine_grid(tmp_path: Path) -> None:
    low, high, estimate, df = np.linspace(-0.25, -0.15, 201), np.linspace(0.75, 0.85, 201), 0.30, 9
    a, b = np.meshgrid(low, high)
    kept = np.abs((a + b) / 2 - estimate) <= 0.005
    ratios = ((a + b) / (b - a))[kept] * stats.t.ppf(0.975, df)
    p = 2 * stats.t.sf(np.abs(ratios), df)
    ends = {"estimate": "0.30", "low": "-0.2", "high": "0.8", "df": df, "kind": "t-interval"}
    for inside in (p.min() + 1e-4, p.max() - 1e-4):
        assert one(tmp_path, printed=f"{inside:.6f}", **ends).verdict is not Verdict.CANNOT_BE
    for outside in (p.min() - 1e-3, p.max() + 1e-3):
        assert one(tmp_path, printed=f"{outside:.6f}", **ends).verdict is Verdict.CANNOT_BE


def test_an_interval_that_is_not_centred_cannot_be(tmp_path: Path) -> None:
    found = one(tmp_path, kind="t-interval", printed="0.5", estimate="0.9", low="-0.2", high="0.8", df=9)
    assert found.verdict is Verdict.CANNOT_BE
    assert "not centred" in found.arithmetic


def test_what_the_print_does_not_determine_says_why(tmp_path: Path) -> None:
    found = one(tmp_path, kind="none", printed="1.3e-9", why="a measurement")
    assert (found.verdict, found.arithmetic) == (Verdict.NOT_RECOMPUTABLE, "a measurement")
    with pytest.raises(InputError, match="why is missing"):
        one(tmp_path, kind="none", printed="1.3e-9")


# Functions against other libraries.


def value(formula: str, **numbers: int) -> Enclosure:
    return Expression.parse(formula).evaluate({k: Enclosure.point(v) for k, v in numbers.items()})


@given(st.integers(0, 80), st.integers(0, 80))
@settings(derandomize=True, deadline=None, max_examples=80)
def test_mcnemar_and_the_sign_test_are_scipys(gains: int, losses: int) -> None:
    expected = stats.binomtest(gains, gains + losses).pvalue if gains + losses else 1.0
    assert float(value("mcnemar(g, b)", g=gains, b=losses).low) == pytest.approx(expected, rel=1e-10)
    expected = stats.binomtest(gains, gains + losses, alternative="greater").pvalue if gains + losses else 1.0
    assert float(value("sign_test(g, b)", g=gains, b=losses).low) == pytest.approx(expected, rel=1e-10)


def test_many_pairs_do_not_overflow() -> None:
    found = value("mcnemar(g, b)", g=5_000_200, b=5_000_000)
    assert float(found.middle) == pytest.approx(2 * stats.norm.sf(199 / math.sqrt(10_000_200)), rel=1e-4)


def test_paired_intervals_are_those_of_the_differences_themselves() -> None:
    differences = np.array([1] * 6 + [-1] * 3 + [0] * 111)
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    assert float(value("paired_low(6, 3, 120)").middle) == pytest.approx(low, rel=1e-8)
    assert float(value("paired_high(6, 3, 120)").middle) == pytest.approx(high, rel=1e-8)


def test_student_and_normal_tails_are_scipys() -> None:
    assert float(value("t_p(3.665, 2)").middle) == pytest.approx(2 * stats.t.sf(3.665, 2), rel=1e-8)
    assert float(value("t_quantile(0.975, 533)").middle) == pytest.approx(stats.t.ppf(0.975, 533), rel=1e-8)
    assert float(value("normal_p(-1.96)").middle) == pytest.approx(2 * stats.norm.sf(1.96), rel=1e-8)
    wide = Expression.parse("t_p(r, 5)").evaluate({"r": Enclosure(Fraction(-1), Fraction(2))})
    assert wide.high == 1
    assert float(wide.low) == pytest.approx(2 * stats.t.sf(2, 5), rel=1e-8)


@given(st.fractions(min_value=0, max_value=10**6, max_denominator=10**6))
@settings(derandomize=True, deadline=None)
def test_square_roots_are_enclosed(x: Fraction) -> None:
    root = square_root(Enclosure.point(x))
    assert root.low**2 <= x <= root.high**2
    assert root.high - root.low <= Fraction(1, 10**20)


@given(st.lists(st.fractions(-9, 9, max_denominator=9), min_size=4, max_size=4), st.data())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_every_operation_encloses_its_values(ends: list[Fraction], data: st.DataObject) -> None:
    a, b = Enclosure(*sorted(ends[:2])), Enclosure(*sorted(ends[2:]))
    share = data.draw(st.tuples(st.fractions(0, 1), st.fractions(0, 1)))
    x, y = (span.low + s * (span.high - span.low) for span, s in zip((a, b), share, strict=True))
    for text in ("a + b", "a - b", "a * b", "-a", "abs(a)", "min(a, b)", "max(a, b)", "a ** 2", "a ** 3", "mean(a, b)"):
        parsed = Expression.parse(text)
        wide = parsed.evaluate({"a": a, "b": b})
        assert Enclosure.point(x).within(a)
        assert parsed.evaluate({"a": Enclosure.point(x), "b": Enclosure.point(y)}).within(wide), text


# Bad input: one line that names file, check and field.

BASE = '[[check]]\nid = "x"\nplace = "here"\n'


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (BASE + 'printed = "1.0"\nformula = "a + gain"\ninputs = { a = 1 }', "check x: formula: unknown name 'gain'"),
        (BASE + 'kind = "guess"', "check x: kind is 'guess'"),
        (BASE + 'printed = "1.x"\nformula = "1"', "check x: printed: '1.x' is no printed number"),
        (BASE + 'printed = 0.5\nformula = "1"', "check x: printed: 0.5 is no printed number; write it in quotes"),
        (BASE + 'printed = "1.0"', "check x: formula is missing"),
        (BASE + 'formula = "1"', "check x: printed is missing"),
        (BASE + 'printed = "1.0"\nformula = "1"\nextra = 1', "check x: unknown key 'extra'"),
        (BASE + 'printed = "1.0"\nformula = "1 +"', "check x: formula: '1 +' cannot be read"),
        (BASE + 'printed = "1.0"\nformula = "__import__(1)"', "check x: formula: unknown function '__import__'"),
        (BASE + 'printed = "1.0"\nformula = "[1 for _ in 1]"', "check x: formula: '[1 for _ in 1]' is not allowed"),
        (BASE + 'printed = "1.0"\nformula = "9 ** 9 ** 9"', "check x: formula: raises to the power"),
        (
            BASE + 'printed = "1.0"\nformula = "(9 ** 4096) ** 4096"',
            "check x: formula: raises to the power 4,096, which",
        ),
        (BASE + 'printed = "1.0"\nformula = "t_p(9 ** 999, 2)"', "check x: formula: leaves the range of floats"),
        (BASE + 'printed = "1.0"\nformula = "2 ** a"\ninputs = { a = "0.5" }', "check x: formula: raises to the power"),
        (BASE + 'printed = "1.0"\nformula = "mcnemar(a, 1)"\ninputs = { a = "1.5" }', "gains is 1.5; an exact integer"),
        (BASE + 'printed = "1.0"\nformula = "log(0)"', "check x: formula: takes the logarithm of 0"),
        (BASE + 'printed = "1.0"\nformula = "abs(1, 2)"', "check x: formula: abs takes 1 numbers, got 2"),
        (BASE + 'printed = "9.0"\nformula = "1 / a"\ninputs = { a = "0.0" }', "check x: formula: divides by 0, which"),
        (BASE + 'printed = "9.0"\nformula = "1 / (a - 0.02)"\ninputs = { a = "0.0" }', "which contains zero"),
        (BASE + 'kind = "count"\nprinted = "1.0"\nof = "1.5"', "check x: of is 1.5; 1 to 10,000 integers"),
        (BASE + 'kind = "count"\nprinted = "1.0"\nof = 3\nscale = 7', "check x: scale is 7"),
        (BASE + 'kind = "pairs"\nn = 10\ndifference = "1.0"', "check x: p is missing"),
        (BASE + 'kind = "pairs"\nn = 9\ndifference = "1.0"\np = "0.5"\np_below = "0.1"', "p_below: p is given already"),
        (BASE + 'printed = "1"\nformula = "a"\ninputs = { a = "1.0" }\ncounts = { b = 3 }', "counts: 'b' is not in"),
        (BASE + 'printed = "1.0"\nformula = "1"\n' + BASE + 'printed = "1.0"\nformula = "1"', "id is that of checks 1"),
        ("[[check]]\nplace = 'p'", "check number 1: id is missing"),
        ('[[check]]\nid = "x"\nprinted = "1"', "check x: place is missing"),
        ("", "no checks"),
        ("[[check", "no TOML"),
        ("[numbers.g]\na = 1\n" + BASE, "numbers.g: place is missing"),
        ("[numbers]\na = 1\n" + BASE, "numbers: a is no group"),
        ('[numbers.g]\nplace = "p"\n"a-b" = 1\n' + BASE, "numbers.g: 'a-b' is no name"),
        ('[numbers.g]\nplace = "p"\na = "many"\n' + BASE, "numbers.g: a: 'many' is no printed number"),
    ],
)
def test_bad_tables_get_one_line(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        table(body, tmp_path)
    message = str(error.value)
    assert says in message
    assert message.startswith(str(tmp_path / "table.toml"))
    assert "\n" not in message


def test_unreadable_files_get_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml: cannot be read"):
        audit(tmp_path / "nowhere.toml")
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b'title = "\xff"')
    with pytest.raises(InputError, match="byte 10 is not UTF-8"):
        audit(bad)


def test_deep_nesting_is_refused_not_crashed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="check x: formula"):
        one(tmp_path, printed="1.0", formula="(" * 900 + "1" + ")" * 900)
    with pytest.raises(InputError, match="check x: formula"):
        one(tmp_path, printed="1.0", formula="-" * 1990 + "1")
