#ifndef HY_PLUGINS_DISCOVERY_MANIFEST_MEMBERS_JSON_H
#define HY_PLUGINS_DISCOVERY_MANIFEST_MEMBERS_JSON_H

#include "common/error.h"
#include "halyard/driver.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* JSON access for manifests: loading the document, and typed access to members of an object. */

/* The state of one parse: the file's path, and the destinations of warnings and errors. */
struct hy_manifest_reader {
    const char *path;
    const struct hy_host *host;
    struct hy_error *err;
};

/* Returns the type's name with an article, for error texts: "an object", "a string", ... */
const char *hy_json_type_name(const json_t *value);

/* Parses a text that must be an object, nested at most HY_MANIFEST_MAX_DEPTH levels. The caller
 * drops the reference `*out`. Errors: BAD_DATA, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_manifest_load(const char *text, size_t length, json_t **out,
                                            struct hy_error *err);

/* Logs a warning for each unknown member; newer manifests may have additional members, so no
 * refusal follows. `where` is a prefix for the member names; `known` ends with NULL. */
void hy_manifest_log_unknown(const struct hy_manifest_reader *reader, json_t *object,
                             const char *where, const char *const *known);

/* Finds a member of type `type`; `*out` is NULL if the member is absent and not `required`. `needs`
 * describes the expected type in the error text. Errors: BAD_DATA (wrong type, or a required member
 * is missing). */
HY_MUST_CHECK enum hy_code hy_manifest_find(const struct hy_manifest_reader *reader,
                                            const json_t *object, const char *name, json_type type,
                                            bool required, const char *needs, const json_t **out);

/* Finds a string member. The string belongs to the object. */
HY_MUST_CHECK enum hy_code hy_manifest_find_string(const struct hy_manifest_reader *reader,
                                                   const json_t *object, const char *name,
                                                   bool required, const char **out);

/* Copies a printable string of at most `max` bytes; an absent member gives "". The caller frees
 * `*out`. Errors: BAD_DATA, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_manifest_copy_string(const struct hy_manifest_reader *reader,
                                                   const json_t *object, const char *name,
                                                   bool required, size_t max, char **out);

#endif
