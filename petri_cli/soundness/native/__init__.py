"""The compiled core of the explicit search, where it was built; everything works without it, more slowly."""
