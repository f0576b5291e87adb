"""Claims of the uncertainty-gated selection paper (UG)."""
