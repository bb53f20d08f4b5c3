"""Linear evidence: verdicts from the state equation, in exact integers, with no state explored."""
