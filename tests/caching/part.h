#ifndef HY_TESTS_CACHING_PART_H
#define HY_TESTS_CACHING_PART_H

#include "tests/caching/apart.h"
#include "tests/caching/app.h"
#include "tests/caching/place.h"

/*
 * An app in a process of its own (apart.h), in surroundings that a test makes. Functions that give
 * bool are for the part, and say where something is not as it should be.
 */
enum { PART_DEVICE_COUNT = 4 };

extern const char *const part_devices[PART_DEVICE_COUNT]; /* the CPU comes first */

struct part {
    struct place place; /* the app's folder */
    struct place state; /* is not there yet */
    const char *device;
    enum subject_kind kind;
    struct subject subject;
    struct app app;
};

/* Before the process starts; the subject is a small one unless the test sets another kind. */
struct part part_make(const char *device);
void part_remove(const struct part *part);

/* First of all: makes subject and app, with the environment as it is. */
bool part_begin(struct part *part);

/* Compiles and runs; says what is wrong. */
struct app_result part_compile(const struct part *part);

bool part_does_without(const struct part *part); /* right, and no entry; with a reason */
bool part_is_right(const struct part *part);     /* whatever became of the cache */

/* Nothing bad is there, and what comes next is stored and found. */
bool part_is_sane(const struct part *part);

/* Runs it for each device, in a process and folders of its own; records what fails, and says what
 * this machine does not permit. */
void part_for_each_device(bool (*run)(void *context));

#endif
