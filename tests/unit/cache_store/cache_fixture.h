#ifndef HY_TESTS_CACHE_FIXTURE_H
#define HY_TESTS_CACHE_FIXTURE_H

#include "cache_store/entry_writer.h"

#include <stddef.h>

/*
 * A cache in a temporary directory. The contents of an entry follow from its token, so a reader can
 * check all bytes.
 */
struct cache_fixture {
    char dir[64]; /* "" if creation failed */
    struct hy_store *store;
};

#define CACHE_NO_LIMIT ((uint64_t)1 << 40)

extern const struct hy_file_counts cache_counts;  /* per entry: 1 model file, 1 data file */
extern const struct hy_entry_access cache_access; /* as for a device of the runtime */

struct cache_fixture cache_fixture_make(uint64_t limit);
struct cache_fixture cache_fixture_make_in(const char *parent, uint64_t limit);
void cache_fixture_remove(struct cache_fixture *fixture);

/* Opens another store on the same directory; the limit may differ. */
struct hy_store *cache_fixture_reopen(const struct cache_fixture *fixture, uint64_t limit);

/* Expected bytes of entry `number`: the token, and byte `i` of the model or data file. */
void cache_token(unsigned number, uint8_t token[HY_TOKEN_SIZE]);
uint8_t cache_byte(unsigned number, bool is_data, size_t i);

/* Publishes entry `number` with a model file and a data file of the given sizes. */
HY_MUST_CHECK enum hy_code cache_publish(struct hy_store *store, unsigned number,
                                         size_t model_bytes, size_t data_bytes,
                                         struct hy_error *err);
HY_MUST_CHECK bool cache_write(const struct hy_entry_writer *writer, unsigned number,
                               size_t model_bytes, size_t data_bytes);
extern const struct hy_entry_info cache_test_info;

/* Opens entry `number`, compares all bytes and closes the entry. Returns HY_FAILED with an error
 * text if any byte is wrong. */
HY_MUST_CHECK enum hy_code cache_check(struct hy_store *store, unsigned number,
                                       struct hy_error *err);

/* "<folder>/halyard-cache/<shard>/<token>/<file>"; if `file` is "", ends with the token. */
struct cache_path {
    char text[256];
};
struct cache_path cache_entry_path(const struct cache_fixture *fixture, unsigned number,
                                   const char *file);
struct cache_path cache_root_path(const struct cache_fixture *fixture, const char *file);
bool cache_exists(struct cache_path path); /* true for any link, too */

/* Number of names in a directory, or -1 if the directory does not exist. */
int cache_name_count(struct cache_path path);

/* Number of open descriptors of the process. */
int cache_descriptor_count(void);

#endif
