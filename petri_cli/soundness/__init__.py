"""The gate: provers, verdicts, counterexamples, verified fixes."""
