/* The state space, breadth first. */
#include <assert.h>
#include <stdlib.h>

#include "marking.h"

/* ---- opening and closing ------------------------------------------------------------------------------------ */

static bool open_set(struct enabled_set *set, const struct net *net, struct memory *memory) {
    set->list = take(memory, net->actions, sizeof *set->list);
    set->bits = take(memory, ((size_t)net->actions + 63) / 64, sizeof *set->bits);
    return set->list && set->bits;
}

static void close_set(struct enabled_set *set, const struct net *net, struct memory *memory) {
    give_back(memory, set->list, net->actions, sizeof *set->list);
    give_back(memory, set->bits, ((size_t)net->actions + 63) / 64, sizeof *set->bits);
}

static bool has_work(struct space *s, const word *marking, const struct enabled_set *hint);

static enum status open_all(struct space *s, const int64_t *told, size_t length, const int64_t *floors,
                            size_t n_floors) {
    struct memory *memory = &s->memory;
    enum status status = net_build(&s->net, memory, told, length, floors, n_floors);
    if (status != COMPLETE) return status;
    if (s->reduced && !s->net.adds) return MALFORMED;
    status = store_open(&s->store, memory, s->net.words);
    if (status != COMPLETE) return status;
    s->fired = take(memory, ((size_t)s->net.actions + 63) / 64, sizeof *s->fired);
    s->batch = take(memory, (size_t)BATCH * s->net.words, sizeof *s->batch);
    if (!s->fired || !s->batch || !open_set(&s->enabled, &s->net, memory) || !open_set(&s->other, &s->net, memory))
        return NO_MEMORY;
    if (s->reduced) {
        status = stubborn_open(&s->stubborn, &s->net, memory);
        if (status != COMPLETE) return status;
    }
    status = store_add(&s->store, memory, s->net.initial, hash_of(s->net.initial, s->net.words), 0, 0);
    if (status == COMPLETE && !has_work(s, s->net.initial, &s->enabled) && !append(memory, &s->rests, 0))
        status = NO_MEMORY;
    return status;
}

struct space *space_open(const int64_t *told, size_t length, const int64_t *floors, size_t n_floors, bool reduced,
                         size_t most, enum status *why) {
    struct space *s = calloc(1, sizeof *s);
    *why = NO_MEMORY;
    if (!s) return NULL;
    s->memory.most = most;
    s->reduced = reduced;
    *why = open_all(s, told, length, floors, n_floors);
    if (*why == COMPLETE) return s;
    space_close(s);
    return NULL;
}

void space_close(struct space *s) {
    if (!s) return;
    struct memory *memory = &s->memory;
    stubborn_free(&s->stubborn, &s->net, memory);
    close_set(&s->enabled, &s->net, memory);
    close_set(&s->other, &s->net, memory);
    give_back(memory, s->fired, ((size_t)s->net.actions + 63) / 64, sizeof *s->fired);
    give_back(memory, s->batch, (size_t)BATCH * s->net.words, sizeof *s->batch);
    give_back(memory, s->backward.head, s->backward.heads, sizeof *s->backward.head);
    drop(memory, &s->rests);
    drop(memory, &s->outgrown);
    drop(memory, &s->backward.pairs);
    drop(memory, &s->backward.queue);
    drop(memory, &s->depth.state);
    drop(memory, &s->depth.first);
    drop(memory, &s->depth.untried);
    store_free(&s->store, memory);
    net_free(&s->net, memory);
    assert(memory->used == 0); /* all that was counted has been given back */
    free(s);
}

/* ---- states ------------------------------------------------------------------------------------------------- */

static const struct chunk *chunk_of(const struct space *s, uint32_t state, size_t *at) {
    *at = state & (((size_t)1 << s->store.chunk_bits) - 1);
    return &s->store.chunks[state >> s->store.chunk_bits];
}

const word *space_marking(const struct space *s, uint32_t state) {
    size_t at;
    const struct chunk *c = chunk_of(s, state, &at);
    return c->markings + at * s->net.words;
}

uint32_t space_parent(const struct space *s, uint32_t state) {
    size_t at;
    const struct chunk *c = chunk_of(s, state, &at);
    return c->parent[at];
}

uint32_t space_by(const struct space *s, uint32_t state) {
    size_t at;
    const struct chunk *c = chunk_of(s, state, &at);
    return c->by[at];
}

static bool works(const struct space *s, uint32_t a, const word *marking) {
    return !s->net.action[a].hard && is_enabled(&s->net, &s->net.action[a], marking);
}

/* Whether an action without a hard deadline is enabled. `hint`: what was enabled just before, most of it still is. */
static bool has_work(struct space *s, const word *marking, const struct enabled_set *hint) {
    for (uint32_t i = 0; i < hint->size; i++)
        if (works(s, hint->list[i], marking)) return true;
    find_enabled(&s->net, marking, &s->other);
    for (uint32_t i = 0; i < s->other.size; i++)
        if (!s->net.action[s->other.list[i]].hard) return true;
    return false;
}

bool space_is_dead(struct space *s, uint32_t state) {
    find_enabled(&s->net, space_marking(s, state), &s->other);
    return s->other.size == 0;
}

/* ---- growing ------------------------------------------------------------------------------------------------ */

/* What a search does with the states that come up. */
struct growth {
    uint64_t most;     /* states that there may be */
    bool rests;        /* list them */
    uint32_t *targets; /* of the batch */
};

/* The first place that an enabled action makes outgrow its field; NONE. */
static uint32_t outgrown(const struct net *net, const struct action *a, const word *m) {
    for (uint32_t i = a->bit_changes.first; i < a->bit_changes.end; i++) {
        const struct change *c = &net->changes[i];
        word clash = m[c->word] & c->keep & c->put;
        if (clash) return net->place_at[c->word * 64 + lowest(clash)];
    }
    for (uint32_t i = a->counter_changes.first; i < a->counter_changes.end; i++) {
        const struct change *c = &net->changes[i];
        word lost = net->guards[c->word] & ~(((m[c->word] - c->take) & c->keep) + c->put);
        if (lost) return net->place_at[c->word * 64 + lowest(lost)];
    }
    return NONE;
}

/* List the places for which the fields are too narrow: some of them, for a hint how wide to make them. */
static void note_outgrown(struct space *s, const word *marking, const uint32_t *actions, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const struct action *a = &s->net.action[actions[k]];
        if (fire(&s->net, a, marking, s->batch)) continue;
        uint32_t p = outgrown(&s->net, a, marking);
        for (uint32_t i = a->forwards.first; i < a->forwards.end; i++)
            if (p == NONE) append(&s->memory, &s->outgrown, s->net.forwards[i].target);
        if (p != NONE) append(&s->memory, &s->outgrown, p);
    }
}

/* Fire some actions from a marking into the batch; what they lead to is looked up only after all of them, so that the
 * slots have time to come into the cache. */
static bool fire_batch(struct space *s, const word *marking, const uint32_t *actions, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        word *after = s->batch + (size_t)k * s->net.words;
        if (!fire(&s->net, &s->net.action[actions[k]], marking, after)) {
            note_outgrown(s, marking, actions, n);
            return false;
        }
        s->hashes[k] = hash_of(after, s->net.words);
        PREFETCH(&s->store.slots[s->hashes[k] & (s->store.capacity - 1)]);
    }
    return true;
}

static enum status add(struct space *s, const struct growth *g, uint32_t k, uint32_t parent, uint32_t by) {
    const word *after = s->batch + (size_t)k * s->net.words;
    if (store_find(&s->store, after, s->hashes[k]) != NONE) return COMPLETE;
    if (s->store.size >= g->most) return LIMIT;
    uint32_t state = s->store.size;
    if (g->rests && !has_work(s, after, &s->enabled) && !append(&s->memory, &s->rests, state)) return NO_MEMORY;
    enum status status = store_add(&s->store, &s->memory, after, s->hashes[k], parent, by);
    if (status != COMPLETE && s->rests.size && s->rests.at[s->rests.size - 1] == state) s->rests.size--;
    return status;
}

/* All that follows from a state; `s->enabled` has the actions to follow. */
static enum status expand(struct space *s, const struct growth *g, uint32_t state) {
    const word *marking = space_marking(s, state);
    for (uint32_t first = 0; first < s->enabled.size; first += BATCH) {
        uint32_t n = s->enabled.size - first < BATCH ? s->enabled.size - first : BATCH;
        if (!fire_batch(s, marking, s->enabled.list + first, n)) return OVERFLOWED;
        for (uint32_t k = 0; k < n; k++) {
            enum status status = add(s, g, k, state, s->enabled.list[first + k]);
            if (status != COMPLETE) return status;
        }
    }
    return COMPLETE;
}

/* The actions to follow from a state, into s->enabled. */
static enum status select_from(struct space *s, const word *marking) {
    enum status status = COMPLETE;
    find_enabled(&s->net, marking, &s->enabled);
    for (uint32_t i = 0; i < s->enabled.size; i++) set_bit(s->fired, s->enabled.list[i]);
    if (s->reduced && s->enabled.size) choose(&s->stubborn, &s->net, marking, &s->enabled, &s->memory, &status);
    return status;
}

enum status space_advance(struct space *s, uint64_t limit, uint64_t steps) {
    struct growth g = {.most = NONE - 1, .rests = true};
    for (; s->expanded < s->store.size; steps--) {
        if (s->store.size > limit) return LIMIT;
        if (!steps) return PAUSED;
        enum status status = select_from(s, space_marking(s, s->expanded));
        if (status == COMPLETE) status = expand(s, &g, s->expanded);
        if (status == NO_MEMORY || status == LIMIT) {
            s->full = true;
            return NO_MEMORY;
        }
        if (status != COMPLETE) return status;
        s->edges += s->enabled.size;
        s->expanded++;
    }
    return COMPLETE;
}

static bool is_final(const struct space *s, const word *marking) {
    return s->net.final && same(marking, s->net.final, s->net.words);
}

enum status deadlock_near(struct space *s, uint64_t limit, uint64_t steps, uint32_t *found) {
    struct growth g = {.most = limit < NONE - 1 ? limit : NONE - 1, .rests = false};
    for (; s->expanded < s->store.size; steps--) {
        if (!steps) return PAUSED;
        const word *marking = space_marking(s, s->expanded);
        enum status status = select_from(s, marking);
        if (status == COMPLETE && !s->enabled.size && !is_final(s, marking)) {
            *found = s->expanded;
            return FOUND;
        }
        if (status == COMPLETE) status = expand(s, &g, s->expanded);
        if (status != COMPLETE) return status;
        s->expanded++;
    }
    return COMPLETE;
}

/* ---- depth first -------------------------------------------------------------------------------------------- */

/* Enter a state: list what is to be tried from it. FOUND when it is a deadlock. */
static enum status enter(struct space *s, uint32_t state) {
    struct depth *d = &s->depth;
    const word *marking = space_marking(s, state);
    enum status status = select_from(s, marking);
    if (status != COMPLETE) return status;
    bool there = append(&s->memory, &d->state, state) && append(&s->memory, &d->first, (uint32_t)d->untried.size);
    for (uint32_t i = 0; i < s->enabled.size; i++) there = there && append(&s->memory, &d->untried, s->enabled.list[i]);
    if (!there || d->untried.size >= NONE) return NO_MEMORY;
    return !s->enabled.size && !is_final(s, marking) ? FOUND : COMPLETE;
}

enum status deadlock_deep(struct space *s, uint64_t limit, uint64_t steps, uint32_t *found) {
    struct depth *d = &s->depth;
    struct growth g = {.most = limit < NONE - 1 ? limit : NONE - 1, .rests = false};
    enum status status = COMPLETE;
    if (!d->state.size) {
        if (s->expanded) return COMPLETE; /* all was tried before */
        s->expanded = 1;
        status = enter(s, 0);
    }
    while (status == COMPLETE && d->state.size) {
        uint32_t top = d->state.at[d->state.size - 1];
        if (d->untried.size == d->first.at[d->first.size - 1]) {
            d->state.size--, d->first.size--;
            continue;
        }
        if (!steps--) return PAUSED;
        uint32_t a = d->untried.at[--d->untried.size];
        if (!fire_batch(s, space_marking(s, top), &a, 1)) return OVERFLOWED;
        uint32_t size = s->store.size;
        status = add(s, &g, 0, top, a);
        if (status == COMPLETE && s->store.size > size) status = enter(s, size);
    }
    if (status == FOUND) *found = d->state.at[d->state.size - 1];
    return status;
}

/* ---- looking ------------------------------------------------------------------------------------------------ */

enum status space_successors(struct space *s, uint32_t state, struct numbers *targets) {
    const word *marking = space_marking(s, state);
    enum status status = select_from(s, marking);
    if (status != COMPLETE) return status;
    for (uint32_t k = 0; k < s->enabled.size; k++) {
        if (!fire_batch(s, marking, &s->enabled.list[k], 1)) return OVERFLOWED;
        if (!append(&s->memory, targets, store_find(&s->store, s->batch, s->hashes[0]))) return NO_MEMORY;
    }
    return COMPLETE;
}

static uint32_t least_of(uint32_t a, size_t b) { return a < b ? a : (uint32_t)b; }

uint32_t space_beyond(const struct space *s, const word *low, uint32_t start, uint32_t end) {
    end = least_of(end, s->store.size);
    for (uint32_t i = start; i < end; i++) {
        const word *m = space_marking(s, i);
        if (covers(&s->net, m, low) && !is_final(s, m)) return i;
    }
    return NONE;
}

enum status space_outside(const struct space *s, const struct window *w, uint32_t start, uint32_t end,
                          uint32_t *found) {
    end = least_of(end, w->at_rest ? s->rests.size : s->store.size);
    for (uint32_t i = start; i < end; i++) {
        uint32_t state = w->at_rest ? s->rests.at[i] : i;
        const word *m = space_marking(s, state);
        uint64_t sum = 0;
        for (size_t k = 0; k < w->size; k++) {
            uint64_t n = count_of(&s->net, m, (uint32_t)w->places[k]);
            if (w->marked) n = n != 0;
            if (n > UINT64_MAX - sum) return OVERFLOWED;
            sum += n;
        }
        if (sum < w->least || sum > w->most) {
            *found = state;
            return FOUND;
        }
    }
    return COMPLETE;
}

bool space_pump(const struct space *s, uint32_t start, uint32_t end, uint32_t *below, uint32_t *above) {
    for (uint32_t i = start; i < end && i < s->store.size; i++) {
        const word *m = space_marking(s, i);
        for (uint32_t j = i; j;) {
            j = space_parent(s, j);
            if (covers(&s->net, m, space_marking(s, j))) {
                *below = j, *above = i;
                return true;
            }
        }
    }
    return false;
}

void space_most(const struct space *s, uint32_t start, uint32_t end, int64_t *counts) {
    end = least_of(end, s->store.size);
    for (uint32_t i = start; i < end; i++) {
        const word *m = space_marking(s, i);
        for (uint32_t p = 0; p < s->net.places; p++) {
            int64_t n = (int64_t)count_of(&s->net, m, p);
            if (n > counts[p]) counts[p] = n;
        }
    }
}
