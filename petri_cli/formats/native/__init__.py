"""The compiled scanners of event logs, where they were built; everything works without them, more slowly."""
