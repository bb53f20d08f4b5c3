"""Measurements, run by hand: ``make bench``. Each prints a table; docs/performance.md holds committed results."""
