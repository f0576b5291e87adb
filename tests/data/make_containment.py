"""Write containment.json: containment errors at 40 digits, by mpmath alone, for the table that the tests compare to.

Run by hand (`python tests/data/make_containment.py`, about half an hour); finished cases are kept.
"""

import json
import random
from pathlib import Path

import mpmath as mp

mp.mp.dps = 40
TABLE = Path(__file__).with_name("containment.json")
NODES = mp.calculus.quadrature.GaussLegendre(mp.mp).calc_nodes(4, 160)  # 48 nodes and weights on [-1, 1]


def log_cdf_and_hazard(z):
    cdf = mp.erfc(-z / mp.sqrt(2)) / 2
    return mp.log(cdf), mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi) / cdf


def integrand(x, kept, excluded, k):
    """F'(x) P(at most k - 1 kept above x), in units of tau; groups are (score, multiplicity)."""
    log_f, slope = mp.mpf(0), mp.mpf(0)
    for score, count in excluded:
        if x - score < 16:  # beyond, a block changes nothing at 40 digits
            value, hazard = log_cdf_and_hazard(x - score)
            log_f, slope = log_f + count * value, slope + count * hazard
            if log_f < -110:
                return mp.mpf(0)
    if k == sum(count for _, count in kept):  # short of k as soon as one is below
        all_above = mp.fprod((mp.erfc((x - score) / mp.sqrt(2)) / 2) ** count for score, count in kept)
        return mp.exp(log_f) * slope * (1 - all_above)
    law = [mp.mpf(1)]  # law[c] = P(c kept above), up to k - 1
    for score, count in kept:
        above = mp.erfc((x - score) / mp.sqrt(2)) / 2
        for _ in range(count):
            grown = [value * (1 - above) for value in law] + [mp.mpf(0)]
            for c, value in enumerate(law):
                grown[c + 1] += value * above
            law = grown[:k]
    return mp.exp(log_f) * slope * sum(law)


def error(scores, k, m, tau, pieces_per_unit=1):
    """E_m by Gauss-Legendre on unit pieces."""
    ordered = sorted((mp.mpf(s) for s in scores), reverse=True)
    top = ordered[m]
    units = [(s - top) / mp.mpf(tau) for s in ordered]

    def groups(values):
        out = {}
        for value in values:
            out[value] = out.get(value, 0) + 1
        return sorted(out.items(), reverse=True)

    kept, excluded = groups(units[:m]), groups(units[m:])
    total, half = mp.mpf(0), mp.mpf(1) / (2 * pieces_per_unit)
    # Outside, F' C < 1e-30: below -12 already F is, above 13 its complement.
    for piece in range(25 * pieces_per_unit):
        middle = -12 + half * (2 * piece + 1)
        total += half * sum(w * integrand(middle + half * n, kept, excluded, k) for n, w in NODES)
    return total


def cases():
    """Scores, k, m, tau: sizes 5 to 512, tau from 1e-4 to 1e4 spreads, ties, outliers, heavy tails, edges."""
    rng = random.Random(1)
    shapes = {
        "normal": lambda n, m: [rng.gauss(0, 1) for _ in range(n)],
        "rounded": lambda n, m: [float(round(rng.gauss(0, 1))) for _ in range(n)],
        "tied": lambda n, m: [2.0] * n,
        "groups": lambda n, m: [1.0] * m + [0.0] * (n - m),
        "cauchy": lambda n, m: [rng.gauss(0, 1) / (abs(rng.gauss(0, 1)) + 1e-3) for _ in range(n)],
        "student": lambda n, m: [rng.gauss(0, 1) / (rng.gammavariate(1.5, 1 / 1.5) ** 0.5) for _ in range(n)],
        "outlier": lambda n, m: [rng.gauss(0, 1) for _ in range(n - 2)] + [1e5, -1e5],
    }
    sizes = [
        (5, 1, 1), (5, 4, 4), (5, 1, 4), (8, 2, 4), (16, 3, 6), (33, 8, 8), (62, 6, 14), (64, 6, 14), (64, 63, 63),
        (128, 16, 32), (128, 8, 32), (256, 33, 66), (256, 64, 64), (300, 64, 256), (512, 1, 1), (512, 1, 4),
        (512, 8, 16), (512, 33, 33), (512, 33, 66), (512, 64, 128), (512, 511, 511),
    ]  # fmt: skip
    factors = ["1e-4", "0.02", "0.1", "0.3", "1", "5", "1e4"]
    for i, (n, k, m) in enumerate(sizes):
        for j, (name, shape) in enumerate(shapes.items()):
            for f in range(2 if n <= 128 else 1):
                scores = [round(s, 4) for s in shape(n, m)]
                spread = max(1e-3, sum(abs(s) for s in scores if abs(s) < 1e3) / n)
                tau = float(f"{float(factors[(i + 2 * j + 3 * f) % 7]) * spread:.3g}")
                yield {"shape": name, "scores": scores, "k": k, "m": m, "tau": tau}


def main():
    done = json.loads(TABLE.read_text()) if TABLE.exists() else []
    for number, case in enumerate(cases()):
        if number < len(done):
            continue
        value = error(case["scores"], case["k"], case["m"], case["tau"])
        done.append(case | {"error": mp.nstr(value, 25)})
        TABLE.write_text("[\n" + ",\n".join(json.dumps(c) for c in done) + "\n]\n")
        print(
            number, case["shape"], len(case["scores"]), case["k"], case["m"], case["tau"], done[-1]["error"], flush=True
        )


if __name__ == "__main__":
    main()
