"""What the papers claim, and the numbers behind it (numpy, scipy, numba; never torch).

The public names below load on first use, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refsym_theory.mass_attention import attention, stability_bound, tilt_tv_bound
    from refsym_theory.selection.certificate import Certificate, certify
    from refsym_theory.selection.containment import containment_error, containment_error_mc
    from refsym_theory.selection.regret import closed_form_bound, expansion_value
    from refsym_theory.selection.score_dump import ScoreDump

_HOMES = {
    "Certificate": "refsym_theory.selection.certificate",
    "ScoreDump": "refsym_theory.selection.score_dump",
    "attention": "refsym_theory.mass_attention",
    "certify": "refsym_theory.selection.certificate",
    "closed_form_bound": "refsym_theory.selection.regret",
    "containment_error": "refsym_theory.selection.containment",
    "containment_error_mc": "refsym_theory.selection.containment",
    "expansion_value": "refsym_theory.selection.regret",
    "stability_bound": "refsym_theory.mass_attention",
    "tilt_tv_bound": "refsym_theory.mass_attention",
}

__all__ = [
    "Certificate",
    "ScoreDump",
    "attention",
    "certify",
    "closed_form_bound",
    "containment_error",
    "containment_error_mc",
    "expansion_value",
    "stability_bound",
    "tilt_tv_bound",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
