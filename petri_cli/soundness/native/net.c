/* From the numbers that tell a net to its tables. Two readings: the first checks every number, sizes the fields and
 * counts the arcs; the second makes the masks. */
#include "marking.h"

/* ---- reading ------------------------------------------------------------------------------------------------ */

struct reader {
    const int64_t *at, *end;
    uint32_t places;
    bool bad; /* something that is no net: all numbers read since are 0 */
};

static int64_t number(struct reader *r) {
    if (r->bad || r->at == r->end) {
        r->bad = true;
        return 0;
    }
    return *r->at++;
}

/* A number of things, each of which takes at least one more number. */
static uint32_t length(struct reader *r) {
    int64_t n = number(r);
    if (n < 0 || n > r->end - r->at || n >= NONE) r->bad = true;
    return r->bad ? 0 : (uint32_t)n;
}

static uint32_t place(struct reader *r) {
    int64_t p = number(r);
    if (p < 0 || p >= r->places) r->bad = true;
    return r->bad ? 0 : (uint32_t)p;
}

static int64_t count(struct reader *r) {
    int64_t k = number(r);
    if (k < 0) r->bad = true;
    return r->bad ? 0 : k;
}

/* ---- the first reading -------------------------------------------------------------------------------------- */

/* Sums of one action, by place, with the list of the places that are not zero. */
struct sums {
    int64_t *of;
    struct numbers places;
};

struct building {
    struct net *net;
    struct memory *memory;
    struct reader reader;
    struct sums needs, puts;
    int64_t *largest;  /* of each place: the largest count that the net itself names */
    uint32_t *readers; /* of each place: how many actions need a token there */
    bool *drained;     /* of each place: by the action at hand */
    struct numbers emptied, inhibitors;
    enum status status;
};

static void fail(struct building *b, enum status why) {
    if (b->status == COMPLETE) b->status = why;
}

static void add_to(struct building *b, struct sums *sums, uint32_t p, int64_t k) {
    if (!k) return;
    if (!sums->of[p] && !append(b->memory, &sums->places, p)) {
        fail(b, NO_MEMORY);
        return;
    }
    if (k > INT64_MAX - sums->of[p])
        fail(b, TOO_WIDE);
    else
        sums->of[p] += k;
}

static void at_least(struct building *b, uint32_t p, int64_t k) {
    if (b->largest[p] < k) b->largest[p] = k;
}

static void note(struct building *b, struct numbers *numbers, uint32_t n) {
    if (!append(b->memory, numbers, n)) fail(b, NO_MEMORY);
}

/* Read one action into needs, puts, drained, emptied and inhibitors. Reads are needs of one token that take none, so
 * they go to `looks`, as the inputs do; `forwards` (may be NULL) gets those of drained inputs. */
static bool read_action(struct building *b, struct sums *looks, struct forward *forwards, uint32_t *n_forwards) {
    struct reader *r = &b->reader;
    bool hard = number(r) != 0;
    for (uint32_t i = length(r); i > 0 && !r->bad; i--) {
        uint32_t p = place(r);
        int64_t k = count(r);
        bool drains = number(r) != 0;
        add_to(b, &b->needs, p, k);
        add_to(b, looks, p, k);
        if (drains) {
            b->drained[p] = true;
            note(b, &b->emptied, p);
        }
    }
    for (uint32_t i = length(r); i > 0 && !r->bad; i--) {
        uint32_t p = place(r);
        if (!looks->of[p]) add_to(b, looks, p, 1);
    }
    for (uint32_t i = length(r); i > 0 && !r->bad; i--) note(b, &b->inhibitors, place(r));
    for (uint32_t i = length(r); i > 0 && !r->bad; i--) note(b, &b->emptied, place(r));
    for (uint32_t i = length(r); i > 0 && !r->bad; i--) {
        uint32_t p = place(r);
        add_to(b, &b->puts, p, count(r));
    }
    for (uint32_t i = length(r); i > 0 && !r->bad; i--) {
        uint32_t source = place(r), target = place(r);
        if (b->drained[source]) {
            if (forwards) forwards[*n_forwards] = (struct forward){source, target};
            ++*n_forwards;
        } else if (b->needs.of[source])
            add_to(b, &b->puts, target, b->needs.of[source]);
        else
            r->bad = true;
    }
    return hard;
}

static void empty(struct sums *sums) {
    for (size_t i = 0; i < sums->places.size; i++) sums->of[sums->places.at[i]] = 0;
    sums->places.size = 0;
}

static void end_action(struct building *b, struct sums *looks) {
    for (size_t i = 0; i < b->emptied.size; i++) b->drained[b->emptied.at[i]] = false;
    b->emptied.size = b->inhibitors.size = 0;
    empty(&b->needs);
    empty(&b->puts);
    empty(looks);
}

static void measure(struct building *b, struct sums *looks) {
    struct net *net = b->net;
    for (uint32_t a = 0; a < net->actions && b->status == COMPLETE && !b->reader.bad; a++) {
        uint32_t forwards = 0;
        read_action(b, looks, NULL, &forwards);
        for (size_t i = 0; i < looks->places.size; i++) {
            uint32_t p = looks->places.at[i];
            at_least(b, p, looks->of[p]);
            b->readers[p]++;
        }
        for (size_t i = 0; i < b->puts.places.size; i++) {
            uint32_t p = b->puts.places.at[i];
            at_least(b, p, b->puts.of[p]);
        }
        net->n_tests += looks->places.size + b->inhibitors.size;
        net->n_changes += b->needs.places.size + b->emptied.size + b->puts.places.size;
        net->n_needs += looks->places.size;
        net->n_effects += b->needs.places.size + b->puts.places.size;
        net->n_forwards += forwards;
        if (b->emptied.size || b->inhibitors.size || forwards) net->adds = false;
        end_action(b, looks);
    }
    if (b->reader.bad || b->reader.at != b->reader.end) fail(b, MALFORMED);
}

/* ---- the fields --------------------------------------------------------------------------------------------- */

static unsigned length_of(int64_t n) {
    unsigned bits = 0;
    for (; n; n >>= 1) bits++;
    return bits;
}

/* Value bits of a place. */
static unsigned bits_of(const struct building *b, uint32_t p, const int64_t *floors) {
    unsigned bits = length_of(b->largest[p]);
    return bits < floors[p] ? (unsigned)floors[p] : bits;
}

/* Single bits first, then fields with a guard, each as far to the front of its words as it fits. */
static void lay_out(struct building *b, const int64_t *floors) {
    struct net *net = b->net;
    uint32_t at = 0;
    for (uint32_t p = 0; p < net->places; p++)
        if (bits_of(b, p, floors) == 1) {
            net->field[p] = (struct field){at >> 6, at & 63, 1};
            at++;
        }
    net->bit_words = (at + 63) >> 6;
    at = net->bit_words << 6;
    for (uint32_t p = 0; p < net->places; p++) {
        unsigned bits = bits_of(b, p, floors);
        if (bits == 1) continue;
        if (bits > 63 || at > (NONE >> 2)) {
            fail(b, TOO_WIDE);
            return;
        }
        if ((at & 63) + bits + 1 > 64) at = (at | 63) + 1;
        net->field[p] = (struct field){at >> 6, at & 63, (uint8_t)bits};
        at += bits + 1;
    }
    net->words = (at + 63) >> 6;
}

static bool place_fields(struct building *b) {
    struct net *net = b->net;
    net->guards = take(b->memory, net->words, sizeof *net->guards);
    net->values = take(b->memory, net->words, sizeof *net->values);
    net->triggers = take(b->memory, net->words, sizeof *net->triggers);
    net->initial = take(b->memory, net->words, sizeof *net->initial);
    net->place_at = take(b->memory, (size_t)net->words * 64, sizeof *net->place_at);
    if (!net->guards || !net->values || !net->triggers || !net->initial || !net->place_at) return false;
    for (uint32_t p = 0; p < net->places; p++) {
        const struct field *f = &net->field[p];
        unsigned sign = f->shift; /* the bit by which a mark is seen */
        net->values[f->word] |= value_mask(f) << f->shift;
        if (f->word >= net->bit_words) {
            sign += f->bits;
            net->guards[f->word] |= (word)1 << sign;
        }
        net->place_at[f->word * 64 + sign] = p;
    }
    return true;
}

/* ---- the second reading ------------------------------------------------------------------------------------- */

/* What one action does to each word, with the list of the words that it touches. */
struct masks {
    word *need, *inhibit, *take, *clear, *put;
    bool *touched;
    struct numbers words;
};

static word *touch(struct building *b, struct masks *masks, word *of, uint32_t p) {
    uint32_t w = b->net->field[p].word;
    if (!masks->touched[w]) {
        masks->touched[w] = true;
        note(b, &masks->words, w);
    }
    return &of[w];
}

static word in_field(const struct net *net, uint32_t p, int64_t k) { return (word)k << net->field[p].shift; }

static void fill(struct building *b, struct masks *masks, const struct sums *looks) {
    const struct net *net = b->net;
    for (size_t i = 0; i < looks->places.size; i++) {
        uint32_t p = looks->places.at[i];
        *touch(b, masks, masks->need, p) |= in_field(net, p, looks->of[p]);
    }
    for (size_t i = 0; i < b->inhibitors.size; i++) {
        uint32_t p = b->inhibitors.at[i];
        *touch(b, masks, masks->inhibit, p) |= value_mask(&net->field[p]) << net->field[p].shift;
    }
    for (size_t i = 0; i < b->needs.places.size; i++) {
        uint32_t p = b->needs.places.at[i];
        *touch(b, masks, masks->take, p) |= in_field(net, p, b->needs.of[p]);
    }
    for (size_t i = 0; i < b->emptied.size; i++) {
        uint32_t p = b->emptied.at[i];
        *touch(b, masks, masks->clear, p) |= value_mask(&net->field[p]) << net->field[p].shift;
    }
    for (size_t i = 0; i < b->puts.places.size; i++) {
        uint32_t p = b->puts.places.at[i];
        *touch(b, masks, masks->put, p) |= in_field(net, p, b->puts.of[p]);
    }
    ascending(masks->words.at, masks->words.size);
}

/* Append the tests and changes of the words on one side, and forget them. */
static void emit(struct net *net, struct masks *masks, bool counters, struct range *tests, struct range *changes) {
    tests->first = (uint32_t)net->n_tests;
    changes->first = (uint32_t)net->n_changes;
    for (size_t i = 0; i < masks->words.size; i++) {
        uint32_t w = masks->words.at[i];
        if ((w >= net->bit_words) != counters) continue;
        if (masks->need[w] | masks->inhibit[w])
            net->tests[net->n_tests++] = (struct test){w, masks->need[w], masks->inhibit[w]};
        if (masks->take[w] | masks->clear[w] | masks->put[w]) {
            word keep = counters ? ~masks->clear[w] : ~(masks->clear[w] | masks->take[w]);
            net->changes[net->n_changes++] = (struct change){w, masks->take[w], keep, masks->put[w]};
        }
        masks->need[w] = masks->inhibit[w] = masks->take[w] = masks->clear[w] = masks->put[w] = 0;
        masks->touched[w] = false;
    }
    tests->end = (uint32_t)net->n_tests;
    changes->end = (uint32_t)net->n_changes;
}

static void relate(struct building *b, const struct sums *looks, uint32_t a) {
    struct net *net = b->net;
    net->needs_of[a].first = (uint32_t)net->n_needs;
    for (size_t i = 0; i < looks->places.size; i++) {
        uint32_t p = looks->places.at[i];
        net->needs[net->n_needs++] = (struct arc){p, looks->of[p]};
    }
    net->needs_of[a].end = (uint32_t)net->n_needs;
    net->effects_of[a].first = (uint32_t)net->n_effects;
    for (size_t i = 0; i < b->needs.places.size; i++) {
        uint32_t p = b->needs.places.at[i];
        int64_t change = b->puts.of[p] - b->needs.of[p];
        if (change) net->effects[net->n_effects++] = (struct arc){p, change};
    }
    for (size_t i = 0; i < b->puts.places.size; i++) {
        uint32_t p = b->puts.places.at[i];
        if (!b->needs.of[p]) net->effects[net->n_effects++] = (struct arc){p, b->puts.of[p]};
    }
    net->effects_of[a].end = (uint32_t)net->n_effects;
}

/* The place where an action waits: not marked at the start if that can be (a resource nearly always is), and one where
 * few others look. */
static uint32_t trigger(const struct building *b, const struct sums *looks, const int64_t *initial) {
    uint32_t best = NONE;
    for (size_t i = 0; i < looks->places.size; i++) {
        uint32_t p = looks->places.at[i];
        bool marked = initial[p] != 0;
        if (best == NONE || marked < (initial[best] != 0) ||
            (marked == (initial[best] != 0) && b->readers[p] < b->readers[best]))
            best = p;
    }
    return best;
}

static void make_masks(struct building *b, struct sums *looks, struct masks *masks, const int64_t *initial,
                       uint32_t *waits_at) {
    struct net *net = b->net;
    uint32_t n_forwards = 0;
    net->n_tests = net->n_changes = net->n_needs = net->n_effects = 0;
    for (uint32_t i = 0; i < net->actions && b->status == COMPLETE; i++) {
        struct action *a = &net->action[i];
        a->forwards.first = n_forwards;
        a->hard = read_action(b, looks, net->forwards, &n_forwards);
        a->forwards.end = n_forwards;
        fill(b, masks, looks);
        emit(net, masks, false, &a->bit_tests, &a->bit_changes);
        emit(net, masks, true, &a->counter_tests, &a->counter_changes);
        masks->words.size = 0;
        relate(b, looks, i);
        waits_at[i] = trigger(b, looks, initial);
        end_action(b, looks);
    }
}

/* Group the actions by the place where they wait. */
static bool make_triggers(struct building *b, const uint32_t *waits_at) {
    struct net *net = b->net;
    net->waiters = take(b->memory, net->actions, sizeof *net->waiters);
    net->waiting = take(b->memory, net->places, sizeof *net->waiting);
    if (!net->waiters || !net->waiting) return false;
    for (uint32_t a = 0; a < net->actions; a++)
        if (waits_at[a] != NONE) net->waiting[waits_at[a]].end++;
    uint32_t at = 0;
    for (uint32_t p = 0; p < net->places; p++) {
        uint32_t n = net->waiting[p].end;
        net->waiting[p] = (struct range){at, at};
        at += n;
        if (!n) continue;
        const struct field *f = &net->field[p];
        net->triggers[f->word] |= (word)1 << (f->word < net->bit_words ? f->shift : f->shift + f->bits);
    }
    net->always = (struct range){at, at};
    for (uint32_t a = 0; a < net->actions; a++) {
        struct range *r = waits_at[a] == NONE ? &net->always : &net->waiting[waits_at[a]];
        net->waiters[r->end++] = a;
    }
    return true;
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

static enum status read_twice(struct building *b, const int64_t *told, size_t n, const int64_t *floors, size_t n_floors,
                              struct sums *looks, struct masks *masks, uint32_t **waits_at) {
    struct net *net = b->net;
    struct memory *memory = b->memory;
    struct reader *r = &b->reader;
    *r = (struct reader){told, told + n, 0, false};
    int64_t places = number(r), actions = number(r);
    bool has_final = number(r) != 0;
    /* each place and each action takes at least one number; the numbers that follow are all there is */
    if (r->bad || places < 0 || actions < 0 || places > r->end - r->at || actions > r->end - r->at || places >= NONE ||
        actions >= NONE || n >= NONE || (has_final ? 2 : 1) * places > r->end - r->at)
        return MALFORMED;
    if (n_floors != (size_t)places) return MALFORMED;
    for (size_t i = 0; i < n_floors; i++)
        if (floors[i] < 1 || floors[i] > 63) return MALFORMED;
    r->places = net->places = (uint32_t)places;
    net->actions = (uint32_t)actions;
    net->adds = true;
    const int64_t *initial = r->at, *final = initial + places;

    b->largest = take(memory, net->places, sizeof *b->largest);
    b->readers = take(memory, net->places, sizeof *b->readers);
    b->drained = take(memory, net->places, sizeof *b->drained);
    b->needs.of = take(memory, net->places, sizeof *b->needs.of);
    b->puts.of = take(memory, net->places, sizeof *b->puts.of);
    looks->of = take(memory, net->places, sizeof *looks->of);
    net->field = take(memory, net->places, sizeof *net->field);
    if (!b->largest || !b->readers || !b->drained || !b->needs.of || !b->puts.of || !looks->of || !net->field)
        return NO_MEMORY;
    for (uint32_t i = 0; i < (has_final ? 2 : 1) * net->places; i++) at_least(b, i % net->places, count(r));
    const int64_t *rows = r->at;
    measure(b, looks);
    if (b->status != COMPLETE) return b->status;
    lay_out(b, floors);
    if (b->status != COMPLETE) return b->status;
    if (!place_fields(b)) return NO_MEMORY;

    net->r_tests = net->n_tests, net->r_changes = net->n_changes;
    net->r_needs = net->n_needs, net->r_effects = net->n_effects;
    net->action = take(memory, net->actions, sizeof *net->action);
    net->tests = take(memory, net->r_tests, sizeof *net->tests);
    net->changes = take(memory, net->r_changes, sizeof *net->changes);
    net->forwards = take(memory, net->n_forwards, sizeof *net->forwards);
    net->needs = take(memory, net->r_needs, sizeof *net->needs);
    net->effects = take(memory, net->r_effects, sizeof *net->effects);
    net->needs_of = take(memory, net->actions, sizeof *net->needs_of);
    net->effects_of = take(memory, net->actions, sizeof *net->effects_of);
    if (has_final) net->final = take(memory, net->words, sizeof *net->final);
    word **of[] = {&masks->need, &masks->inhibit, &masks->take, &masks->clear, &masks->put};
    bool there = true;
    for (int i = 0; i < 5; i++) there &= (*of[i] = take(memory, net->words, sizeof(word))) != NULL;
    masks->touched = take(memory, net->words, sizeof *masks->touched);
    *waits_at = take(memory, net->actions, sizeof **waits_at);
    if (!there || !masks->touched || !*waits_at || !net->action || !net->tests || !net->changes || !net->forwards ||
        !net->needs || !net->effects || !net->needs_of || !net->effects_of || (has_final && !net->final))
        return NO_MEMORY;
    r->at = rows;
    make_masks(b, looks, masks, initial, *waits_at);
    if (b->status != COMPLETE) return b->status;
    net_pack(net, initial, net->initial);
    if (has_final) net_pack(net, final, net->final);
    return make_triggers(b, *waits_at) ? COMPLETE : NO_MEMORY;
}

enum status net_build(struct net *net, struct memory *memory, const int64_t *told, size_t length,
                      const int64_t *floors, size_t n_floors) {
    *net = (struct net){0};
    struct building b = {.net = net, .memory = memory};
    struct sums looks = {0};
    struct masks masks = {0};
    uint32_t *waits_at = NULL;
    enum status status = read_twice(&b, told, length, floors, n_floors, &looks, &masks, &waits_at);
    struct sums *sums[] = {&b.needs, &b.puts, &looks};
    for (int i = 0; i < 3; i++) {
        give_back(memory, sums[i]->of, net->places, sizeof *sums[i]->of);
        drop(memory, &sums[i]->places);
    }
    give_back(memory, b.largest, net->places, sizeof *b.largest);
    give_back(memory, b.readers, net->places, sizeof *b.readers);
    give_back(memory, b.drained, net->places, sizeof *b.drained);
    drop(memory, &b.emptied);
    drop(memory, &b.inhibitors);
    word *of[] = {masks.need, masks.inhibit, masks.take, masks.clear, masks.put};
    for (int i = 0; i < 5; i++) give_back(memory, of[i], net->words, sizeof(word));
    give_back(memory, masks.touched, net->words, sizeof *masks.touched);
    drop(memory, &masks.words);
    give_back(memory, waits_at, net->actions, sizeof *waits_at);
    return status;
}

void net_free(struct net *net, struct memory *memory) {
    give_back(memory, net->field, net->places, sizeof *net->field);
    word *of[] = {net->guards, net->values, net->triggers, net->initial, net->final};
    for (int i = 0; i < 5; i++) give_back(memory, of[i], net->words, sizeof(word));
    give_back(memory, net->place_at, (size_t)net->words * 64, sizeof *net->place_at);
    give_back(memory, net->action, net->actions, sizeof *net->action);
    give_back(memory, net->tests, net->r_tests, sizeof *net->tests);
    give_back(memory, net->changes, net->r_changes, sizeof *net->changes);
    give_back(memory, net->forwards, net->n_forwards, sizeof *net->forwards);
    give_back(memory, net->needs, net->r_needs, sizeof *net->needs);
    give_back(memory, net->effects, net->r_effects, sizeof *net->effects);
    give_back(memory, net->needs_of, net->actions, sizeof *net->needs_of);
    give_back(memory, net->effects_of, net->actions, sizeof *net->effects_of);
    give_back(memory, net->waiters, net->actions, sizeof *net->waiters);
    give_back(memory, net->waiting, net->places, sizeof *net->waiting);
    *net = (struct net){0};
}
