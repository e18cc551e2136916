#ifndef HY_TOOLS_CHECK_DRIVER_CACHE_ENTRY_H
#define HY_TOOLS_CHECK_DRIVER_CACHE_ENTRY_H

#include "tools/check_driver/rules/check.h"

/*
 * The cache files of one prepared model, without names. Each array has one more descriptor at its
 * end, of an unrelated file.
 */
struct hy_cache_entry {
    uint8_t token[HY_TOKEN_SIZE];
    uint32_t model_count, data_count;
    int32_t model[HY_MAX_CACHE_FILES + 1];
    int32_t data[HY_MAX_CACHE_FILES + 1];
};

/* True if the device has cache files, and restores from them if `needs_restoring`; else the rule is
 * skipped. Sets the expected counts of the host. */
bool hy_cache_is_supported(struct hy_check *check, enum hy_rule rule, bool needs_restoring);

/* Makes empty files under a token of this number. False: no free descriptors. The caller must close
 * the entry in both cases. */
bool hy_cache_entry_make(const struct hy_check *check, uint8_t number, struct hy_cache_entry *out);
void hy_cache_entry_close(struct hy_cache_entry *entry);

/* File number `index`, model files first, and the number of files. */
int32_t hy_cache_entry_file(const struct hy_cache_entry *entry, uint32_t index);
uint32_t hy_cache_entry_count(const struct hy_cache_entry *entry);

/* Length of a file in bytes; -1: unknown. */
int64_t hy_cache_entry_length(const struct hy_cache_entry *entry, uint32_t index);

/* True if at least one file is not empty. */
bool hy_cache_entry_has_bytes(const struct hy_cache_entry *entry);

/* Makes other files with the bytes and the token of `from`, with the file offset in the middle. */
bool hy_cache_entry_copy(const struct hy_check *check, const struct hy_cache_entry *from,
                         struct hy_cache_entry *out);

/* Options for prepare with the files of the entry. */
struct hy_prepare_options hy_cache_entry_options(const struct hy_cache_entry *entry);

/*
 * Prepares the sample with the files of an empty entry, and runs the sample until the files are not
 * empty, or until the driver has committed an entry, whose files replace the files of `entry`.
 * True: the entry has contents. A failure of prepare or of an execution is a finding about `rule`.
 */
bool hy_cache_entry_fill(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample,
                         struct hy_cache_entry *entry);

/* The result of prepare_from_cache. */
enum hy_cache_try {
    HY_CACHE_FAILED, /* the call has returned an error */
    HY_CACHE_RIGHT,  /* the prepared model computes correct results */
    HY_CACHE_WRONG,  /* a finding about `rule` exists */
};

/* Prepares from the files alone, runs the prepared model twice and destroys it. The caller has set
 * the step before. */
enum hy_cache_try hy_cache_entry_try(struct hy_check *check, enum hy_rule rule,
                                     struct hy_sample *sample, const struct hy_cache_entry *entry);

/* Runs another prepared model instead of the sample's own. */
bool hy_cache_run(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample,
                  void *prepared);

#endif
