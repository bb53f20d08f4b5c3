"""Sessions: plans made durable. An append-only log of events, and what is folded from it."""
