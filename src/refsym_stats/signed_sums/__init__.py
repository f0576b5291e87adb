"""Tails of T = sum of e_i d_i over independent fair signs e_i: four ways, each exact, certified or sampled."""
