/* Events into the order of cases and of time, and equal traces into one. */
#include <stdlib.h>
#include <string.h>

#include "scan.h"

struct timed {
    int64_t tick;
    int32_t event;
};

static int earlier(const void *left, const void *right) {
    const struct timed *a = left, *b = right;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

/* One case: its events are order[0..n). */
static bool by_time(const int64_t *ended, int64_t unknown, int32_t *order, size_t n, struct timed *room, size_t *mixed) {
    bool rising = true, some = false, others = false;
    for (size_t i = 0; i < n; i++) {
        room[i] = (struct timed){ended[order[i]], order[i]};
        rising &= !i || room[i - 1].tick <= room[i].tick;
        if (room[i].tick == unknown)
            some = true;
        else
            others = true;
    }
    *mixed += some && others;
    if (some || rising) return false;
    qsort(room, n, sizeof *room, earlier);
    for (size_t i = 0; i < n; i++) order[i] = room[i].event;
    return true;
}

enum status in_order(const int32_t *case_of, const int64_t *ended, size_t events, size_t n_cases, int64_t unknown,
                     int64_t *bounds, int32_t *order, size_t *mixed, bool *moved) {
    *mixed = 0;
    *moved = false;
    memset(bounds, 0, (n_cases + 1) * sizeof *bounds);
    for (size_t i = 0; i < events; i++) {
        if (case_of[i] < 0 || (size_t)case_of[i] >= n_cases) return IRREGULAR;
        bounds[case_of[i] + 1]++;
        *moved |= i && case_of[i] < case_of[i - 1];
    }
    size_t longest = 0;
    for (size_t c = 1; c <= n_cases; c++) {
        if ((size_t)bounds[c] > longest) longest = (size_t)bounds[c];
        bounds[c] += bounds[c - 1];
    }
    int64_t *next = malloc((n_cases + 1) * sizeof *next);
    struct timed *room = malloc((longest + 1) * sizeof *room);
    if (next && room) {
        memcpy(next, bounds, (n_cases + 1) * sizeof *next);
        for (size_t i = 0; i < events; i++) order[next[case_of[i]]++] = (int32_t)i;
        for (size_t c = 0; ended && c < n_cases; c++)
            *moved |= by_time(ended, unknown, order + bounds[c], (size_t)(bounds[c + 1] - bounds[c]), room, mixed);
    }
    enum status status = next && room ? GOOD : NO_MEMORY;
    free(next);
    free(room);
    return status;
}

static bool is_trace(const int32_t *activity, const int64_t *bounds, size_t a, size_t b) {
    int64_t n = bounds[a + 1] - bounds[a];
    return n == bounds[b + 1] - bounds[b] &&
           !memcmp(activity + bounds[a], activity + bounds[b], (size_t)n * sizeof *activity);
}

enum status variants_of(const int32_t *activity, const int64_t *bounds, size_t n_cases, const struct hashing *hashing,
                        int32_t *variant_of, int32_t *first, size_t *n_variants) {
    size_t room = 256;
    while (room < 2 * n_cases) room *= 2;
    int32_t *table = malloc(room * sizeof *table);
    uint64_t *hashes = malloc((n_cases + 1) * sizeof *hashes);
    *n_variants = 0;
    if (table && hashes) {
        for (size_t i = 0; i < room; i++) table[i] = NONE;
        for (size_t c = 0; c < n_cases; c++) {
            size_t size = (size_t)(bounds[c + 1] - bounds[c]) * sizeof *activity;
            uint64_t hash = hashed(hashing, (text)(activity + bounds[c]), size);
            size_t i = hash & (room - 1);
            while (table[i] != NONE &&
                   (hashes[table[i]] != hash || !is_trace(activity, bounds, (size_t)first[table[i]], c)))
                i = (i + 1) & (room - 1);
            if (table[i] == NONE) {
                hashes[*n_variants] = hash;
                first[*n_variants] = (int32_t)c;
                table[i] = (int32_t)(*n_variants)++;
            }
            variant_of[c] = table[i];
        }
    }
    enum status status = table && hashes ? GOOD : NO_MEMORY;
    free(table);
    free(hashes);
    return status;
}
