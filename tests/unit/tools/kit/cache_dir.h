#ifndef HY_TESTS_UNIT_TOOLS_KIT_CACHE_DIR_H
#define HY_TESTS_UNIT_TOOLS_KIT_CACHE_DIR_H

#include <jansson.h>

/* A directory for a cache, with a subdirectory for the library's state. */
void make_cache_dir(char dir[64]);
void remove_cache_dir(const char *dir);

/* A directory with cache entries of two networks. */
void make_cache(char dir[64]);

/* Returns the report of an example network on halyard-cpu with the cache in `folder`. The caller
 * owns the report. */
json_t *explain_cached(const char *model, const char *dir);

/* The first step of a report, and the step's cache outcome as a word. */
const json_t *step_of(const json_t *report);
const char *outcome_of(const json_t *report);

#endif
