"""Pairs of kernels: listed, found in folders of dumps, and known again by their contents."""
