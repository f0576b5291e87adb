"""Claims of the refinement-symmetry paper (RS)."""
