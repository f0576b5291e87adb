"""What the papers claim, and the numbers behind it (numpy, scipy, numba; never torch)."""
