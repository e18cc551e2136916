#ifndef HY_RUNTIME_PROFILE_FILE_H
#define HY_RUNTIME_PROFILE_FILE_H

#include "runtime/profile/profile.h"

#include <stddef.h>

#define HY_PROFILE_FILE_NAME        "profiles.json"
#define HY_PROFILE_FILE_MAX_BYTES   (1u << 20)
#define HY_PROFILE_FILE_MAX_DEVICES 64u
#define HY_PROFILE_FILE_MAX_TEXT    255u /* bytes of each name */

/* The profile of a device, with the driver build and the processor of the measurements. Texts are
 * owned. */
struct hy_profile_record {
    char *device;
    char *version;
    char *build_id;
    char *cpu;
    struct hy_profile profile;
};

/* The profiles of a machine, with a record for each device. Specified in docs/planning.md. */
struct hy_profile_file {
    uint32_t count;
    struct hy_profile_record *records;
};

/* The record of a device, or NULL. */
struct hy_profile_record *hy_profile_file_find(const struct hy_profile_file *file,
                                               const char *device);

/* Adds an empty record for a device, in place of an old record. The texts are copied. Errors:
 * BAD_DATA (texts too long, too many devices), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profile_file_put(struct hy_profile_file *file, const char *device,
                                               const char *version, const char *build_id,
                                               const char *cpu, struct hy_profile_record **ret,
                                               struct hy_error *err);

/* Frees the memory of the records. A zeroed file is allowed. */
void hy_profile_file_finish(struct hy_profile_file *file);

/* Converts from and to the text of a file. The caller frees `*ret_text`. Errors: BAD_DATA (invalid
 * text or limits exceeded), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profile_file_parse(const char *text, size_t length,
                                                 struct hy_profile_file *ret, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_profile_file_format(const struct hy_profile_file *file,
                                                  char **ret_text, struct hy_error *err);

/*
 * Reads the profile file of a directory; a missing file counts as empty. Errors: BAD_DATA (invalid
 * contents, not a regular file, too large, owned by another user), FAILED (unreadable),
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profile_file_read(const char *dir, struct hy_profile_file *ret,
                                                struct hy_error *err);

/*
 * Stores a record in the profile file of an existing directory, in place of the device's old
 * record. An invalid file is replaced. The new file is published atomically with mode 0600, and
 * concurrent writers are serialized. Errors: BAD_DATA (too large), FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profile_file_update(const char *dir,
                                                  const struct hy_profile_record *record,
                                                  struct hy_error *err);

#endif
