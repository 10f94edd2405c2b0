"""Rows on many machines: the same bits as on one."""
