#ifndef HY_SERVICE_KEPT_OPTIONS_H
#define HY_SERVICE_KEPT_OPTIONS_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

/*
 * The options of a prepare, for preparing the same once more: what they point to is copied, cache
 * files are duplicated. There is no deadline, and nobody to take words.
 */
struct hy_kept_options {
    struct hy_arena arena;
    struct hy_prepare_options options;
    int32_t *files; /* of both kinds, model cache first */
    uint32_t file_count;
};

/* Without descriptors left it keeps no files: then they are no way back. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_kept_options_create(const struct hy_prepare_options *options,
                                                  struct hy_kept_options **ret,
                                                  struct hy_error *err);
void hy_kept_options_destroy(struct hy_kept_options *kept); /* takes NULL */

#endif
