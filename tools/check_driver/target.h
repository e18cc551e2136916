#ifndef HY_TOOLS_CHECK_DRIVER_TARGET_H
#define HY_TOOLS_CHECK_DRIVER_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* The driver under check: a library with arguments, and a manifest for both. */
struct hy_target {
    char library[PATH_MAX];
    char manifest[PATH_MAX];        /* the given manifest, or a manifest made for the library */
    char dir[PATH_MAX];             /* directory of a generated manifest; "" for a given manifest */
    char *arguments;                /* JSON text */
    char fault[HY_ERROR_TEXT_SIZE]; /* the fault of the manifest; "": none */
    bool has_abi;                   /* the manifest names an ABI version */
    uint32_t abi;
};

/*
 * `path` is a library, or a manifest (*.json). For a wrong manifest target.fault has the error
 * text. `arguments` is a JSON object that replaces the manifest's, or NULL. HY_BAD_DATA: the
 * arguments are wrong; HY_FAILED: the file cannot be found.
 */
HY_MUST_CHECK enum hy_code hy_target_find(const char *path, const char *arguments,
                                          struct hy_target *out, struct hy_error *err);

/* Removes a generated manifest and frees memory. A zeroed target is valid. */
void hy_target_finish(struct hy_target *target);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Fills library, arguments and ABI of a zeroed target from a manifest. */
HY_MUST_CHECK enum hy_code hy_target_read(const char *manifest, struct hy_target *target,
                                          struct hy_error *err);

/* Sets the arguments to compact JSON with sorted keys, the form of a loader. */
HY_MUST_CHECK enum hy_code hy_target_set_arguments(const char *json, struct hy_target *target,
                                                   struct hy_error *err);

/* Writes a manifest for library and arguments. */
HY_MUST_CHECK enum hy_code hy_target_write(const struct hy_target *target, const char *path,
                                           struct hy_error *err);

#endif
