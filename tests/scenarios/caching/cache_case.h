#ifndef HY_TESTS_SCENARIOS_CACHING_CACHE_CASE_H
#define HY_TESTS_SCENARIOS_CACHING_CACHE_CASE_H

#include "tests/scenarios/caching/app.h"
#include "tests/scenarios/caching/forked.h"
#include "tests/scenarios/caching/fs_path.h"

/*
 * An app in its own process (forked.h), in an environment set up by the test. The functions with a
 * bool result run inside the part and print the location of a failed check.
 */
enum { CACHE_CASE_DEVICE_COUNT = 4 };

extern const char *const cache_case_devices[CACHE_CASE_DEVICE_COUNT]; /* the CPU comes first */

struct cache_case {
    struct fs_path fs_path; /* directory of the app */
    struct fs_path state;   /* state directory, not created yet */
    const char *device;
    enum cache_model_kind kind;
    struct cache_model cache_model;
    struct app app;
};

/* Call before the process starts. The subject is CACHE_MODEL_DENSE8 unless the test sets `kind`. */
struct cache_case cache_case_make(const char *device);
void cache_case_remove(const struct cache_case *cache_case);

/* Call first in the part: creates the subject and the app from the current environment. */
bool cache_case_begin(struct cache_case *cache_case);

/* Compiles and runs; prints the outcome of a failure. */
struct app_result cache_case_compile(const struct cache_case *cache_case);

bool cache_case_is_uncached(
    const struct cache_case *cache_case); /* right outputs, no entry stored, with a reason */
bool cache_case_is_correct(
    const struct cache_case *cache_case); /* right outputs, any cache outcome */

/* Expects a later compilation to be stored and found, and a cache without faulty entries. */
bool cache_case_is_usable(const struct cache_case *cache_case);

/* Runs a part for each device, in its own process and directories. Records failures, and prints a
 * note if the machine does not permit the test. */
void cache_case_for_each_device(bool (*run)(void *context));

#endif
