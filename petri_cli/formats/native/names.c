/* Texts, numbered as they come: a hash table with open addressing, under SipHash-1-3.
 *
 * J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", Indocrypt 2012. */
#include <stdlib.h>
#include <string.h>

#include "scan.h"

static uint64_t turned(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* In the order of bytes of this machine: the numbers are compared with nothing but each other. */
static uint64_t word_at(text at, size_t size) {
    uint64_t word = 0;
    if (size) memcpy(&word, at, size);
    return word;
}

#define ROUND                                                                                                         \
    do {                                                                                                              \
        a += b, b = turned(b, 13) ^ a, a = turned(a, 32);                                                             \
        c += d, d = turned(d, 16) ^ c;                                                                                \
        a += d, d = turned(d, 21) ^ a;                                                                                \
        c += b, b = turned(b, 17) ^ c, c = turned(c, 32);                                                             \
    } while (0)

uint64_t hashed(const struct hashing *hashing, text at, size_t size) {
    uint64_t a = hashing->key[0] ^ 0x736f6d6570736575u, b = hashing->key[1] ^ 0x646f72616e646f6du;
    uint64_t c = hashing->key[0] ^ 0x6c7967656e657261u, d = hashing->key[1] ^ 0x7465646279746573u;
    size_t whole = size & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        d ^= word;
        ROUND;
        a ^= word;
    }
    uint64_t last = word_at(at + whole, size - whole) | (uint64_t)size << 56;
    d ^= last;
    ROUND;
    a ^= last;
    c ^= 0xff;
    ROUND;
    ROUND;
    ROUND;
    return a ^ b ^ c ^ d;
}

text name_at(const struct names *names, size_t number, size_t *size) {
    size_t begin = number ? names->ends[number - 1] : 0;
    *size = names->ends[number] - begin;
    return names->text.at + begin;
}

static bool is_name(const struct names *names, int32_t number, text at, size_t size) {
    size_t length;
    text name = name_at(names, (size_t)number, &length);
    return length == size && !memcmp(name, at, size);
}

static bool rehash(struct names *names) {
    size_t room = names->table ? 2 * (names->mask + 1) : 256;
    int32_t *table = malloc(room * sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < room; i++) table[i] = NONE;
    for (size_t k = 0; k < names->size; k++) {
        size_t i = names->heads[k] & (room - 1);
        while (table[i] != NONE) i = (i + 1) & (room - 1);
        table[i] = (int32_t)k;
    }
    free(names->table);
    names->table = table;
    names->mask = room - 1;
    return true;
}

/* A name that is not there yet, to be found at table[i]. */
static int32_t added(struct names *names, uint32_t head, size_t i, text at, size_t size) {
    if (names->size >= MOST_EVENTS) return NONE - 1;
    void *ends = grown(names->ends, names->size, 1, &names->ends_room, sizeof *names->ends);
    if (!ends) return NONE - 1;
    names->ends = ends;
    void *heads = grown(names->heads, names->size, 1, &names->heads_room, sizeof *names->heads);
    if (!heads) return NONE - 1;
    names->heads = heads;
    if (!add_bytes(&names->text, at, size)) return NONE - 1;
    names->ends[names->size] = names->text.size;
    names->heads[names->size] = head;
    names->table[i] = (int32_t)names->size;
    return (int32_t)names->size++;
}

int32_t number_of(struct names *names, const struct hashing *hashing, text at, size_t size) {
    if (!size) return NONE;
    if (names->size && is_name(names, names->last, at, size)) return names->last;
    if ((!names->table || names->size * 2 > names->mask) && !rehash(names)) return NONE - 1;
    uint32_t head = (uint32_t)(hashed(hashing, at, size) >> 32);
    size_t i = head & names->mask;
    while (names->table[i] != NONE) {
        int32_t k = names->table[i];
        if (names->heads[k] == head && is_name(names, k, at, size)) return names->last = k;
        i = (i + 1) & names->mask;
    }
    int32_t k = added(names, head, i, at, size);
    if (k >= 0) names->last = k;
    return k;
}

void drop_names(struct names *names) {
    free(names->text.at);
    free(names->ends);
    free(names->table);
    free(names->heads);
    *names = (struct names){0};
}
