/* The compiled core of the explicit search: markings in machine words, a set of them, and what is asked of it.
 *
 * It is the same search as petri_cli/soundness/explore.py, deadlock.py and stubborn.py, state for state and in the same
 * order; those are the specification, and what every answer of this code is tested against.
 *
 * Nothing here knows Python (module.c does). Nothing is global: two searches never meet. Memory is counted, a limit or
 * a failed allocation ends a search with NO_MEMORY and leaves what was found usable. Long loops take a number of steps
 * after which they return PAUSED, to be called again.
 */
#ifndef PETRI_CORE_H
#define PETRI_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t word;

/* How a call ended. */
enum status {
    COMPLETE = 0,   /* nothing is left to do */
    PAUSED = 1,     /* the steps are used up */
    LIMIT = 2,      /* there are as many states as were asked for */
    OVERFLOWED = 3, /* a place holds more tokens than its field has room for: begin again with wider fields */
    NO_MEMORY = 4,  /* the memory that was allowed, or that there is, is used up */
    FOUND = 5,      /* what was looked for is there */
    TOO_WIDE = 6,   /* a count of the net itself fits no field */
    MALFORMED = 7   /* the numbers that should describe a net do not */
};

#define NONE UINT32_MAX

/* ---- memory ------------------------------------------------------------------------------------------------- */

/* What a search holds, in bytes, and what it may hold. Every allocation of the core goes through it. */
struct memory {
    size_t used, most;
};

void *take(struct memory *memory, size_t count, size_t size);        /* zeroed; NULL when there is none */
void *take_raw(struct memory *memory, size_t count, size_t size);    /* the same, not zeroed */
void give_back(struct memory *memory, void *block, size_t count, size_t size);

/* A growing array of numbers. */
struct numbers {
    uint32_t *at;
    size_t size, room;
};

bool append(struct memory *memory, struct numbers *numbers, uint32_t n);
void drop(struct memory *memory, struct numbers *numbers);

/* Sort a short list. */
void ascending(uint32_t *list, size_t size);

/* ---- the net ------------------------------------------------------------------------------------------------ */

/* Where the count of a place is: `bits` value bits of a word, from `shift` on.
 *
 * Places that never seem to hold more than one token are single bits of the first `bit_words` words. All others lie in
 * the words after those and have a *guard* bit above their value bits, which is always set: a subtraction of too much
 * borrows it, and an addition that runs over clears it, so one test a word sees either. No field straddles words.
 */
struct field {
    uint32_t word;
    uint8_t shift, bits;
};

/* What an action asks of one word, and what it does to it. */
struct test {
    uint32_t word;
    word need, inhibit;
};
struct change {
    uint32_t word;
    word take, keep, put; /* after = ((before - take) & keep) + put */
};
struct forward {
    uint32_t source, target; /* places: all that was in the one is added to the other */
};

struct range {
    uint32_t first, end;
};

struct action {
    struct range bit_tests, counter_tests, bit_changes, counter_changes, forwards;
    bool hard;
};

/* The arcs of the net as they were told, for the structural relations of stubborn sets. */
struct arc {
    uint32_t place;
    int64_t count;
};

struct net {
    uint32_t places, actions, words, bit_words;
    struct field *field;   /* of each place */
    word *guards, *values; /* of each word; no guards in bit words */
    word *initial, *final; /* final: NULL when there is none */
    struct action *action;
    struct test *tests;
    struct change *changes;
    struct forward *forwards;

    /* Each action that needs something waits at one place it needs, its *trigger*; `waiting[p]` is the range of those
     * that wait at p in `waiters`. The others, which need nothing, are the range `always`. Only the marked places of a
     * marking have to be looked at to find what is enabled. */
    uint32_t *waiters;
    struct range *waiting, always;
    word *triggers;    /* of each word: the bits (guard bits) of places where somebody waits */
    uint32_t *place_at; /* bit of a word (guard bit) → place */

    /* For stubborn sets: needs (reads count as one) and effects of every action. */
    struct arc *needs, *effects;
    struct range *needs_of, *effects_of;
    bool adds; /* every action adds a constant, and more tokens never disable it */

    size_t n_tests, n_changes, n_forwards, n_needs, n_effects; /* how many there are */
    size_t r_tests, r_changes, r_needs, r_effects;             /* and how many there is room for */
};

/* Build the tables of a net told as numbers (see native/binding.py); each place has a field of at least floors[place]
 * value bits, of which there are `n_floors`. */
enum status net_build(struct net *net, struct memory *memory, const int64_t *told, size_t length,
                      const int64_t *floors, size_t n_floors);
void net_free(struct net *net, struct memory *memory);

/* Pack token counts; false when some count fits no field, so that no marking equals them. */
bool net_pack(const struct net *net, const int64_t *counts, word *marking);
void net_unpack(const struct net *net, const word *marking, int64_t *counts);

/* ---- the set of states -------------------------------------------------------------------------------------- */

/* States lie in chunks that never move. A slot of the table is the number of a state plus one in its low bits and a
 * piece of the hash above; zero is an empty slot. */
struct chunk {
    word *markings;
    uint32_t *parent, *by;
};

struct store {
    uint32_t words;
    unsigned chunk_bits;
    struct chunk *chunks;
    size_t n_chunks, chunk_room;
    uint32_t size;
    uint32_t *slots;
    size_t capacity; /* a power of two */
};

enum status store_open(struct store *store, struct memory *memory, uint32_t words);
void store_free(struct store *store, struct memory *memory);

/* Find a marking: its number, or NONE. */
uint32_t store_find(const struct store *store, const word *marking, word hash);

/* Add a marking that is not there. */
enum status store_add(struct store *store, struct memory *memory, const word *marking, word hash, uint32_t parent,
                      uint32_t by);

/* ---- stubborn sets ------------------------------------------------------------------------------------------ */

struct stubborn {
    struct range *needers_of, *lowerers_of, *raisers_of; /* of each place */
    uint32_t *needers, *lowerers, *raisers;
    bool *free;       /* of each action: it competes with none */
    uint32_t *order;  /* of each action: where it comes among those chosen */
    word *closed, *todo;
    struct numbers members; /* of the closure */
    uint32_t *lowerers_in, *needers_in, closure; /* which closure last took a place's lowerers, needers */
    bool *seed, *best, *candidate; /* by position among the enabled actions */
    size_t n_arcs;
};

enum status stubborn_open(struct stubborn *s, const struct net *net, struct memory *memory);
void stubborn_free(struct stubborn *s, const struct net *net, struct memory *memory);

/* ---- the state space ---------------------------------------------------------------------------------------- */

#define BATCH 32

struct enabled_set {
    uint32_t *list; /* ascending */
    uint32_t size;
    word *bits;
};

/* Where the backward pass is. */
struct backward {
    int phase;
    uint32_t cursor;
    bool changed;
    uint32_t *head;       /* state → first of its pairs, NONE */
    size_t heads;
    struct numbers pairs; /* (predecessor, next pair of the same target), one after the other */
    struct numbers queue;
};

/* A level of a depth-first search: the state, and what is left to try from it in `untried`. */
struct depth {
    struct numbers state, first; /* by level; first: where its actions begin in untried */
    struct numbers untried;
};

struct space {
    struct memory memory;
    struct net net;
    struct store store;
    bool reduced, full;
    struct stubborn stubborn;
    uint32_t expanded;
    uint64_t edges;
    struct numbers rests, outgrown; /* outgrown: places that ended the search with OVERFLOWED */
    word *fired;
    struct enabled_set enabled, other;
    word *batch; /* BATCH markings */
    word hashes[BATCH];
    struct backward backward;
    struct depth depth;
};

/* A state space that has its first state. NULL and the reason when there can be none. */
struct space *space_open(const int64_t *told, size_t length, const int64_t *floors, size_t n_floors, bool reduced,
                         size_t most, enum status *why);
void space_close(struct space *space);

/* Breadth first, until complete, until there are more than `limit` states, or for `steps` states. */
enum status space_advance(struct space *space, uint64_t limit, uint64_t steps);

/* A dead state other than the final one: FOUND with its number. Never more than `limit` states. */
enum status deadlock_near(struct space *space, uint64_t limit, uint64_t steps, uint32_t *found);
enum status deadlock_deep(struct space *space, uint64_t limit, uint64_t steps, uint32_t *found);

/* For each state, good[i] = 1 iff a state with good[i] = 1 can be reached from it through the edges of expanded states.
 * Called again until it no longer says PAUSED. */
enum status space_backwards(struct space *space, uint8_t *good, uint64_t steps);
void space_forget_backwards(struct space *space);

const word *space_marking(const struct space *space, uint32_t state);
uint32_t space_parent(const struct space *space, uint32_t state);
uint32_t space_by(const struct space *space, uint32_t state);
bool space_is_dead(struct space *space, uint32_t state);
enum status space_successors(struct space *space, uint32_t state, struct numbers *targets);

/* The first of the states start … end-1 with at least the tokens of `low` that is not the final one; NONE. */
uint32_t space_beyond(const struct space *space, const word *low, uint32_t start, uint32_t end);

/* The first of the states (at_rest: of the rests) start … end-1 in which the tokens on some places (marked: how many
 * of them are marked) are fewer than `least` or more than `most`; NONE. */
struct window {
    const int64_t *places;
    size_t size;
    bool marked, at_rest;
    uint64_t least, most;
};
enum status space_outside(const struct space *space, const struct window *window, uint32_t start, uint32_t end,
                          uint32_t *found);

/* The first state in start … end-1 that covers an ancestor of it, and the nearest such ancestor. */
bool space_pump(const struct space *space, uint32_t start, uint32_t end, uint32_t *below, uint32_t *above);

/* Raise each count to the most tokens that the place holds in one of the states start … end-1. */
void space_most(const struct space *space, uint32_t start, uint32_t end, int64_t *counts);

/* ---- shared by the searches --------------------------------------------------------------------------------- */

void find_enabled(const struct net *net, const word *marking, struct enabled_set *set);
void forget_enabled(struct enabled_set *set);

/* The actions to follow from a marking whose enabled actions are `set`: all, or a stubborn set's. */
uint32_t choose(struct stubborn *s, const struct net *net, const word *marking, struct enabled_set *set,
                struct memory *memory, enum status *status);

#endif
