/* Timestamps of ISO 8601, as log_times.py reads them; every other way of writing them is left to it. */
#include "scan.h"

static bool digits(text at, int n, int *value) {
    *value = 0;
    for (int i = 0; i < n; i++) {
        if (at[i] < '0' || at[i] > '9') return false;
        *value = 10 * *value + (at[i] - '0');
    }
    return true;
}

/* Days since 1970-01-01 of a date of the Gregorian calendar; whether there is such a date. */
static bool days_of(int year, int month, int day, int64_t *days) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    if (year < 1 || month < 1 || month > 12 || day < 1) return false;
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > before[month] - before[month - 1] + (leap && month == 2)) return false;
    int y = year - 1;
    *days = 365 * (int64_t)y + y / 4 - y / 100 + y / 400 + before[month - 1] + (leap && month > 2) + day - 1 - 719162;
    return true;
}

/* What follows the minutes: seconds with a fraction, a blank, a zone; each may be missing. */
static bool rest_of(text at, text end, int64_t *ticks) {
    int seconds = 0, hours = 0, minutes = 0;
    int64_t fraction = 0;
    if (at < end && *at == ':') {
        if (end - at < 3 || !digits(at + 1, 2, &seconds) || seconds > 60) return false;
        at += 3;
        if (at < end && (*at == '.' || *at == ',')) {
            int n = 0;
            for (at++; at < end && *at >= '0' && *at <= '9'; at++, n++)
                if (n < 6) fraction = 10 * fraction + (*at - '0');
            if (n < 1 || n > 9) return false;
            for (; n < 6; n++) fraction *= 10;
        }
    }
    *ticks = 1000000 * (int64_t)seconds + fraction;
    if (at < end && *at == ' ') at++;
    if (at == end) return true;
    if (*at == 'Z') return at + 1 == end;
    if (*at == 'U') return end - at == 3 && at[1] == 'T' && at[2] == 'C';
    if (*at != '+' && *at != '-') return false;
    bool west = *at++ == '-';
    if (end - at < 2 || !digits(at, 2, &hours) || hours > 23) return false;
    at += 2;
    if (at < end && *at == ':') {
        if (end - at != 3) return false;
        at++;
    }
    if (at < end && (end - at != 2 || !digits(at, 2, &minutes) || minutes > 59)) return false;
    int64_t offset = 60000000 * (60 * (int64_t)hours + minutes);
    *ticks += west ? offset : -offset;
    return true;
}

bool ticks_of(text at, size_t size, int64_t *ticks) {
    int year, month, day, hour = 0, minute = 0;
    int64_t days, rest = 0;
    if (size < 10 || !digits(at, 4, &year) || (at[4] != '-' && at[4] != '/') || !digits(at + 5, 2, &month) ||
        at[7] != at[4] || !digits(at + 8, 2, &day) || !days_of(year, month, day, &days))
        return false;
    if (size > 10) {
        if (size < 16 || (at[10] != 'T' && at[10] != ' ') || !digits(at + 11, 2, &hour) || at[13] != ':' ||
            !digits(at + 14, 2, &minute) || hour > 23 || minute > 59 || !rest_of(at + 16, at + size, &rest))
            return false;
    }
    *ticks = 60000000 * (1440 * days + 60 * (int64_t)hour + minute) + rest;
    return true;
}
