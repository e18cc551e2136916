#ifndef HY_TESTS_CACHING_PART_H
#define HY_TESTS_CACHING_PART_H

#include "tests/caching/apart.h"
#include "tests/caching/app.h"
#include "tests/caching/place.h"

/*
 * An app in its own process (apart.h), in an environment set up by the test. The functions with a
 * bool result run inside the part and print the location of a failed check.
 */
enum { PART_DEVICE_COUNT = 4 };

extern const char *const part_devices[PART_DEVICE_COUNT]; /* the CPU comes first */

struct part {
    struct place place; /* directory of the app */
    struct place state; /* state directory, not created yet */
    const char *device;
    enum subject_kind kind;
    struct subject subject;
    struct app app;
};

/* Call before the process starts. The subject is SUBJECT_DENSE8 unless the test sets `kind`. */
struct part part_make(const char *device);
void part_remove(const struct part *part);

/* Call first in the part: creates the subject and the app from the current environment. */
bool part_begin(struct part *part);

/* Compiles and runs; prints the outcome of a failure. */
struct app_result part_compile(const struct part *part);

bool part_does_without(const struct part *part); /* right outputs, no entry stored, with a reason */
bool part_is_right(const struct part *part);     /* right outputs, any cache outcome */

/* Expects a later compilation to be stored and found, and a cache without faulty entries. */
bool part_is_sane(const struct part *part);

/* Runs a part for each device, in its own process and directories. Records failures, and prints a
 * note if the machine does not permit the test. */
void part_for_each_device(bool (*run)(void *context));

#endif
