"""The command line: one module a subcommand; parses, calls, renders, exits."""
