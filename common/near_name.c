#include "common/near_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST      40u /* longer names are similar to none */
#define MOST_LETTERS 2u
#define SEPARATORS   "_-."

/* Distances of names above the numbers of letters. */
enum { FAR_ENDS = MOST_LETTERS + 1, FAR_WORDS, TOO_FAR };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The edit distance. Both names have at most LONGEST letters. */
static uint32_t count_changes(const char *a, const char *b)
{
    const uint32_t length = (uint32_t)strlen(b);
    uint32_t row[LONGEST + 1];

    for (uint32_t j = 0; j <= length; j++)
        row[j] = j;
    for (uint32_t i = 0; a[i]; i++) {
        uint32_t diagonal = row[0];
        row[0] = i + 1;
        for (uint32_t j = 0; j < length; j++) {
            const uint32_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, least(row[j], row[j + 1]) + 1);
        }
    }
    return row[length];
}

static bool has_word(const char *name, const char *word, size_t length)
{
    for (const char *at = name; *at; at += strspn(at, SEPARATORS)) {
        const size_t size = strcspn(at, SEPARATORS);
        if (size == length && memcmp(at, word, length) == 0)
            return true;
        at += size;
    }
    return false;
}

/* At least two words: the first may be a common prefix. */
static bool has_all_words(const char *known, const char *name)
{
    size_t count = 0;

    for (const char *at = name; *at; at += strspn(at, SEPARATORS)) {
        const size_t size = strcspn(at, SEPARATORS);
        if (!has_word(known, at, size))
            return false;
        count += size > 0;
        at += size;
    }
    return count >= 2;
}

static uint32_t distance(const char *name, const char *known)
{
    const size_t length = strlen(known);
    const uint32_t changes = length <= LONGEST ? count_changes(name, known) : TOO_FAR;

    if (changes <= MOST_LETTERS && 2 * (size_t)changes < strlen(name))
        return changes;
    if (length > 4 && strncmp(name, known, length - 1) == 0)
        return FAR_ENDS;
    return has_all_words(known, name) ? FAR_WORDS : TOO_FAR;
}

const char *hy_near_name(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    uint32_t shortest = TOO_FAR;

    if (strlen(name) > LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const uint32_t away = distance(name, names[i]);
        if (away == 0)
            return NULL;
        if (away < shortest) {
            shortest = away;
            nearest = names[i];
        }
    }
    return nearest;
}
