"""RS C.1: a shift of one modality's reference."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C1-reference",
    title="A per-modality shift, and a whole-row one",
    source="RS Appendix C.1, last paragraph",
    statement=(
        "A per-modality reference shift that leaves within-modality odds unchanged can still change "
        "competition with text keys; cross-modal and whole-row calibration are different operations."
    ),
    plain=(
        "Adding one constant to the scores of all video keys keeps their ranking among themselves, but moves attention "
        "between video and text; adding it to every key of the row moves nothing."
    ),
    definitions=(r"A shift by $\log a$, $a > 0$, multiplies the weights of the shifted keys by $a$.",),
    hypotheses=(Hypothesis("row", "For nothing to move: the shift covers every visible key of the row."),),
    steps=(
        Step("within", r"Odds between two keys of the shifted modality are unchanged, for every $a$."),
        Step(
            "across", r"Odds of the modality against the other keys are multiplied by $a$: unchanged only for $a = 1$."
        ),
        Step("whole", r"A shift of the whole row leaves every probability as it was, for every $a$."),
    ),
    scope="Any number of keys: sums stand for the two groups.",
    expected=Verdict.VERIFIED,
)


def share(key: Any, video: Any, text: Any, video_shift: Any = 1, text_shift: Any = 1) -> Any:
    """Attention to one key of weight `key` in the video group, whose weights sum to `video`, next to text."""
    return video_shift * key / (video_shift * video + text_shift * text)
