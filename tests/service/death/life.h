#ifndef HY_TESTS_DEATH_LIFE_H
#define HY_TESTS_DEATH_LIFE_H

#include "plugins/service/client/service.h"
#include "support/model_builder.h"

#include <stdbool.h>

/*
 * Everything sent by a runtime to an isolated driver, through the functions of struct hy_device.
 * Covers each client message of the protocol. The default driver is the faultless driver of
 * tests/plugins/faulty.
 */
#define LIFE_EXTENT 4u

struct life_memory {
    struct hy_pool pool;
    float *bytes; /* mapped */
};

struct life {
    struct hy_service *service;
    const struct hy_device *table;
    void *device;
    struct hy_builder builder;
    struct life_memory memory;
    int32_t cache_file;
    void *prepared;
    int64_t deadline; /* for all functions with a deadline */
    unsigned seed;
    char words[HY_ERROR_TEXT_SIZE]; /* of the last failure */
};

/* Starts the process with the given hang timeout. On failure returns false; `words` has the
 * text. */
bool life_open(struct life *life, uint32_t patience_seconds);
bool life_open_driver(struct life *life, const char *library, const char *arguments,
                      uint32_t patience_seconds);
void life_close(struct life *life);

/* Allocates memory for the arguments. life_close frees the memory of the life. Returns false if out
 * of memory. */
bool life_make_memory(struct life_memory *memory);
void life_free_memory(const struct life_memory *memory);
float *life_sum(const struct life_memory *memory); /* -1 before an execution */

/* The deadline in `ms` milliseconds. */
int64_t life_in_ms(int ms);

/* Shortens the hang timeout. The kill of a host process restores the usual timeout. */
void life_lose_patience(uint32_t seconds);

/*
 * The steps. HY_STATUS_OK means right results. HY_STATUS_GENERAL_FAILURE means wrong results, with
 * a text in `words`. Other values come from the driver's functions. Each step releases its objects.
 */
struct life_step {
    const char *name;
    int32_t (*take)(struct life *life);
};
extern const struct life_step life_steps[];
extern const unsigned life_step_count;

int32_t life_ask(struct life *life);
int32_t life_prepare(struct life *life); /* used by the next functions */
int32_t life_prepare_from_cache(struct life *life);
int32_t life_execute(struct life *life);
int32_t life_reuse(struct life *life);
int32_t life_use_buffer(struct life *life);
int32_t life_execute_fenced(struct life *life);
int32_t life_burst(struct life *life);
int32_t life_wait(struct life *life);

/* Run two executions in the same burst, or into the same buffer. The first execution must miss the
 * deadline, or the result is GENERAL_FAILURE with a text. Return the status of the second
 * execution. */
int32_t life_burst_after_late(struct life *life);
int32_t life_fill_buffer_after_late(struct life *life);

/* Runs an execution of a burst into a buffer, with the deadline. The caller destroys both
 * objects. */
struct life_left {
    void *burst;
    void *buffer;
};
int32_t life_leave_buffer(struct life *life, struct life_left *left);

int32_t life_forget_memory(struct life *life); /* notifies the process, then allocates new memory */
int32_t life_forget_model(struct life *life);

#endif
