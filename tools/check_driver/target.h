#ifndef HY_TOOLS_CHECK_DRIVER_TARGET_H
#define HY_TOOLS_CHECK_DRIVER_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* The driver to check: a library with arguments, and the manifest that says so. */
struct hy_target {
    char library[PATH_MAX];
    char manifest[PATH_MAX];        /* the one given, or one made for the library */
    char folder[PATH_MAX];          /* of a manifest made by us; "" where one was given */
    char *arguments;                /* JSON text */
    char fault[HY_ERROR_TEXT_SIZE]; /* what is wrong with the manifest; "": nothing */
    bool has_abi;                   /* the manifest names an ABI version */
    uint32_t abi;
};

/*
 * `path` is a library, or a manifest (*.json), which may be wrong: target.fault then has the words.
 * `arguments` is a JSON object that replaces the manifest's, or NULL. HY_BAD_DATA says what is
 * wrong with the arguments, HY_FAILED why there is no such file.
 */
HY_MUST_CHECK enum hy_code hy_target_find(const char *path, const char *arguments,
                                          struct hy_target *out, struct hy_error *err);

/* Takes away what was made. A zeroed target is fine. */
void hy_target_finish(struct hy_target *target);

/* ---- The part that knows JSON ---------------------------------------------------------------- */

/* Fills library, arguments and ABI of a zeroed target from a manifest. */
HY_MUST_CHECK enum hy_code hy_target_read(const char *manifest, struct hy_target *target,
                                          struct hy_error *err);

/* Compact JSON with sorted keys, as a loader hands it on. */
HY_MUST_CHECK enum hy_code hy_target_set_arguments(const char *json, struct hy_target *target,
                                                   struct hy_error *err);

/* Writes a manifest for library and arguments. */
HY_MUST_CHECK enum hy_code hy_target_write(const struct hy_target *target, const char *path,
                                           struct hy_error *err);

#endif
