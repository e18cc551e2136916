#ifndef HY_PLUGINS_DISCOVERY_MANIFEST_MEMBERS_JSON_H
#define HY_PLUGINS_DISCOVERY_MANIFEST_MEMBERS_JSON_H

#include "common/error.h"
#include "halyard/driver.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The JSON of a manifest: the document as a whole, and members of an object by their type. */

/* One parse: where it is in the file, and where its words go. */
struct hy_manifest_reader {
    const char *path;
    const struct hy_host *host;
    struct hy_error *err;
};

/* "an object", "a string", ... */
const char *hy_json_type_name(const json_t *value);

/* Parses a text that has to be an object, nested at most HY_MANIFEST_MAX_DEPTH levels; the caller
 * gives `*out` back. Errors: BAD_DATA, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_manifest_load(const char *text, size_t length, json_t **out,
                                            struct hy_error *err);

/* Newer manifests may say more than we know; that is worth a warning, not a refusal.
 * `where` stands before the names; `known` ends with NULL. */
void hy_manifest_log_unknown(const struct hy_manifest_reader *reader, json_t *object,
                             const char *where, const char *const *known);

/* The member, NULL if it is left out and may be; of another type than it `needs`: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_manifest_find(const struct hy_manifest_reader *reader,
                                            const json_t *object, const char *name, json_type type,
                                            bool required, const char *needs, const json_t **out);

/* The same for a string, which stays the object's. */
HY_MUST_CHECK enum hy_code hy_manifest_find_string(const struct hy_manifest_reader *reader,
                                                   const json_t *object, const char *name,
                                                   bool required, const char **out);

/* A printable string of at most `max` bytes, copied; "" stands for one left out. Errors: BAD_DATA,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_manifest_copy_string(const struct hy_manifest_reader *reader,
                                                   const json_t *object, const char *name,
                                                   bool required, size_t max, char **out);

#endif
