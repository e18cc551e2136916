#ifndef HY_TESTS_DEATH_LIFECYCLE_H
#define HY_TESTS_DEATH_LIFECYCLE_H

#include "plugins/service/client/service.h"
#include "tests/kit/model_builder.h"

#include <stdbool.h>

/*
 * Everything sent by a runtime to an isolated driver, through the functions of struct hy_device.
 * Covers each client message of the protocol. The default driver is the faultless driver of
 * tests/unit/plugins/faulty.
 */
#define LIFECYCLE_EXTENT 4u

struct lifecycle_memory {
    struct hy_pool pool;
    float *bytes; /* mapped */
};

struct lifecycle {
    struct hy_service *service;
    const struct hy_device *table;
    void *device;
    struct hy_builder builder;
    struct lifecycle_memory memory;
    int32_t cache_file;
    void *prepared;
    int64_t deadline; /* for all functions with a deadline */
    unsigned seed;
    char error_text[HY_ERROR_TEXT_SIZE]; /* of the last failure */
};

/* Starts the process with the given hang timeout. On failure returns false; `error_text` has the
 * text. */
bool lifecycle_open(struct lifecycle *lifecycle, uint32_t hang_timeout_seconds);
bool lifecycle_open_driver(struct lifecycle *lifecycle, const char *library, const char *arguments,
                           uint32_t hang_timeout_seconds);
void lifecycle_close(struct lifecycle *lifecycle);

/* Allocates memory for the arguments. lifecycle_close frees the memory of the life. Returns false
 * if out of memory. */
bool lifecycle_make_memory(struct lifecycle_memory *memory);
void lifecycle_free_memory(const struct lifecycle_memory *memory);
float *lifecycle_sum(const struct lifecycle_memory *memory); /* -1 before an execution */

/* The deadline in `ms` milliseconds. */
int64_t lifecycle_in_ms(int ms);

/* Shortens the hang timeout. The kill of a host process restores the usual timeout. */
void lifecycle_set_watchdog(uint32_t seconds);

/*
 * The steps. HY_STATUS_OK means right results. HY_STATUS_GENERAL_FAILURE means wrong results, with
 * a text in `error_text`. Other values come from the driver's functions. Each step releases its
 * objects.
 */
struct lifecycle_step {
    const char *name;
    int32_t (*perform)(struct lifecycle *lifecycle);
};
extern const struct lifecycle_step lifecycle_steps[];
extern const unsigned lifecycle_step_count;

int32_t lifecycle_ask(struct lifecycle *lifecycle);
int32_t lifecycle_prepare(struct lifecycle *lifecycle); /* used by the next functions */
int32_t lifecycle_prepare_from_cache(struct lifecycle *lifecycle);
int32_t lifecycle_execute(struct lifecycle *lifecycle);
int32_t lifecycle_reuse(struct lifecycle *lifecycle);
int32_t lifecycle_use_buffer(struct lifecycle *lifecycle);
int32_t lifecycle_execute_fenced(struct lifecycle *lifecycle);
int32_t lifecycle_burst(struct lifecycle *lifecycle);
int32_t lifecycle_wait(struct lifecycle *lifecycle);

/* Run two executions in the same burst, or into the same buffer. The first execution must miss the
 * deadline, or the result is GENERAL_FAILURE with a text. Return the status of the second
 * execution. */
int32_t lifecycle_burst_after_timeout(struct lifecycle *lifecycle);
int32_t lifecycle_fill_buffer_after_timeout(struct lifecycle *lifecycle);

/* Runs an execution of a burst into a buffer, with the deadline. The caller destroys both
 * objects. */
struct lifecycle_left {
    void *burst;
    void *buffer;
};
int32_t lifecycle_leave_buffer(struct lifecycle *lifecycle, struct lifecycle_left *left);

int32_t lifecycle_drop_memory(
    struct lifecycle *lifecycle); /* notifies the process, then allocates new memory */
int32_t lifecycle_destroy_model(struct lifecycle *lifecycle);

#endif
