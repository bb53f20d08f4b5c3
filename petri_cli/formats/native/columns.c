/* Columns over events, one value at a time. */
#include <stdlib.h>

#include "scan.h"

enum status add_event(struct columns *columns) {
    if (columns->events >= MOST_EVENTS) return IRREGULAR;
    for (int c = 0; c < columns->n; c++) {
        struct column *column = &columns->of[c];
        if (column->kind == TIMES ? !add_tick(&column->ticks, columns->unknown) : !add_code(&column->codes, NONE))
            return NO_MEMORY;
    }
    columns->events++;
    return GOOD;
}

enum status set_value(struct columns *columns, int c, text at, size_t size) {
    struct column *column = &columns->of[c];
    size_t last = columns->events - 1;
    if (column->kind == NAMES) {
        int32_t code = number_of(&column->names, &columns->hashing, at, size);
        if (code < NONE) return NO_MEMORY;
        column->codes.at[last] = code;
        return GOOD;
    }
    int64_t ticks = columns->unknown;
    if (size && (!ticks_of(at, size, &ticks) || ticks == columns->unknown)) return IRREGULAR;
    column->ticks.at[last] = ticks;
    return GOOD;
}

enum status end_event(struct columns *columns) {
    size_t last = columns->events - 1;
    for (int c = 0; c < columns->n; c++) {
        struct column *column = &columns->of[c];
        bool missing = column->kind == TIMES ? column->ticks.at[last] == columns->unknown : column->codes.at[last] < 0;
        if (missing && column->needed) return IRREGULAR;
        column->any |= !missing;
    }
    return GOOD;
}

void drop_columns(struct columns *columns) {
    for (int c = 0; c < columns->n; c++) {
        drop_names(&columns->of[c].names);
        free(columns->of[c].codes.at);
        free(columns->of[c].ticks.at);
        columns->of[c].codes = (struct codes){0};
        columns->of[c].ticks = (struct ticks){0};
    }
}
