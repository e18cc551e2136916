#ifndef HY_SERVICE_SAVED_OPTIONS_H
#define HY_SERVICE_SAVED_OPTIONS_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * A copy of prepare options, for preparing the model again in a new process. Arrays and strings are
 * copied, cache files are duplicated. The copy has no deadline, no cancellation flag and no message
 * buffer.
 */
struct hy_saved_options {
    struct hy_arena arena;
    struct hy_prepare_options options;
    int32_t *files; /* duplicates of the model cache files, then of the data cache files */
    uint32_t file_count;
};

/* Copies `options`. If no descriptors are free, the copy has no cache files, and the model cannot
 * be restored from the cache. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_saved_options_create(const struct hy_prepare_options *options,
                                                   struct hy_saved_options **ret,
                                                   struct hy_error *err);
void hy_saved_options_destroy(struct hy_saved_options *saved); /* accepts NULL */

#endif
