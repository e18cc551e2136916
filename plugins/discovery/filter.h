#ifndef HY_PLUGINS_DISCOVERY_FILTER_H
#define HY_PLUGINS_DISCOVERY_FILTER_H

#include <stdbool.h>

/*
 * Returns true when a glob of the ',' separated list matches the name. Globs follow fnmatch(3)
 * without flags; surrounding blanks are ignored. An empty or NULL list, an empty glob and a glob
 * above 255 bytes match nothing.
 */
bool hy_filter_matches(const char *list, const char *name);

/* Like hy_filter_matches, but the entry "all" matches every name. */
bool hy_filter_matches_or_all(const char *list, const char *name);

/* Returns true when the list contains no glob. */
bool hy_filter_is_empty(const char *list);

#endif
