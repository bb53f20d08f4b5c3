"""Documentation, and what generates the generated pages."""
