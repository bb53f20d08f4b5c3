/* The set of states: markings in chunks, found by open addressing with linear probing. */
#include "marking.h"

#define FIRST_CAPACITY 256
#define CHUNK_BYTES (256u << 10)

static size_t chunk_states(const struct store *s) { return (size_t)1 << s->chunk_bits; }

enum status store_open(struct store *s, struct memory *memory, uint32_t words) {
    *s = (struct store){.words = words, .chunk_bits = 12, .capacity = FIRST_CAPACITY};
    while (s->chunk_bits > 6 && (sizeof(word) * words + 8) << s->chunk_bits > CHUNK_BYTES) s->chunk_bits--;
    s->slots = take(memory, s->capacity, sizeof *s->slots);
    return s->slots ? COMPLETE : NO_MEMORY;
}

void store_free(struct store *s, struct memory *memory) {
    for (size_t i = 0; i < s->n_chunks; i++) {
        give_back(memory, s->chunks[i].markings, chunk_states(s) * s->words, sizeof(word));
        give_back(memory, s->chunks[i].parent, chunk_states(s), sizeof(uint32_t));
        give_back(memory, s->chunks[i].by, chunk_states(s), sizeof(uint32_t));
    }
    give_back(memory, s->chunks, s->chunk_room, sizeof *s->chunks);
    give_back(memory, s->slots, s->capacity, sizeof *s->slots);
    *s = (struct store){0};
}

static const word *marking_at(const struct store *s, uint32_t state) {
    return s->chunks[state >> s->chunk_bits].markings + (size_t)(state & (chunk_states(s) - 1)) * s->words;
}

/* A slot is the number plus one (at most three quarters of the capacity, so it fits the low bits), with the upper bits
 * of the hash above it. */
static uint32_t tag_of(const struct store *s, word hash) {
    return (uint32_t)(hash >> 32) & ~(uint32_t)(s->capacity - 1);
}

uint32_t store_find(const struct store *s, const word *marking, word hash) {
    uint32_t low = (uint32_t)(s->capacity - 1), tag = tag_of(s, hash);
    for (size_t i = (size_t)hash & low;; i = (i + 1) & low) {
        uint32_t slot = s->slots[i];
        if (!slot) return NONE;
        if ((slot & ~low) == tag && same(marking_at(s, (slot & low) - 1), marking, s->words)) return (slot & low) - 1;
    }
}

static void put_in(struct store *s, uint32_t state, word hash) {
    size_t low = s->capacity - 1, i = (size_t)hash & low;
    while (s->slots[i]) i = (i + 1) & low;
    s->slots[i] = tag_of(s, hash) | (state + 1);
}

static bool widen_table(struct store *s, struct memory *memory) {
    size_t before = s->capacity;
    if (before >= (size_t)1 << 31) return false;
    uint32_t *slots = take(memory, 2 * before, sizeof *slots);
    if (!slots) return false;
    give_back(memory, s->slots, before, sizeof *slots);
    s->slots = slots;
    s->capacity = 2 * before;
    for (uint32_t state = 0; state < s->size; state++)
        put_in(s, state, hash_of(marking_at(s, state), s->words));
    return true;
}

static bool add_chunk(struct store *s, struct memory *memory) {
    if (s->n_chunks == s->chunk_room) {
        size_t room = s->chunk_room ? 2 * s->chunk_room : 8;
        struct chunk *chunks = take(memory, room, sizeof *chunks);
        if (!chunks) return false;
        if (s->n_chunks) memcpy(chunks, s->chunks, s->n_chunks * sizeof *chunks);
        give_back(memory, s->chunks, s->chunk_room, sizeof *chunks);
        s->chunks = chunks;
        s->chunk_room = room;
    }
    struct chunk *c = &s->chunks[s->n_chunks];
    c->markings = take_raw(memory, chunk_states(s) * s->words, sizeof(word));
    c->parent = take_raw(memory, chunk_states(s), sizeof(uint32_t));
    c->by = take_raw(memory, chunk_states(s), sizeof(uint32_t));
    if (c->markings && c->parent && c->by) {
        s->n_chunks++;
        return true;
    }
    give_back(memory, c->markings, chunk_states(s) * s->words, sizeof(word));
    give_back(memory, c->parent, chunk_states(s), sizeof(uint32_t));
    give_back(memory, c->by, chunk_states(s), sizeof(uint32_t));
    return false;
}

enum status store_add(struct store *s, struct memory *memory, const word *marking, word hash, uint32_t parent,
                      uint32_t by) {
    if (s->size + 1 > s->capacity / 4 * 3 && !widen_table(s, memory)) return NO_MEMORY;
    if (s->size >> s->chunk_bits == s->n_chunks && !add_chunk(s, memory)) return NO_MEMORY;
    uint32_t state = s->size++;
    struct chunk *c = &s->chunks[state >> s->chunk_bits];
    size_t at = state & (chunk_states(s) - 1);
    for (uint32_t i = 0; i < s->words; i++) c->markings[at * s->words + i] = marking[i];
    c->parent[at] = parent;
    c->by[at] = by;
    put_in(s, state, hash);
    return COMPLETE;
}
