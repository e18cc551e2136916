#ifndef HY_TESTS_UNIT_RUNTIME_KIT_FAKE_DEVICE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_FAKE_DEVICE_H

#include "runtime/device/runtime_device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * Fake devices for ADD, MUL, RELU and FLOOR of small float tensors. The devices record their calls,
 * and fail or misbehave on demand.
 */

/* Bits of fake_device.operations. */
#define FAKE_ADD   1u
#define FAKE_MUL   2u
#define FAKE_RELU  4u
#define FAKE_FLOOR 8u
#define FAKE_ALL   15u
#define FAKE_ABS   16u /* not in FAKE_ALL */

enum fake_lie {
    FAKE_HONEST,
    FAKE_REPORTS_NOTHING,   /* success without any shape */
    FAKE_OTHER_EXTENT,      /* an extent different from the model's */
    FAKE_OTHER_RANK,        /* one dimension too many */
    FAKE_HUGE_RANK,         /* more dimensions than allowed */
    FAKE_SMALL_BUT_SUCCESS, /* success despite a too small output */
    FAKE_SMALL_FOR_NOTHING, /* too small despite enough space */
    FAKE_ODD_FLAG,          /* a flag other than 0 and 1 */
    FAKE_ODD_TIMES,         /* more time on the device than in the driver */
    FAKE_ODD_STATUS,        /* an undefined status */
};

struct fake_device {
    struct hy_runtime_device device;
    struct hy_device_work work;
    struct hy_operand_performance performance;
    uint32_t operations;         /* FAKE_*: supported */
    int32_t extension_operation; /* supported, too: doubles its input; 0: none */
    const char *reason;          /* reason of refusals; NULL: none */

    /* Faults, initially all 0. */
    int32_t support_status;
    uint8_t support_byte; /* written in place of 1 */
    int32_t prepare_status;
    bool prepare_nothing;           /* success without a prepared model */
    _Atomic int32_t execute_status; /* each run fails with this */
    enum fake_lie lie;
    uint32_t run_us;                     /* minimum duration of a run */
    _Atomic(pthread_barrier_t *) inside; /* awaited twice in each run; NULL: none */
    bool refuses_open_inputs;            /* refuses operations with an unknown input extent */
    bool gives_nothing;                  /* results are empty */
    uint32_t min_extent;                 /* of results, to exceed the size of the output; 0: none */

    /* Observations. */
    atomic_uint prepared; /* models alive */
    atomic_uint prepare_count;
    atomic_uint runs;
    atomic_uint request_kinds;     /* bit 1 << HY_POOL_* per pool kind in requests */
    atomic_uint model_kinds;       /* bit 1 << HY_POOL_* per pool kind in models */
    uint32_t last_asked_count;     /* of the last model for supported_operations */
    uint32_t last_operation_count; /* of the last prepared model */
    uint32_t last_input_count;
    uint32_t last_output_count;
    uint32_t last_pool_count;          /* of the last request */
    const struct hy_model *last_model; /* for comparison only */
    const uint8_t *last_values;
    const struct hy_pool *last_pools;
    int32_t last_preference;
    int32_t last_priority;
    int64_t last_prepare_deadline;
    uint32_t last_prefix_count; /* of the last prepare */
    uint32_t last_hint_count;   /* of the last prepare or run */
    uint32_t last_hint_token;   /* token and first data byte of the last hint */
    uint8_t last_hint_byte;
    int64_t last_deadline;
    uint64_t last_loop_timeout;
};

/* The table for devices with parallel runs: records only the atomic counts. */
extern const struct hy_device fake_parallel_table;

/* `kind`: HALYARD_DEVICE_*. `cost` applies to float tensors, for both time and power. */
void fake_device_init(struct fake_device *fake, const char *name, int32_t kind, float cost,
                      uint32_t operations);

#endif
