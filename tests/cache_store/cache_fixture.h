#ifndef HY_TESTS_CACHE_FIXTURE_H
#define HY_TESTS_CACHE_FIXTURE_H

#include "cache_store/entry_writer.h"

#include <stddef.h>

/*
 * A cache in a temporary folder, and entries with contents that follow from their token, so that
 * anybody can tell whether what is found is right.
 */
struct cache_fixture {
    char folder[64]; /* "" if it could not be made */
    struct hy_store *store;
};

#define CACHE_NO_LIMIT ((uint64_t)1 << 40)

extern const struct hy_file_counts cache_counts;  /* of all entries here: 1 and 1 */
extern const struct hy_entry_access cache_access; /* as of a device of ours */

struct cache_fixture cache_fixture_make(uint64_t limit);
struct cache_fixture cache_fixture_make_in(const char *parent, uint64_t limit);
void cache_fixture_remove(struct cache_fixture *fixture);

/* Another store of the same folder, or with another limit. */
struct hy_store *cache_fixture_reopen(const struct cache_fixture *fixture, uint64_t limit);

/* Bytes of entry `number`: its token, and byte `i` of its model or data file. */
void cache_token(unsigned number, uint8_t token[HY_TOKEN_SIZE]);
uint8_t cache_byte(unsigned number, bool is_data, size_t i);

/* Publishes entry `number` with a model file and a data file of so many bytes. */
HY_MUST_CHECK enum hy_code cache_publish(struct hy_store *store, unsigned number,
                                         size_t model_bytes, size_t data_bytes,
                                         struct hy_error *err);
HY_MUST_CHECK bool cache_write(const struct hy_entry_writer *writer, unsigned number,
                               size_t model_bytes, size_t data_bytes);
extern const struct hy_entry_facts cache_facts;

/* Opens entry `number` and closes it; OK only if all its bytes are right: FAILED with words else.
 */
HY_MUST_CHECK enum hy_code cache_check(struct hy_store *store, unsigned number,
                                       struct hy_error *err);

/* "<folder>/halyard-cache/<shard>/<token>/<file>": no slash after the token where file is "". */
struct cache_path {
    char text[256];
};
struct cache_path cache_entry_path(const struct cache_fixture *fixture, unsigned number,
                                   const char *file);
struct cache_path cache_root_path(const struct cache_fixture *fixture, const char *file);
bool cache_exists(struct cache_path path); /* a link is one, wherever it leads */

/* How many names are in a folder; -1: it is not there. */
int cache_name_count(struct cache_path path);

/* How many descriptors the process has open. */
int cache_descriptor_count(void);

#endif
