/* One marking: is an action enabled, what comes after it. The innermost loops, so all of it is inline. */
#ifndef PETRI_MARKING_H
#define PETRI_MARKING_H

#include <string.h>

#include "core.h"

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
static inline unsigned lowest(word w) { return (unsigned)__builtin_ctzll(w); }
#else
#define PREFETCH(address) ((void)(address))
static inline unsigned lowest(word w) {
    unsigned n = 0;
    while (!(w & 1)) {
        w >>= 1;
        n++;
    }
    return n;
}
#endif

static inline word value_mask(const struct field *f) { return (~(word)0) >> (64 - f->bits); }

static inline word count_of(const struct net *net, const word *m, uint32_t place) {
    const struct field *f = &net->field[place];
    return (m[f->word] >> f->shift) & value_mask(f);
}

static inline bool is_enabled(const struct net *net, const struct action *a, const word *m) {
    const struct test *t = net->tests + a->bit_tests.first, *end = net->tests + a->bit_tests.end;
    for (; t < end; t++)
        if ((t->need & ~m[t->word]) | (t->inhibit & m[t->word])) return false;
    t = net->tests + a->counter_tests.first, end = net->tests + a->counter_tests.end;
    for (; t < end; t++) {
        word x = m[t->word];
        if ((net->guards[t->word] & ~(x - t->need)) | (t->inhibit & x)) return false;
    }
    return true;
}

/* The marking after an enabled action; false when a place would hold more than its field has room for. */
static inline bool fire(const struct net *net, const struct action *a, const word *m, word *after) {
    for (uint32_t i = 0; i < net->words; i++) after[i] = m[i];
    const struct change *c = net->changes + a->bit_changes.first, *end = net->changes + a->bit_changes.end;
    for (; c < end; c++) {
        word x = after[c->word] & c->keep;
        if (x & c->put) return false;
        after[c->word] = x | c->put;
    }
    c = net->changes + a->counter_changes.first, end = net->changes + a->counter_changes.end;
    for (; c < end; c++) {
        word x = ((after[c->word] - c->take) & c->keep) + c->put;
        if (net->guards[c->word] & ~x) return false;
        after[c->word] = x;
    }
    for (uint32_t i = a->forwards.first; i < a->forwards.end; i++) {
        const struct field *f = &net->field[net->forwards[i].target];
        word n = count_of(net, m, net->forwards[i].source);
        if (n > value_mask(f) - count_of(net, after, net->forwards[i].target)) return false;
        after[f->word] += n << f->shift;
    }
    return true;
}

static inline bool same(const word *a, const word *b, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* Whether `high` has at least the tokens of `low` everywhere. */
static inline bool covers(const struct net *net, const word *high, const word *low) {
    uint32_t i = 0;
    for (; i < net->bit_words; i++)
        if (low[i] & ~high[i]) return false;
    for (; i < net->words; i++)
        if (net->guards[i] & ~(high[i] - (low[i] ^ net->guards[i]))) return false;
    return true;
}

/* A mixing of all words; the low bits pick a slot, the high ones tell states in it apart. */
static inline word hash_of(const word *m, uint32_t words) {
    word h = 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < words; i++) {
        h = (h ^ m[i]) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    h *= 0xD6E8FEB86659FD93u;
    return h ^ (h >> 29);
}

static inline bool has_bit(const word *bits, uint32_t i) { return bits[i >> 6] >> (i & 63) & 1; }
static inline void set_bit(word *bits, uint32_t i) { bits[i >> 6] |= (word)1 << (i & 63); }
static inline void clear_bit(word *bits, uint32_t i) { bits[i >> 6] &= ~((word)1 << (i & 63)); }

#endif
