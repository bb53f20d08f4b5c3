/* From which states can some be reached? No edges are stored: they are fired again.
 *
 * Edges lead forward in the order of states but for cycles and shortcuts, so one sweep from the last state to the first
 * settles nearly all: the tree hands what is known of a state to its parent for nothing, and of the others mostly the
 * first edge or two are looked at. What is left goes by lists of reversed edges; where there is no memory for those, by
 * sweeps until nothing changes.
 */
#include "marking.h"

enum phase { BEGIN, SWEEP, COLLECT, SPREAD, SWEEP_ON };

/* Whether an edge leads from a state to a good one; with `list`, else each edge's target gets its pair. */
static enum status looks_good(struct space *s, const uint8_t *good, uint32_t state, bool list, bool *answer) {
    struct backward *b = &s->backward;
    const word *marking = space_marking(s, state);
    enum status status = COMPLETE;
    find_enabled(&s->net, marking, &s->enabled);
    if (s->reduced && s->enabled.size) choose(&s->stubborn, &s->net, marking, &s->enabled, &s->memory, &status);
    *answer = false;
    for (uint32_t k = 0; status == COMPLETE && k < s->enabled.size; k++) {
        if (!fire(&s->net, &s->net.action[s->enabled.list[k]], marking, s->batch)) return OVERFLOWED;
        uint32_t target = store_find(&s->store, s->batch, hash_of(s->batch, s->net.words));
        if (target == NONE) continue; /* not an edge of an expanded state */
        if (good[target]) {
            *answer = true;
            return COMPLETE;
        }
        if (!list || target == state) continue;
        uint32_t pair = (uint32_t)(b->pairs.size / 2);
        if (b->pairs.size >= NONE - 2 || !append(&s->memory, &b->pairs, state)) return NO_MEMORY;
        if (!append(&s->memory, &b->pairs, b->head[target])) {
            b->pairs.size--;
            return NO_MEMORY;
        }
        b->head[target] = pair;
    }
    return status;
}

/* One step of a sweep from the last state to the first. */
static enum status sweep(struct space *s, uint8_t *good, uint32_t i) {
    bool found = good[i];
    if (!found && i < s->expanded) {
        enum status status = looks_good(s, good, i, false, &found);
        if (status != COMPLETE) return status;
        if (found) good[i] = 1, s->backward.changed = true;
    }
    uint32_t parent = space_parent(s, i); /* not expanded where memory ran out in the middle of its edges */
    if (found && parent < s->expanded && !good[parent]) good[parent] = 1, s->backward.changed = true;
    return COMPLETE;
}

static enum status collect(struct space *s, uint8_t *good, uint32_t i) {
    bool found;
    if (good[i] || i >= s->expanded) return COMPLETE;
    enum status status = looks_good(s, good, i, true, &found);
    if (status != COMPLETE || !found) return status;
    if (!append(&s->memory, &s->backward.queue, i)) return NO_MEMORY;
    good[i] = 1;
    return COMPLETE;
}

/* Hand on what is known of one state; a failed append leaves it in the queue. */
static enum status spread(struct space *s, uint8_t *good) {
    struct backward *b = &s->backward;
    uint32_t state = b->queue.at[--b->queue.size];
    for (uint32_t pair = b->head[state]; pair != NONE; pair = b->pairs.at[2 * (size_t)pair + 1]) {
        uint32_t before = b->pairs.at[2 * (size_t)pair];
        if (good[before]) continue;
        good[before] = 1;
        if (!append(&s->memory, &b->queue, before)) return NO_MEMORY;
    }
    return COMPLETE;
}

void space_forget_backwards(struct space *s) {
    struct backward *b = &s->backward;
    give_back(&s->memory, b->head, b->heads, sizeof *b->head);
    drop(&s->memory, &b->pairs);
    drop(&s->memory, &b->queue);
    *b = (struct backward){0};
}

static void begin_sweep(struct space *s, enum phase phase) {
    s->backward.phase = phase;
    s->backward.cursor = s->store.size;
    s->backward.changed = false;
}

/* After the first sweep: lists of reversed edges if there is room, else more sweeps. */
static void go_on(struct space *s) {
    struct backward *b = &s->backward;
    b->head = take_raw(&s->memory, s->store.size, sizeof *b->head);
    if (!b->head) {
        begin_sweep(s, SWEEP_ON);
        return;
    }
    b->heads = s->store.size;
    memset(b->head, 0xFF, b->heads * sizeof *b->head);
    b->phase = COLLECT;
    b->cursor = 0;
}

enum status space_backwards(struct space *s, uint8_t *good, uint64_t steps) {
    struct backward *b = &s->backward;
    for (; steps; steps--) {
        enum status status = COMPLETE;
        switch ((enum phase)b->phase) {
        case BEGIN:
            begin_sweep(s, SWEEP);
            break;
        case SWEEP:
            if (!b->cursor)
                go_on(s);
            else
                status = sweep(s, good, --b->cursor);
            break;
        case COLLECT:
            if (b->cursor == s->store.size)
                b->phase = SPREAD;
            else
                status = collect(s, good, b->cursor++);
            break;
        case SPREAD:
            if (!b->queue.size) {
                space_forget_backwards(s);
                return COMPLETE;
            }
            status = spread(s, good);
            break;
        case SWEEP_ON:
            if (b->cursor)
                status = sweep(s, good, --b->cursor);
            else if (b->changed)
                begin_sweep(s, SWEEP_ON);
            else {
                space_forget_backwards(s);
                return COMPLETE;
            }
            break;
        }
        if (status == NO_MEMORY && b->phase != SWEEP && b->phase != SWEEP_ON) {
            space_forget_backwards(s); /* what is marked good is good: sweeps find the rest */
            begin_sweep(s, SWEEP_ON);
        } else if (status != COMPLETE) {
            space_forget_backwards(s);
            return status;
        }
    }
    return PAUSED;
}
