#include "plugins/discovery/filter.h"

#include <fnmatch.h>
#include <string.h>

#define MAX_GLOB  255
#define BLANKS    " \t"
#define SEPARATOR ','

bool hy_filter_is_empty(const char *list)
{
    return !list || list[strspn(list, BLANKS ",")] == '\0';
}

/* `all`: a glob for every name, or NULL. */
static bool glob_matches(const char *glob, size_t length, const char *name, const char *all)
{
    while (length > 0 && strchr(BLANKS, glob[length - 1]))
        length--;
    if (length == 0 || length > MAX_GLOB)
        return false;

    char text[MAX_GLOB + 1];
    memcpy(text, glob, length);
    text[length] = '\0';
    return fnmatch(text, name, 0) == 0 || (all && strcmp(text, all) == 0);
}

static bool list_matches(const char *list, const char *name, const char *all)
{
    if (!list)
        return false;
    for (;;) {
        list += strspn(list, BLANKS);
        const char *end = strchrnul(list, SEPARATOR);
        if (glob_matches(list, (size_t)(end - list), name, all))
            return true;
        if (*end == '\0')
            return false;
        list = end + 1;
    }
}

bool hy_filter_matches(const char *list, const char *name)
{
    return list_matches(list, name, NULL);
}

bool hy_filter_matches_or_all(const char *list, const char *name)
{
    return list_matches(list, name, "all");
}
