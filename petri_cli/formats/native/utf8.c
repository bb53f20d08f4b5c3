/* RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#include <string.h>

#include "scan.h"

static bool follows(text at, text end, int n) {
    if (end - at <= n) return false;
    for (int i = 1; i <= n; i++)
        if ((at[i] & 0xc0) != 0x80) return false;
    return true;
}

bool is_utf8(text at, size_t size, bool xml) {
    text end = at + size;
    while (at < end) {
        if (*at < 0x80) {
            uint64_t eight;
            if (end - at >= 8 && (memcpy(&eight, at, 8), !(eight & 0x8080808080808080u)))
                at += 8;
            else
                at++;
        } else if (*at < 0xe0) {
            if (*at < 0xc2 || !follows(at, end, 1)) return false;
            at += 2;
        } else if (*at < 0xf0) {
            if (!follows(at, end, 2) || (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f)) return false;
            if (xml && *at == 0xef && at[1] == 0xbf && at[2] > 0xbd) return false;
            at += 3;
        } else {
            if (*at > 0xf4 || !follows(at, end, 3) || (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
                return false;
            at += 4;
        }
    }
    return true;
}
