"""The mathematics: places, arcs, transitions, nets, markings, the firing rule, the dense compiled form."""
