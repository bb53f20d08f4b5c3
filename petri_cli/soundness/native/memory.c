/* Counted allocation. */
#include <stdlib.h>

#include "core.h"

static bool allowed(struct memory *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return false;
    size_t bytes = count * size;
    if (bytes > memory->most - memory->used) return false;
    memory->used += bytes;
    return true;
}

/* A block of no elements is one byte, so that NULL always means that there is no memory. */
void *take(struct memory *memory, size_t count, size_t size) {
    if (!allowed(memory, count, size)) return NULL;
    void *block = calloc(count ? count : 1, size);
    if (!block) memory->used -= count * size;
    return block;
}

void *take_raw(struct memory *memory, size_t count, size_t size) {
    if (!allowed(memory, count, size)) return NULL;
    void *block = malloc(count ? count * size : 1);
    if (!block) memory->used -= count * size;
    return block;
}

void give_back(struct memory *memory, void *block, size_t count, size_t size) {
    if (!block) return;
    memory->used -= count * size;
    free(block);
}

bool append(struct memory *memory, struct numbers *numbers, uint32_t n) {
    if (numbers->size == numbers->room) {
        size_t room = numbers->room ? 2 * numbers->room : 64, more = room - numbers->room;
        if (!allowed(memory, more, sizeof *numbers->at)) return false;
        uint32_t *at = realloc(numbers->at, room * sizeof *at);
        if (!at) {
            memory->used -= more * sizeof *at;
            return false;
        }
        numbers->at = at;
        numbers->room = room;
    }
    numbers->at[numbers->size++] = n;
    return true;
}

void drop(struct memory *memory, struct numbers *numbers) {
    give_back(memory, numbers->at, numbers->room, sizeof *numbers->at);
    *numbers = (struct numbers){0};
}
