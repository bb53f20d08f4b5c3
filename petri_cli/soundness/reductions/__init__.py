"""Structural reductions that preserve soundness, each condition by itself, and bring runs back.

A rule looks at a place or a transition and what is next to it, and says in its module what it preserves, under which
preconditions, and why. All of them hold for a net with weights, resources and any arcs elsewhere; what an inhibitor,
reset or draining arc touches they leave alone. Final and initial marking are part of the question and are kept.
"""
