"""Language models: how they are reached, what they are asked, and what of an answer is taken.

What a model says is a proposal. It goes where a person's would go: through the loader, the gate and history.
"""
