#ifndef HY_TESTS_TOOLS_KIT_CACHE_PLACE_H
#define HY_TESTS_TOOLS_KIT_CACHE_PLACE_H

#include <jansson.h>

/* A folder for a cache, and in it another for what the library remembers of it. */
void make_place(char folder[64]);
void remove_place(const char *folder);

/* A place with an entry for each of two networks. */
void make_cache(char folder[64]);

/* The report of an example's network on halyard-cpu with the cache of a place; the caller's. */
json_t *explain_cached(const char *model, const char *folder);

/* Of a report: its first step, and what became of the cache there, in a word. */
const json_t *step_of(const json_t *report);
const char *outcome_of(const json_t *report);

#endif
