"""Readers and writers of net files: `kind: net` documents, PNML, DOT, Mermaid, SVG."""
