"""Rows that are not in memory: encoded once into files of our own, then read block by block."""
