"""The checker of certificates: what the gate claimed, looked at again by someone who can't search.

Nothing here knows how a verdict was found. A certificate says where to look; each function looks there, by the plain
firing rule and exact arithmetic, and raises :class:`petri_cli.certificate.claim.Unproved` at the first thing that is
not as claimed. See ``docs/certificates.md``.
"""
