"""Learning from logs: discovery, conformance, and the adaptations that they back with counts."""
