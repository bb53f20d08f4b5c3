"""Work on a plan: its execution net bound to actions, the decisions that the net leaves open, simulation."""
