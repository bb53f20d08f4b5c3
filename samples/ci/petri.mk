# For a Makefile: `include petri.mk`, then `check: petri`. Each name can be set before the include, or on the call.

PETRI       ?= petri
PETRI_PATHS ?= .
PETRI_FLAGS ?=

.PHONY: petri petri-diff petri-fix

petri:          ## prove all plans and nets sound
	@$(PETRI) analyze $(PETRI_FLAGS) $(PETRI_PATHS)

petri-diff:     ## show the edits that would make the others sound
	@$(PETRI) analyze --diff $(PETRI_FLAGS) $(PETRI_PATHS)

petri-fix:      ## make these edits
	@$(PETRI) analyze --fix $(PETRI_FLAGS) $(PETRI_PATHS)
