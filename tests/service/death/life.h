#ifndef HY_TESTS_DEATH_LIFE_H
#define HY_TESTS_DEATH_LIFE_H

#include "plugins/service/client/service.h"
#include "support/model_builder.h"

#include <stdbool.h>

/*
 * Everything that a runtime says to a driver in a process of its own, through the functions of
 * struct hy_device: each message of the protocol that a client sends is in it. The driver is the
 * one of tests/plugins/faulty, without a fault, if no other is asked for.
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
    int64_t deadline; /* of whatever takes one */
    unsigned seed;
    char words[HY_ERROR_TEXT_SIZE]; /* of the last failure */
};

/* Starts the process; settings: patience. False with words: it cannot be started. */
bool life_open(struct life *life, uint32_t patience_seconds);
bool life_open_driver(struct life *life, const char *library, const char *arguments,
                      uint32_t patience_seconds);
void life_close(struct life *life);

/* Memory for the arguments; the life's own is destroyed with it. False: there is none. */
bool life_make_memory(struct life_memory *memory);
void life_free_memory(const struct life_memory *memory);
float *life_sum(const struct life_memory *memory); /* -1 before an execution */

/* A deadline. */
int64_t life_in_ms(int ms);

/* There is less patience, until a host is killed for it. */
void life_lose_patience(uint32_t seconds);

/*
 * The things it does: HY_STATUS_OK with the right results, HY_STATUS_GENERAL_FAILURE with words if
 * they are wrong, else what the driver's functions gave. Each is whole: it leaves nothing open.
 */
struct life_step {
    const char *name;
    int32_t (*take)(struct life *life);
};
extern const struct life_step life_steps[];
extern const unsigned life_step_count;

int32_t life_ask(struct life *life);
int32_t life_prepare(struct life *life); /* what the next ones use */
int32_t life_prepare_from_cache(struct life *life);
int32_t life_execute(struct life *life);
int32_t life_reuse(struct life *life);
int32_t life_use_buffer(struct life *life);
int32_t life_execute_fenced(struct life *life);
int32_t life_burst(struct life *life);
int32_t life_wait(struct life *life);

/* Two executions of one burst, or into one buffer, the first with the deadline, which it misses
 * (else: GENERAL_FAILURE with words). The status is that of the second. */
int32_t life_burst_after_late(struct life *life);
int32_t life_fill_buffer_after_late(struct life *life);

/* One execution of a burst into a buffer, with the deadline; both stay, the caller's to destroy. */
struct life_left {
    void *burst;
    void *buffer;
};
int32_t life_leave_buffer(struct life *life, struct life_left *left);

int32_t life_forget_memory(struct life *life); /* the process is told, and other memory taken */
int32_t life_forget_model(struct life *life);

#endif
