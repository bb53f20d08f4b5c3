/* Strongly stubborn sets: the same sets as petri_cli/soundness/stubborn.py chooses, which has the theorem.
 *
 * The closure goes by places: «a takes along who lowers a place it needs, and who needs a place it lowers». Each
 * place hands over either list once in a closure, so a closure costs no more than the arcs that it meets.
 */
#include "marking.h"

#define MAX_SEEDS 12

/* Turn counts per place into ranges of a list, and an empty list into a full one, in two passes over the arcs. */
static uint32_t as_ranges(struct range *of, uint32_t places) {
    uint32_t at = 0;
    for (uint32_t p = 0; p < places; p++) {
        uint32_t n = of[p].end;
        of[p] = (struct range){at, at};
        at += n;
    }
    return at;
}

static void count_arcs(struct stubborn *s, const struct net *net) {
    for (size_t i = 0; i < net->n_needs; i++) s->needers_of[net->needs[i].place].end++;
    for (size_t i = 0; i < net->n_effects; i++)
        (net->effects[i].count < 0 ? s->lowerers_of : s->raisers_of)[net->effects[i].place].end++;
}

static void list_arcs(struct stubborn *s, const struct net *net) {
    for (uint32_t a = 0; a < net->actions; a++) {
        for (uint32_t i = net->needs_of[a].first; i < net->needs_of[a].end; i++)
            s->needers[s->needers_of[net->needs[i].place].end++] = a;
        for (uint32_t i = net->effects_of[a].first; i < net->effects_of[a].end; i++) {
            uint32_t p = net->effects[i].place;
            if (net->effects[i].count < 0)
                s->lowerers[s->lowerers_of[p].end++] = a;
            else
                s->raisers[s->raisers_of[p].end++] = a;
        }
    }
}

static bool only(const uint32_t *list, struct range r, uint32_t a) {
    return r.first == r.end || (r.end - r.first == 1 && list[r.first] == a);
}

/* What an action lowers it also needs, so its effects say which lists of needers it takes along. */
static void find_free(struct stubborn *s, const struct net *net) {
    for (uint32_t a = 0; a < net->actions; a++) {
        bool free = true;
        for (uint32_t i = net->needs_of[a].first; i < net->needs_of[a].end; i++)
            free &= only(s->lowerers, s->lowerers_of[net->needs[i].place], a);
        for (uint32_t i = net->effects_of[a].first; i < net->effects_of[a].end; i++)
            if (net->effects[i].count < 0) free &= only(s->needers, s->needers_of[net->effects[i].place], a);
        s->free[a] = free;
    }
}

/* order[a]: the place of a when all actions are sorted by falling rank and number. The rank is what an action gives
 * back of contested places: what takes most comes last, and a depth-first search tries the last first. */
static bool find_order(struct stubborn *s, const struct net *net, struct memory *memory) {
    int64_t *rank = take(memory, net->actions, sizeof *rank);
    uint32_t *sorted = take_raw(memory, net->actions, sizeof *sorted);
    uint32_t *other = take_raw(memory, net->actions, sizeof *other);
    if (rank && sorted && other) {
        for (uint32_t a = 0; a < net->actions; a++) {
            for (uint32_t i = net->effects_of[a].first; i < net->effects_of[a].end; i++) {
                const struct range *r = &s->lowerers_of[net->effects[i].place];
                if (r->end - r->first > 1) rank[a] += net->effects[i].count;
            }
            sorted[a] = net->actions - 1 - a;
        }
        /* merge sort, stable, highest rank first; equal ranks stay in falling order of their numbers */
        for (size_t run = 1; run < net->actions; run *= 2) {
            for (size_t from = 0; from < net->actions; from += 2 * run) {
                size_t i = from, j = from + run, k = from, middle = j, end = from + 2 * run;
                if (middle > net->actions) middle = j = net->actions;
                if (end > net->actions) end = net->actions;
                while (i < middle || j < end) {
                    bool left = j >= end || (i < middle && rank[sorted[i]] >= rank[sorted[j]]);
                    other[k++] = left ? sorted[i++] : sorted[j++];
                }
            }
            uint32_t *swap = sorted;
            sorted = other, other = swap;
        }
        for (uint32_t i = 0; i < net->actions; i++) s->order[sorted[i]] = i;
    }
    bool done = rank && sorted && other;
    give_back(memory, rank, net->actions, sizeof *rank);
    give_back(memory, sorted, net->actions, sizeof *sorted);
    give_back(memory, other, net->actions, sizeof *other);
    return done;
}

enum status stubborn_open(struct stubborn *s, const struct net *net, struct memory *memory) {
    size_t words = ((size_t)net->actions + 63) / 64;
    s->needers_of = take(memory, net->places, sizeof(struct range));
    s->lowerers_of = take(memory, net->places, sizeof(struct range));
    s->raisers_of = take(memory, net->places, sizeof(struct range));
    s->needers = take(memory, net->n_needs, sizeof(uint32_t));
    s->lowerers = take(memory, net->n_effects, sizeof(uint32_t));
    s->raisers = take(memory, net->n_effects, sizeof(uint32_t));
    s->free = take(memory, net->actions, sizeof(bool));
    s->order = take(memory, net->actions, sizeof(uint32_t));
    s->closed = take(memory, words, sizeof(word));
    s->todo = take(memory, words, sizeof(word));
    s->lowerers_in = take(memory, net->places, sizeof(uint32_t));
    s->needers_in = take(memory, net->places, sizeof(uint32_t));
    s->seed = take(memory, net->actions, sizeof(bool));
    s->best = take(memory, net->actions, sizeof(bool));
    s->candidate = take(memory, net->actions, sizeof(bool));
    if (!s->needers_of || !s->lowerers_of || !s->raisers_of || !s->needers || !s->lowerers || !s->raisers || !s->free ||
        !s->order || !s->closed || !s->todo || !s->lowerers_in || !s->needers_in || !s->seed || !s->best ||
        !s->candidate)
        return NO_MEMORY;
    count_arcs(s, net);
    as_ranges(s->needers_of, net->places);
    as_ranges(s->lowerers_of, net->places);
    as_ranges(s->raisers_of, net->places);
    list_arcs(s, net);
    find_free(s, net);
    return find_order(s, net, memory) ? COMPLETE : NO_MEMORY;
}

void stubborn_free(struct stubborn *s, const struct net *net, struct memory *memory) {
    size_t words = ((size_t)net->actions + 63) / 64;
    give_back(memory, s->needers_of, net->places, sizeof(struct range));
    give_back(memory, s->lowerers_of, net->places, sizeof(struct range));
    give_back(memory, s->raisers_of, net->places, sizeof(struct range));
    give_back(memory, s->needers, net->n_needs, sizeof(uint32_t));
    give_back(memory, s->lowerers, net->n_effects, sizeof(uint32_t));
    give_back(memory, s->raisers, net->n_effects, sizeof(uint32_t));
    give_back(memory, s->free, net->actions, sizeof(bool));
    give_back(memory, s->order, net->actions, sizeof(uint32_t));
    give_back(memory, s->closed, words, sizeof(word));
    give_back(memory, s->todo, words, sizeof(word));
    give_back(memory, s->lowerers_in, net->places, sizeof(uint32_t));
    give_back(memory, s->needers_in, net->places, sizeof(uint32_t));
    give_back(memory, s->seed, net->actions, sizeof(bool));
    give_back(memory, s->best, net->actions, sizeof(bool));
    give_back(memory, s->candidate, net->actions, sizeof(bool));
    drop(memory, &s->members);
    *s = (struct stubborn){0};
}

/* ---- one closure -------------------------------------------------------------------------------------------- */

struct closure {
    struct stubborn *s;
    const struct net *net;
    const word *marking;
    const struct enabled_set *enabled;
    struct memory *memory;
    uint32_t lowest; /* no word of todo below it has a bit */
    bool failed;
};

static void include(struct closure *c, uint32_t a) {
    if (has_bit(c->s->closed, a)) return;
    set_bit(c->s->closed, a);
    set_bit(c->s->todo, a);
    if (a >> 6 < c->lowest) c->lowest = a >> 6;
    if (!append(c->memory, &c->s->members, a)) c->failed = true;
}

static void include_all(struct closure *c, const uint32_t *list, struct range r) {
    for (uint32_t i = r.first; i < r.end; i++) include(c, list[i]);
}

/* 2 of the definition: an enabled action takes along whom it competes with. */
static void include_rivals(struct closure *c, uint32_t a) {
    struct stubborn *s = c->s;
    const struct net *net = c->net;
    for (uint32_t i = net->needs_of[a].first; i < net->needs_of[a].end; i++) {
        uint32_t p = net->needs[i].place;
        if (s->lowerers_in[p] == s->closure) continue;
        s->lowerers_in[p] = s->closure;
        include_all(c, s->lowerers, s->lowerers_of[p]);
    }
    for (uint32_t i = net->effects_of[a].first; i < net->effects_of[a].end; i++) {
        uint32_t p = net->effects[i].place;
        if (net->effects[i].count > 0 || s->needers_in[p] == s->closure) continue;
        s->needers_in[p] = s->closure;
        include_all(c, s->needers, s->needers_of[p]);
    }
}

/* 1 of the definition: a disabled action takes along who raises one place too short for it, that which adds least. */
static void include_raisers(struct closure *c, uint32_t a) {
    const struct stubborn *s = c->s;
    uint32_t best = NONE, fewest_enabled = NONE, fewest = NONE;
    for (uint32_t i = c->net->needs_of[a].first; i < c->net->needs_of[a].end; i++) {
        const struct arc *need = &c->net->needs[i];
        if (count_of(c->net, c->marking, need->place) >= (word)need->count) continue;
        uint32_t enabled = 0, all = 0;
        struct range r = s->raisers_of[need->place];
        for (uint32_t k = r.first; k < r.end; k++)
            if (!has_bit(s->closed, s->raisers[k])) {
                all++;
                enabled += has_bit(c->enabled->bits, s->raisers[k]);
            }
        if (!all) return;
        if (enabled < fewest_enabled || (enabled == fewest_enabled && all < fewest))
            best = need->place, fewest_enabled = enabled, fewest = all;
    }
    if (best != NONE) include_all(c, s->raisers, s->raisers_of[best]);
}

/* The least of the actions still to be looked at: the set does not depend on the order of the lists. */
static bool next(struct closure *c, uint32_t *a) {
    uint32_t words = (c->net->actions + 63) >> 6;
    while (c->lowest < words && !c->s->todo[c->lowest]) c->lowest++;
    if (c->lowest == words) return false;
    *a = c->lowest * 64 + lowest(c->s->todo[c->lowest]);
    clear_bit(c->s->todo, *a);
    return true;
}

static bool close(struct closure *c, uint32_t seed) {
    struct stubborn *s = c->s;
    if (++s->closure == 0) { /* the marks of four thousand million closures ago would count again */
        memset(s->lowerers_in, 0, c->net->places * sizeof(uint32_t));
        memset(s->needers_in, 0, c->net->places * sizeof(uint32_t));
        s->closure = 1;
    }
    c->lowest = NONE;
    include(c, seed);
    uint32_t a;
    while (!c->failed && next(c, &a))
        if (has_bit(c->enabled->bits, a))
            include_rivals(c, a);
        else
            include_raisers(c, a);
    return !c->failed;
}

static void forget_closure(struct stubborn *s) {
    for (size_t i = 0; i < s->members.size; i++) {
        clear_bit(s->closed, s->members.at[i]);
        clear_bit(s->todo, s->members.at[i]);
    }
    s->members.size = 0;
}

/* ---- the choice --------------------------------------------------------------------------------------------- */

/* Leave in `set` the enabled members of the smallest set found; false when there is no memory. */
static bool smallest(struct closure *c, const struct enabled_set *set) {
    struct stubborn *s = c->s;
    uint32_t n = set->size, size = n, tried = 0;
    for (uint32_t i = 0; i < n; i++) s->seed[i] = s->best[i] = true;
    for (uint32_t i = 0; i < n && size > 1 && tried < MAX_SEEDS; i++) {
        if (!s->seed[i]) continue;
        if (!close(c, set->list[i])) return false;
        tried++;
        uint32_t chosen = 0;
        for (uint32_t k = 0; k < n; k++) chosen += s->candidate[k] = has_bit(s->closed, set->list[k]);
        forget_closure(s);
        if (chosen < size) {
            size = chosen;
            for (uint32_t k = 0; k < n; k++) {
                s->best[k] = s->candidate[k];
                s->seed[k] = s->seed[k] && s->candidate[k]; /* a closure from inside can only be smaller */
            }
        }
    }
    return true;
}

uint32_t choose(struct stubborn *s, const struct net *net, const word *marking, struct enabled_set *set,
                struct memory *memory, enum status *status) {
    for (uint32_t i = 0; i < set->size; i++)
        if (s->free[set->list[i]]) {
            uint32_t a = set->list[i];
            forget_enabled(set);
            set->list[0] = a, set->size = 1;
            set_bit(set->bits, a);
            return 1;
        }
    struct closure c = {.s = s, .net = net, .marking = marking, .enabled = set, .memory = memory};
    if (!smallest(&c, set)) {
        forget_closure(s);
        *status = NO_MEMORY;
        return 0;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->size; i++) {
        uint32_t a = set->list[i], j = n;
        if (!s->best[i]) {
            clear_bit(set->bits, a);
            continue;
        }
        /* into place, by order; what is overwritten has been read */
        for (; j > 0 && s->order[set->list[j - 1]] > s->order[a]; j--) set->list[j] = set->list[j - 1];
        set->list[j] = a;
        n++;
    }
    set->size = n;
    return n;
}
