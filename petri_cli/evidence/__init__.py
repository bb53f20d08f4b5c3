"""Writing down the evidence of a verdict so that :mod:`petri_cli.certificate` can look at it again.

What is written need not be how the gate decided: it is what a checker that can't search can follow. The provers do
the work once more where they have to; of a plan the checker says what is to be shown, and the provers show it.
"""
