/* The inner loops of reading event logs: bytes of XES or of a table in, columns of numbers out.
 *
 * Everything here is either regular, and then exactly what the readers in Python make of it, or refused as a whole: a
 * scanner that has met anything else says IRREGULAR from then on, and the file is read again in Python, which knows what
 * is wrong and in which line. So nothing here reports, repairs or guesses. */
#ifndef PETRI_SCAN_H
#define PETRI_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum status { GOOD, IRREGULAR, NO_MEMORY };

#define NONE (-1)             /* code of a value that is missing */
#define MOST_COLUMNS 16
#define MOST_EVENTS 0x7ffffff0 /* numbers of events fit 32 bits */
#define LONGEST (1u << 24)     /* bytes of a row or a tag, and of a cell; whatever is longer is irregular */
#define DEEPEST 64             /* elements within elements */

typedef const unsigned char *text;

/* ---- memory.c: arrays that grow ---------------------------------------------------------------------------- */

struct bytes {
    unsigned char *at;
    size_t size, room;
};

struct codes {
    int32_t *at;
    size_t size, room;
};

struct ticks {
    int64_t *at;
    size_t size, room;
};

/* Room for `more` elements of `each` bytes behind `size`; the block, moved where it must be, or NULL. */
void *grown(void *block, size_t size, size_t more, size_t *room, size_t each);
bool add_bytes(struct bytes *bytes, text from, size_t size);
bool add_code(struct codes *codes, int32_t code);
bool add_tick(struct ticks *ticks, int64_t tick);

/* ---- names.c: texts, numbered as they come ----------------------------------------------------------------- */

struct hashing {
    uint64_t key[2]; /* secret, so that nobody can write a file whose names all collide */
};

uint64_t hashed(const struct hashing *hashing, text at, size_t size);

struct names {
    struct bytes text;
    uint64_t *ends;
    size_t size, ends_room;
    int32_t *table; /* open addressing; NONE for free */
    uint32_t *heads; /* upper half of the hash of each */
    size_t mask, heads_room;
    int32_t last; /* what was asked for last: neighbours are often alike */
};

/* The number of a name, NONE for an empty one, NONE - 1 when there is no memory. */
int32_t number_of(struct names *names, const struct hashing *hashing, text at, size_t size);
text name_at(const struct names *names, size_t number, size_t *size);
void drop_names(struct names *names);

/* ---- clock.c ------------------------------------------------------------------------------------------------ */

/* Microseconds since 1970 of a timestamp of ISO 8601, year first; whether it is one. */
bool ticks_of(text at, size_t size, int64_t *ticks);

/* ---- utf8.c -------------------------------------------------------------------------------------------------- */

/* Whether these bytes are UTF-8; for XML without the characters that it forbids beyond ASCII. */
bool is_utf8(text at, size_t size, bool xml);

/* ---- columns.c: what a scanner fills ------------------------------------------------------------------------- */

enum kind { NAMES, TIMES };

struct column {
    enum kind kind;
    bool needed; /* no event without a value */
    struct names names;
    struct codes codes;
    struct ticks ticks;
    bool any; /* whether an event has a value */
};

struct columns {
    struct hashing hashing;
    int64_t unknown; /* tick of a time that is missing */
    int n;
    struct column of[MOST_COLUMNS];
    size_t events;
};

/* One more event, without values. */
enum status add_event(struct columns *columns);
/* The value of the last event in a column. */
enum status set_value(struct columns *columns, int column, text at, size_t size);
/* Whether the last event has what it needs. */
enum status end_event(struct columns *columns);
void drop_columns(struct columns *columns);

/* ---- table.c: comma-separated values ------------------------------------------------------------------------- */

struct table {
    unsigned char delimiter;
    uint32_t width; /* cells of a row */
    int32_t *column_of; /* cell → column, NONE for one that nobody wants */
    struct bytes unquoted;
};

/* Takes whole rows, of which the last may lack its line end when it is `final`; *taken: bytes of these. */
enum status scan_table(struct table *table, struct columns *columns, text at, size_t size, bool final, size_t *taken);

/* ---- xes.c: traces of XES ------------------------------------------------------------------------------------ */

struct key {
    text at;
    size_t size;
};

struct xes {
    struct key keys[MOST_COLUMNS]; /* of each column; that of column 0 is looked for in traces, the others in events */
    int depth; /* elements that are open; the outermost is `log` */
    bool in_trace, in_event;
    struct bytes open; /* names of the open ones, one after the other */
    size_t begins[DEEPEST];
    struct bytes name;   /* of the trace that is open */
    struct bytes decoded;
    int32_t traces;
};

/* Takes whole tags; *taken: bytes of these. Column 0 gets the number of the trace. */
enum status scan_xes(struct xes *xes, struct columns *columns, text at, size_t size, bool final, size_t *taken);

/* ---- order.c ------------------------------------------------------------------------------------------------- */

/* bounds (n_cases + 1): where the events of each case begin; order: indices of events by case, within a case by time,
 * else as they were; a case with a time that is `unknown` stays as it was, and counts as mixed where others are known.
 * moved: whether the order is another one than that of the file. ended may be NULL. */
enum status in_order(const int32_t *case_of, const int64_t *ended, size_t events, size_t n_cases, int64_t unknown,
                     int64_t *bounds, int32_t *order, size_t *mixed, bool *moved);

/* Equal traces get equal numbers, in order of first appearance; first: a case of each; how many there are. */
enum status variants_of(const int32_t *activity, const int64_t *bounds, size_t n_cases, const struct hashing *hashing,
                        int32_t *variant_of, int32_t *first, size_t *n_variants);

#endif
