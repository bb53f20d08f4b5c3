"""The language people write: loading with positions, the plan tree, lowering to a net, printing."""
