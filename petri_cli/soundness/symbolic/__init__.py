"""Sets of markings as binary decision diagrams: reachability without looking at one marking at a time.

Needs the extra ``symbolic`` (OxiDD). Without it nothing here is called.
"""
