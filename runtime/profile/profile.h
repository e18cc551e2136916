#ifndef HY_RUNTIME_PROFILE_H
#define HY_RUNTIME_PROFILE_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What was measured on one device: how long operations of a kind, a type and about a size take.
 * Sizes fall into classes of a factor of two of their units (struct hy_work_estimate); inside a
 * class the time grows with the units. Specified in docs/planning.md.
 */

#define HY_PROFILE_MAX_ENTRIES 4096u
#define HY_PROFILE_MAX_NS      1e12 /* longer than any operation */
#define HY_PROFILE_MAX_UNITS   1e18

struct hy_profile_key {
    int32_t operation;
    int32_t type; /* of its first operand */
    bool relaxed; /* float32 may be computed with the precision of float16 */
};

struct hy_profile_entry {
    struct hy_profile_key key;
    uint32_t size_class;
    double units;     /* 1 at least */
    double ns;        /* of that many units */
    uint32_t samples; /* that the two are the mean of; 0: from a file */
};

/* An entry of a file whose operation or type nobody here knows, by its names: kept for the file
 * alone. */
struct hy_profile_unknown {
    char *operation, *type;
    bool relaxed;
    double units;
    double ns;
};

struct hy_profile {
    double launch_ns; /* of a step; 0: not measured */
    uint32_t count;
    struct hy_profile_entry *entries; /* ascending by key and class */
    uint32_t unknown_count;
    struct hy_profile_unknown *unknown; /* in the order of the file */
};

/* The class of so much work: the logarithm, rounded down, to the base of 2. */
uint32_t hy_profile_size_class(double units);

/* The time of an operation, below 0 if nothing like it was measured. `profile` may be NULL. */
double hy_profile_time(const struct hy_profile *profile, struct hy_profile_key key, double units);

/*
 * Takes figures from a file, or a measurement: that replaces what is from a file, and joins other
 * measurements of its key and class in their mean. Errors: BAD_DATA (a key or figure that cannot be
 * kept, more than HY_PROFILE_MAX_ENTRIES); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profile_set(struct hy_profile *profile, struct hy_profile_key key,
                                          double units, double ns, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_profile_add(struct hy_profile *profile, struct hy_profile_key key,
                                          double units, double ns, struct hy_error *err);

/* Keeps an entry that has names alone, which are copied. Errors: as hy_profile_set. */
HY_MUST_CHECK enum hy_code hy_profile_keep_unknown(struct hy_profile *profile,
                                                   const struct hy_profile_unknown *entry,
                                                   struct hy_error *err);

/* Sets the launch time. BAD_DATA: below 0, or above HY_PROFILE_MAX_NS. */
HY_MUST_CHECK enum hy_code hy_profile_set_launch(struct hy_profile *profile, double ns,
                                                 struct hy_error *err);

/* All of `from`, as if from a file, into an empty profile. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profile_copy(struct hy_profile *to, const struct hy_profile *from,
                                           struct hy_error *err);

/* Zeroed profiles are fine. */
void hy_profile_finish(struct hy_profile *profile);

#endif
