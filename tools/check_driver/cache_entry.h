#ifndef HY_TOOLS_CHECK_DRIVER_CACHE_ENTRY_H
#define HY_TOOLS_CHECK_DRIVER_CACHE_ENTRY_H

#include "tools/check_driver/rules/check.h"

/*
 * The cache files of one prepared model, without names. Behind the descriptors of each kind stands
 * one more, of a file that is nobody's business.
 */
struct hy_cache_entry {
    uint8_t token[HY_TOKEN_SIZE];
    uint32_t model_count, data_count;
    int32_t model[HY_MAX_CACHE_FILES + 1];
    int32_t data[HY_MAX_CACHE_FILES + 1];
};

/* Whether the device keeps cache files, and (if asked for) restores from them; else the rule is
 * skipped. The host is told of the counts. */
bool hy_cache_is_kept(struct hy_check *check, enum hy_rule rule, bool needs_restoring);

/* Empty files under a token of this number. False: no descriptors. Close it in any case. */
bool hy_cache_entry_make(const struct hy_check *check, uint8_t number, struct hy_cache_entry *out);
void hy_cache_entry_close(struct hy_cache_entry *entry);

/* File number `index`, the model's first, and how many there are. */
int32_t hy_cache_entry_file(const struct hy_cache_entry *entry, uint32_t index);
uint32_t hy_cache_entry_count(const struct hy_cache_entry *entry);

/* Bytes of a file, -1: unknown. */
int64_t hy_cache_entry_length(const struct hy_cache_entry *entry, uint32_t index);

/* Whether any file holds a byte. */
bool hy_cache_entry_has_bytes(const struct hy_cache_entry *entry);

/* Other files with the bytes of `from`, under its token, at an offset in the middle. */
bool hy_cache_entry_copy(const struct hy_check *check, const struct hy_cache_entry *from,
                         struct hy_cache_entry *out);

/* Prepare with the files of the entry. */
struct hy_prepare_options hy_cache_entry_options(const struct hy_cache_entry *entry);

/*
 * Prepares the sample with the files of an empty entry and runs it until there is something in
 * them, or in an entry that the driver has committed, whose files then take their place. True:
 * there is. A finding about `rule` where prepare or an execution goes wrong.
 */
bool hy_cache_entry_fill(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample,
                         struct hy_cache_entry *entry);

/* What came of prepare_from_cache. */
enum hy_cache_try {
    HY_CACHE_FAILED, /* it answered an error */
    HY_CACHE_RIGHT,  /* what it gave computes right */
    HY_CACHE_WRONG,  /* there is a finding about `rule` */
};

/* Prepares from the files alone, runs it twice and destroys it. The step has been told. */
enum hy_cache_try hy_cache_entry_try(struct hy_check *check, enum hy_rule rule,
                                     struct hy_sample *sample, const struct hy_cache_entry *entry);

/* Runs a prepared model in the place of the sample's own. */
bool hy_cache_run(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample,
                  void *prepared);

#endif
