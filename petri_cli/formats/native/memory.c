/* Arrays that grow by doubling. */
#include <stdlib.h>
#include <string.h>

#include "scan.h"

void *grown(void *block, size_t size, size_t more, size_t *room, size_t each) {
    if (more <= *room - size) return block;
    if (more > SIZE_MAX / 2 / each - size) return NULL;
    size_t wanted = *room ? 2 * *room : 64;
    if (wanted < size + more) wanted = size + more;
    if (wanted > SIZE_MAX / 2 / each) return NULL;
    void *moved = realloc(block, wanted * each);
    if (moved) *room = wanted;
    return moved;
}

bool add_bytes(struct bytes *bytes, text from, size_t size) {
    if (!size) return true;
    void *at = grown(bytes->at, bytes->size, size, &bytes->room, 1);
    if (!at) return false;
    bytes->at = at;
    memcpy(bytes->at + bytes->size, from, size);
    bytes->size += size;
    return true;
}

bool add_code(struct codes *codes, int32_t code) {
    void *at = grown(codes->at, codes->size, 1, &codes->room, sizeof *codes->at);
    if (!at) return false;
    codes->at = at;
    codes->at[codes->size++] = code;
    return true;
}

bool add_tick(struct ticks *ticks, int64_t tick) {
    void *at = grown(ticks->at, ticks->size, 1, &ticks->room, sizeof *ticks->at);
    if (!at) return false;
    ticks->at = at;
    ticks->at[ticks->size++] = tick;
    return true;
}
