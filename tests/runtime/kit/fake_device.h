#ifndef HY_TESTS_RUNTIME_KIT_FAKE_DEVICE_H
#define HY_TESTS_RUNTIME_KIT_FAKE_DEVICE_H

#include "runtime/device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * Devices for tests, made in place: they compute ADD, MUL, RELU and FLOOR on small float tensors,
 * note what they were asked, and fail or lie on demand.
 */

/* Bits of fake_device.operations. */
#define FAKE_ADD   1u
#define FAKE_MUL   2u
#define FAKE_RELU  4u
#define FAKE_FLOOR 8u
#define FAKE_ALL   15u
#define FAKE_ABS   16u /* not among all */

enum fake_lie {
    FAKE_HONEST,
    FAKE_TELLS_NOTHING,     /* success, without any shape */
    FAKE_OTHER_EXTENT,      /* an extent that the model knows is told as another */
    FAKE_OTHER_RANK,        /* one dimension too many */
    FAKE_HUGE_RANK,         /* more dimensions than there can be */
    FAKE_SMALL_BUT_SUCCESS, /* success, but an output had too little room */
    FAKE_SMALL_FOR_NOTHING, /* too little room, though there is enough */
    FAKE_ODD_FLAG,          /* neither sufficient nor not */
    FAKE_ODD_TIMES,         /* longer on the device than in the driver */
    FAKE_ODD_STATUS,        /* a status that does not exist */
};

struct fake_device {
    struct hy_runtime_device device;
    struct hy_device_work work;
    struct hy_operand_performance performance;
    uint32_t operations;         /* FAKE_*: supported */
    int32_t extension_operation; /* supported, too: it doubles its input; 0: none */
    const char *reason;          /* told with a refusal; NULL: none */

    /* What it does wrong; all 0 at first. */
    int32_t support_status;
    uint8_t support_byte; /* written in the place of a 1 */
    int32_t prepare_status;
    bool prepare_nothing;           /* success without a prepared model */
    _Atomic int32_t execute_status; /* each run fails with this */
    enum fake_lie lie;
    uint32_t run_us;                     /* how long a run takes at least */
    _Atomic(pthread_barrier_t *) inside; /* met twice during a run; NULL: no stop */
    bool refuses_open_inputs;            /* of models: where an extent of one is unknown */
    bool gives_nothing;                  /* results have no elements */
    uint32_t min_extent; /* of results, whatever the input: to need more room than given; 0: none */

    /* What it saw. */
    atomic_uint prepared; /* models alive */
    atomic_uint prepare_count;
    atomic_uint runs;
    atomic_uint request_kinds;     /* of pools in requests, a bit 1 << HY_POOL_* for each */
    atomic_uint model_kinds;       /* the same in models, to be asked about or prepared */
    uint32_t last_asked_count;     /* operations of the last model asked about */
    uint32_t last_operation_count; /* of the last model prepared */
    uint32_t last_input_count;
    uint32_t last_output_count;
    uint32_t last_pool_count;          /* of the last request */
    const struct hy_model *last_model; /* only to compare */
    const uint8_t *last_values;
    const struct hy_pool *last_pools;
    int32_t last_preference;
    int32_t last_priority;
    int64_t last_prepare_deadline;
    uint32_t last_prefix_count; /* told with the last prepare */
    uint32_t last_hint_count;   /* of the last prepare or run */
    uint32_t last_hint_token;   /* the last of them, and the first byte of its data */
    uint8_t last_hint_byte;
    int64_t last_deadline;
    uint64_t last_loop_timeout;
};

/* `kind`: HALYARD_DEVICE_*. Cost is for float tensors, the same for time and power. */
/* The table for devices that run in parallel: nothing is noted but the atomic counts. */
extern const struct hy_device fake_parallel_table;

void fake_device_init(struct fake_device *fake, const char *name, int32_t kind, float cost,
                      uint32_t operations);

#endif
