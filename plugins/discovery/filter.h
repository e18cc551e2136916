#ifndef HY_PLUGINS_DISCOVERY_FILTER_H
#define HY_PLUGINS_DISCOVERY_FILTER_H

#include <stdbool.h>

/*
 * True when a glob of the ',' separated list matches the name. Globs are those of fnmatch(3)
 * without flags; blanks around them do not count. An empty or NULL list, an empty glob and one
 * above 255 bytes match nothing.
 */
bool hy_filter_matches(const char *list, const char *name);

/* The same, and every name is matched where "all" is one of the list. */
bool hy_filter_matches_or_all(const char *list, const char *name);

/* True when the list has no glob at all. */
bool hy_filter_is_empty(const char *list);

#endif
