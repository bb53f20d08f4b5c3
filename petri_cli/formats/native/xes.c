/* The elements of XES from the first trace on, judged as strictly as a parser of XML would.
 *
 * Taken is what tools write: elements with attributes, blanks between, comments. Text, sections, processing
 * instructions, names beyond ASCII and entities of one's own are left to the parser. */
#include <string.h>

#include "scan.h"

#define MOST_ATTRIBUTES 8

enum class { OTHER, BLANK, LETTER, MIDDLE, CONTROL, SPECIAL, HIGH };
/* LETTER begins a name, MIDDLE goes on with one; SPECIAL matters within a value. */

static const unsigned char class_of[256] = {
    [0 ... 8] = CONTROL, ['\t'] = BLANK, ['\n'] = BLANK, [11 ... 12] = CONTROL, ['\r'] = BLANK, [14 ... 31] = CONTROL,
    [' '] = BLANK, ['-'] = MIDDLE, ['.'] = MIDDLE, ['0' ... '9'] = MIDDLE, [':'] = LETTER, ['A' ... 'Z'] = LETTER,
    ['_'] = LETTER, ['a' ... 'z'] = LETTER, ['&'] = SPECIAL, ['<'] = SPECIAL, [128 ... 255] = HIGH,
};

static bool is(struct key key, const char *name) {
    return key.size == strlen(name) && !memcmp(key.at, name, key.size);
}

static bool same(struct key a, struct key b) { return a.size == b.size && !memcmp(a.at, b.at, a.size); }

static text blanks(text at, text end) {
    while (at < end && class_of[*at] == BLANK) at++;
    return at;
}

static text name_end(text at, text end) {
    if (at < end && class_of[*at] == LETTER)
        for (at++; at < end && (class_of[*at] == LETTER || class_of[*at] == MIDDLE);) at++;
    return at;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

static bool encoded(uint32_t c, struct bytes *into, bool *room) {
    unsigned char b[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (c > 0x10ffff || (c < 0x20 && c != 9 && c != 10 && c != 13) || (c >= 0xd800 && c < 0xe000) || c == 0xfffe ||
        c == 0xffff)
        return false;
    if (n == 1) b[0] = (unsigned char)c;
    for (size_t i = n - 1; n > 1 && i > 0; i--, c >>= 6) b[i] = (unsigned char)(0x80 | (c & 0x3f));
    if (n > 1) b[0] = (unsigned char)((0xf00u >> n) & 0xff) | (unsigned char)c;
    *room = add_bytes(into, b, n);
    return true;
}

/* The character of a reference that begins at `at` (behind the &); behind its semicolon, NULL for one that is none. */
static text reference(text at, text end, struct bytes *into, bool *room) {
    static const struct {
        const char *name;
        unsigned char is;
    } named[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        size_t n = strlen(named[i].name);
        if ((size_t)(end - at) >= n && !memcmp(at, named[i].name, n)) {
            *room = add_bytes(into, &named[i].is, 1);
            return at + n;
        }
    }
    if (at == end || *at++ != '#') return NULL;
    uint32_t base = at < end && *at == 'x' ? 16 : 10, c = 0;
    if (base == 16) at++;
    text first = at;
    for (; at < end && *at != ';'; at++) {
        unsigned char b = *at;
        uint32_t digit = b >= '0' && b <= '9'   ? b - '0'
                         : b >= 'a' && b <= 'f' ? b - 'a' + 10
                         : b >= 'A' && b <= 'F' ? b - 'A' + 10
                                                : 99;
        if (digit >= base || c > 0x10ffff) return NULL;
        c = base * c + digit;
    }
    return at == end || at == first || !encoded(c, into, room) ? NULL : at + 1;
}

/* A value as it is meant: references replaced, every blank a space (XML 1.0, section 3.3.3). */
static enum status decode(struct key raw, struct bytes *into) {
    text at = raw.at, end = raw.at + raw.size;
    bool room = true;
    into->size = 0;
    while (at < end && room) {
        if (*at == '&') {
            at = reference(at + 1, end, into, &room);
            if (!at) return IRREGULAR;
        } else if (class_of[*at] == BLANK) {
            at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
            room = add_bytes(into, (text) " ", 1);
        } else {
            text from = at;
            while (at < end && *at != '&' && class_of[*at] != BLANK) at++;
            room = add_bytes(into, from, (size_t)(at - from));
        }
    }
    return room ? GOOD : NO_MEMORY;
}

/* ---- tags --------------------------------------------------------------------------------------------------- */

struct tag {
    struct key name, key, value;
    bool has_key, has_value, entities, closed; /* entities: the value is not what is written; closed: <…/> */
};

/* One value in quotes: behind the closing quote, or NULL, with `status` still good when the text ends before it. */
static text value(text at, text end, struct key *found, bool *meant, enum status *status) {
    if (at == end) return NULL;
    unsigned char quote = *at++, seen = 0;
    text from = at;
    if (quote != '"' && quote != '\'') {
        *status = IRREGULAR;
        return NULL;
    }
    bool special = false, high = false;
    for (;; at++) {
        while (at < end && (seen = class_of[*at]) <= MIDDLE && *at != quote && (seen != BLANK || *at == ' ')) at++;
        if (at == end) return NULL;
        if (*at == quote) break;
        if (seen == HIGH)
            high = true;
        else if (*at == '&' || seen == BLANK)
            special = true;
        else { /* a < or a control character */
            *status = IRREGULAR;
            return NULL;
        }
    }
    *found = (struct key){from, (size_t)(at - from)};
    *meant = !special;
    if (found->size > LONGEST || (high && !is_utf8(from, found->size, true))) *status = IRREGULAR;
    return at + 1;
}

/* The tag whose name begins at `at`: behind it, or NULL, with `status` still good when the text ends before it. */
static text tag(struct xes *xes, text at, text end, struct tag *tag, enum status *status) {
    struct key names[MOST_ATTRIBUTES];
    int n = 0;
    *tag = (struct tag){.name = {at, 0}};
    at = name_end(at, end);
    tag->name.size = (size_t)(at - tag->name.at);
    for (;;) {
        text after = blanks(at, end);
        if (after == end) return NULL;
        bool apart = after > at;
        at = after;
        if (*at == '>') return at + 1;
        if (*at == '/') {
            if (at + 1 == end) return NULL;
            tag->closed = true;
            if (at[1] != '>') break;
            return at + 2;
        }
        if (!apart || n == MOST_ATTRIBUTES || class_of[*at] != LETTER) break;
        struct key name = {at, 0};
        at = name_end(at, end);
        name.size = (size_t)(at - name.at);
        at = blanks(at, end);
        if (at == end) return NULL;
        if (*at != '=') break;
        struct key found;
        bool meant;
        at = value(blanks(at + 1, end), end, &found, &meant, status);
        if (!at || *status != GOOD) return NULL;
        for (int i = 0; i < n; i++)
            if (same(names[i], name)) *status = IRREGULAR;
        names[n++] = name;
        if (is(name, "key")) {
            tag->key = found;
            tag->has_key = true;
            if (!meant) break; /* a key that is written in another way than it is meant */
        } else if (is(name, "value")) {
            tag->value = found;
            tag->has_value = true;
            tag->entities = !meant;
        } else if (!meant && decode(found, &xes->decoded) != GOOD) {
            break;
        }
        if (*status != GOOD) return NULL;
    }
    *status = IRREGULAR;
    return NULL;
}

/* ---- elements ----------------------------------------------------------------------------------------------- */

static enum status opened(struct xes *xes, struct key name) {
    if (xes->depth == DEEPEST) return IRREGULAR;
    xes->begins[xes->depth++] = xes->open.size;
    return add_bytes(&xes->open, name.at, name.size) ? GOOD : NO_MEMORY;
}

static enum status trace_ends(struct xes *xes, struct columns *columns) {
    struct names *cases = &columns->of[0].names;
    int32_t number = number_of(cases, &columns->hashing, xes->name.at, xes->name.size);
    if (number < NONE) return NO_MEMORY;
    xes->in_trace = false;
    xes->name.size = 0;
    /* without a name, or with one that another trace has: a warning has to say so */
    return number == xes->traces++ ? GOOD : IRREGULAR;
}

static enum status event_begins(struct xes *xes, struct columns *columns) {
    enum status status = add_event(columns);
    if (status != GOOD) return status;
    columns->of[0].codes.at[columns->events - 1] = xes->traces;
    xes->in_event = true;
    return GOOD;
}

/* An attribute of a trace or an event. Its value is decoded whether or not anybody wants it, to see that it can be. */
static enum status attribute(struct xes *xes, struct columns *columns, const struct tag *tag) {
    struct key told = tag->value;
    if (tag->entities) {
        enum status status = decode(told, &xes->decoded);
        if (status != GOOD) return status;
        told = (struct key){xes->decoded.at, xes->decoded.size};
    }
    if (is(tag->key, "petri:exact")) return IRREGULAR;
    if (!tag->has_key || !tag->has_value) return GOOD;
    if (xes->in_event && xes->depth == 3) {
        for (int c = 1; c < columns->n; c++)
            if (same(xes->keys[c], tag->key)) {
                enum status status = set_value(columns, c, told.at, told.size);
                if (status != GOOD) return status;
            }
    } else if (xes->in_trace && xes->depth == 2 && same(xes->keys[0], tag->key)) {
        xes->name.size = 0;
        if (!add_bytes(&xes->name, told.at, told.size)) return NO_MEMORY;
    }
    return GOOD;
}

static enum status begins(struct xes *xes, struct columns *columns, const struct tag *tag) {
    enum status status = GOOD;
    bool is_trace = is(tag->name, "trace"), is_event = is(tag->name, "event");
    if (is_trace || is_event) {
        if (tag->has_key || xes->depth != (is_trace ? 1 : 2) || (is_event && !xes->in_trace)) return IRREGULAR;
        if (tag->entities && (status = decode(tag->value, &xes->decoded)) != GOOD) return status;
        if (is_trace)
            xes->in_trace = true;
        else
            status = event_begins(xes, columns);
        if (status == GOOD && tag->closed) {
            if (is_trace) return trace_ends(xes, columns);
            xes->in_event = false;
            return end_event(columns);
        }
    } else {
        status = attribute(xes, columns, tag);
    }
    return status != GOOD || tag->closed ? status : opened(xes, tag->name);
}

static enum status ends(struct xes *xes, struct columns *columns, struct key name) {
    if (!xes->depth) return IRREGULAR;
    size_t begin = xes->begins[--xes->depth];
    struct key open = {xes->open.at + begin, xes->open.size - begin};
    if (!same(open, name)) return IRREGULAR;
    xes->open.size = begin;
    if (xes->depth == 2 && xes->in_event) {
        xes->in_event = false;
        return end_event(columns);
    }
    return xes->depth == 1 && xes->in_trace ? trace_ends(xes, columns) : GOOD;
}

/* A comment that begins at `at`: behind it, or NULL, with `status` still good when the text ends before it. */
static text comment(text at, text end, enum status *status) {
    static const char mark[] = "<!--";
    size_t shown = (size_t)(end - at) < 4 ? (size_t)(end - at) : 4;
    if (memcmp(at, mark, shown)) *status = IRREGULAR;
    if (*status != GOOD || shown < 4) return NULL;
    for (text from = at += 4; at + 2 < end; at++) {
        if (class_of[*at] == CONTROL) break;
        if (*at == '-' && at[1] == '-') {
            if (at[2] != '>' || !is_utf8(from, (size_t)(at - from), true)) break;
            return at + 3;
        }
    }
    if (at + 2 < end) *status = IRREGULAR;
    return NULL;
}

/* What begins with the < at `at`. */
static text element(struct xes *xes, struct columns *columns, text at, text end, enum status *status) {
    if (at + 1 == end) return NULL;
    if (at[1] == '!') return comment(at, end, status);
    if (at[1] != '/') {
        struct tag found;
        if (class_of[at[1]] != LETTER || !xes->depth) {
            *status = IRREGULAR;
            return NULL;
        }
        at = tag(xes, at + 1, end, &found, status);
        if (at && *status == GOOD) *status = begins(xes, columns, &found);
        return at;
    }
    text name = at + 2;
    at = name_end(name, end);
    struct key ended = {name, (size_t)(at - name)};
    at = blanks(at, end);
    if (at == end) return NULL;
    *status = *at == '>' ? ends(xes, columns, ended) : IRREGULAR;
    return at + 1;
}

enum status scan_xes(struct xes *xes, struct columns *columns, text at, size_t size, bool final, size_t *taken) {
    text begin = at, end = at + size;
    enum status status = GOOD;
    for (;;) {
        at = blanks(at, end);
        *taken = (size_t)(at - begin);
        if (at == end) break;
        if (*at != '<') return IRREGULAR;
        text next = element(xes, columns, at, end, &status);
        if (status != GOOD) return status;
        if (!next) break;
        at = next;
    }
    return final && (at < end || xes->depth) ? IRREGULAR : GOOD;
}
