"""Triton kernels, one file an operation; `selection` and `attention` choose between them and the reference.

In every kernel i_ are program ids, o_ offsets, m_ masks, p_ pointers, b_ values; shapes stand in comments. Offsets from
a tensor's start are 64-bit. Under TRITON_INTERPRET=1, set before the first import, they run on CPU tensors.
"""
