/* From token counts to a marking and back; which actions are enabled in one. */
#include "marking.h"

void ascending(uint32_t *list, size_t size) {
    for (size_t i = 1; i < size; i++) {
        uint32_t n = list[i];
        size_t j = i;
        for (; j > 0 && list[j - 1] > n; j--) list[j] = list[j - 1];
        list[j] = n;
    }
}

bool net_pack(const struct net *net, const int64_t *counts, word *marking) {
    memcpy(marking, net->guards, net->words * sizeof *marking);
    for (uint32_t p = 0; p < net->places; p++) {
        const struct field *f = &net->field[p];
        if (counts[p] < 0 || (word)counts[p] > value_mask(f)) return false;
        marking[f->word] |= (word)counts[p] << f->shift;
    }
    return true;
}

void net_unpack(const struct net *net, const word *marking, int64_t *counts) {
    for (uint32_t p = 0; p < net->places; p++) counts[p] = (int64_t)count_of(net, marking, p);
}

static void look_at(const struct net *net, const word *m, struct range waiting, struct enabled_set *set) {
    for (uint32_t i = waiting.first; i < waiting.end; i++) {
        uint32_t a = net->waiters[i];
        if (is_enabled(net, &net->action[a], m)) {
            set->list[set->size++] = a;
            set_bit(set->bits, a);
        }
    }
}

#define FEW 24
/* Enabled actions up to which they are sorted one by one. */

void find_enabled(const struct net *net, const word *m, struct enabled_set *set) {
    forget_enabled(set);
    look_at(net, m, net->always, set);
    for (uint32_t w = 0; w < net->words; w++) {
        /* adding its largest value to a field that is not empty runs into the guard bit */
        word marked = w < net->bit_words ? m[w] : (m[w] & net->values[w]) + net->values[w];
        for (word left = marked & net->triggers[w]; left; left &= left - 1)
            look_at(net, m, net->waiting[net->place_at[w * 64 + lowest(left)]], set);
    }
    if (set->size <= FEW) {
        ascending(set->list, set->size);
        return;
    }
    uint32_t n = 0;
    for (uint32_t w = 0; w <= (net->actions - 1) >> 6; w++)
        for (word left = set->bits[w]; left; left &= left - 1) set->list[n++] = w * 64 + lowest(left);
}

void forget_enabled(struct enabled_set *set) {
    for (uint32_t i = 0; i < set->size; i++) clear_bit(set->bits, set->list[i]);
    set->size = 0;
}
