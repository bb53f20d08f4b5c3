/* Rows of cells, as the csv module of Python reads them: RFC 4180 with any delimiter, line ends LF or CR LF. */
#include <string.h>

#include "scan.h"

/* The end of a quoted cell whose first character is at `at`, the cell in *cell; NULL when the text ends before it. */
static text quoted(struct table *table, text at, text end, struct key *cell, enum status *status) {
    table->unquoted.size = 0;
    text begin = at;
    for (;;) {
        text quote = memchr(at, '"', (size_t)(end - at));
        if (!quote || quote + 1 == end) return NULL;
        if (quote[1] != '"') {
            if (!table->unquoted.size) {
                *cell = (struct key){begin, (size_t)(quote - begin)};
                return quote + 1;
            }
            if (!add_bytes(&table->unquoted, begin, (size_t)(quote - begin))) *status = NO_MEMORY;
            *cell = (struct key){table->unquoted.at, table->unquoted.size};
            return quote + 1;
        }
        if (!add_bytes(&table->unquoted, begin, (size_t)(quote + 1 - begin))) {
            *status = NO_MEMORY;
            return quote;
        }
        begin = at = quote + 2;
    }
}

static text plain(const struct table *table, text at, text end) {
    unsigned char delimiter = table->delimiter;
    while (at < end && *at != delimiter && *at != '\n' && *at != '\r') at++;
    return at;
}

/* One row that begins at `at`: where the next one begins, or NULL when the text ends before it does. A row that is cut
 * off has left no trace but an event without all its values, which the caller takes back. */
static text row(struct table *table, struct columns *columns, text at, text end, enum status *status) {
    uint32_t cells = 0;
    for (;;) {
        struct key cell;
        text after;
        if (at < end && *at == '"') {
            after = quoted(table, at + 1, end, &cell, status);
            if (!after || *status != GOOD) return NULL;
        } else {
            after = plain(table, at, end);
            cell = (struct key){at, (size_t)(after - at)};
        }
        if (after == end) return NULL;
        if (cells == table->width || cell.size > LONGEST) {
            *status = IRREGULAR;
            return NULL;
        }
        int32_t column = table->column_of[cells++];
        if (column != NONE && (*status = set_value(columns, column, cell.at, cell.size)) != GOOD) return NULL;
        at = after + 1;
        if (*after == table->delimiter) continue;
        if (*after == '\r') {
            if (at == end) return NULL;
            if (*at++ != '\n') *status = IRREGULAR;
        } else if (*after != '\n') { /* something between a closing quote and the delimiter */
            *status = IRREGULAR;
        }
        if (*status == GOOD && cells != table->width) *status = IRREGULAR;
        return at;
    }
}

enum status scan_table(struct table *table, struct columns *columns, text at, size_t size, bool final, size_t *taken) {
    text begin = at, end = at + size;
    enum status status = GOOD;
    *taken = 0;
    if (memchr(at, 0, size)) return IRREGULAR;
    while (at < end) {
        if (*at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n')) {
            at += *at == '\r' ? 2 : 1;
            continue;
        }
        if ((status = add_event(columns)) != GOOD) return status;
        text next = row(table, columns, at, end, &status);
        if (status != GOOD) return status;
        if (!next) { /* cut off: the event is taken back */
            columns->events--;
            for (int c = 0; c < columns->n; c++) {
                if (columns->of[c].kind == TIMES)
                    columns->of[c].ticks.size--;
                else
                    columns->of[c].codes.size--;
            }
            break;
        }
        if ((status = end_event(columns)) != GOOD) return status;
        at = next;
    }
    if (final && at < end) return IRREGULAR;
    *taken = (size_t)(at - begin);
    return is_utf8(begin, *taken, false) ? GOOD : IRREGULAR;
}
