"""petri: long plans, safe to run."""

from petri_cli.version import __version__

__all__ = ["__version__"]
