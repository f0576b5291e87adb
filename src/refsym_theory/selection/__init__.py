"""Block selection as a decision under noise: score dumps, margins, containment, regret, certificates."""
