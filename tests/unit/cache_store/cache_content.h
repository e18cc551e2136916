#ifndef HY_TESTS_CACHE_CONTENT_H
#define HY_TESTS_CACHE_CONTENT_H

#include "cache_fixture.h"

/* The bytes of one small entry. A test changes the bytes and writes the entry without
 * publishing. */

enum { MODEL_BYTES = 37, DATA_BYTES = 61, MOST_BYTES = 4096, NAME_COUNT = 4 };

extern const char *const names[NAME_COUNT]; /* metadata, model file, data file, mark */

struct content {
    uint8_t bytes[NAME_COUNT][MOST_BYTES];
    size_t length[NAME_COUNT];
};

/* Makes a cache with entry 1 and reads the bytes of the entry. */
struct cache_fixture make_entry(struct content *content);

void read_content(const struct cache_fixture *cache, unsigned number, struct content *ret);
bool lay_out(const struct cache_fixture *cache, unsigned number, const struct content *content);

size_t read_path(struct cache_path path, uint8_t *bytes, size_t capacity);
bool write_path(struct cache_path path, const uint8_t *bytes, size_t length);

/* Checks for a miss with an error text and for removal of the entry. Otherwise records a failure
 * with `what` and `index`. */
bool is_miss(const struct cache_fixture *cache, unsigned number, const char *what, size_t index);

#endif
