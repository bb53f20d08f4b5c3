"""Tests for an interpreter that has nothing but PyYAML and pytest: what the mathematics says needs nothing else.

``make bare`` runs them, together with those tests of the other folders that need nothing else either.
"""
