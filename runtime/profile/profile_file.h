#ifndef HY_RUNTIME_PROFILE_FILE_H
#define HY_RUNTIME_PROFILE_FILE_H

#include "runtime/profile/profile.h"

#include <stddef.h>

#define HY_PROFILE_FILE_NAME        "profiles.json"
#define HY_PROFILE_FILE_MAX_BYTES   (1u << 20)
#define HY_PROFILE_FILE_MAX_DEVICES 64u
#define HY_PROFILE_FILE_MAX_TEXT    255u /* bytes of each name */

/* What was measured on one device, and for which driver and processor it holds. Texts are owned. */
struct hy_profile_record {
    char *device;
    char *version;
    char *build_id;
    char *cpu;
    struct hy_profile profile;
};

/* The profiles of a machine: one record for each device. Specified in docs/planning.md. */
struct hy_profile_file {
    uint32_t count;
    struct hy_profile_record *records;
};

/* The record of a device, or NULL. */
struct hy_profile_record *hy_profile_file_find(const struct hy_profile_file *file,
                                               const char *device);

/* A new record in the place of the device's old one, empty but for the texts, which are copied.
 * Errors: BAD_DATA (texts too long, too many devices), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profile_file_put(struct hy_profile_file *file, const char *device,
                                               const char *version, const char *build_id,
                                               const char *cpu, struct hy_profile_record **ret,
                                               struct hy_error *err);

/* Zeroed files are fine. */
void hy_profile_file_finish(struct hy_profile_file *file);

/* To and from the text of a file. `*ret_text` is the caller's to free. Errors: BAD_DATA (not such a
 * file, or beyond its limits), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profile_file_parse(const char *text, size_t length,
                                                 struct hy_profile_file *ret, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_profile_file_format(const struct hy_profile_file *file,
                                                  char **ret_text, struct hy_error *err);

/*
 * Reads the file of a folder; a missing one is an empty one. Errors: BAD_DATA (its contents, not a
 * regular file, too large, of another user), FAILED (it cannot be read), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profile_file_read(const char *folder, struct hy_profile_file *ret,
                                                struct hy_error *err);

/*
 * Puts one record into the file of a folder, which exists, in the place of the device's old one; a
 * file that cannot be understood is replaced. The new file appears at once and whole, 0600; writers
 * wait for each other. Errors: BAD_DATA (too large), FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profile_file_update(const char *folder,
                                                  const struct hy_profile_record *record,
                                                  struct hy_error *err);

#endif
