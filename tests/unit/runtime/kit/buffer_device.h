#ifndef HY_TESTS_UNIT_RUNTIME_KIT_BUFFER_DEVICE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_BUFFER_DEVICE_H

#include "fake_device.h"

/*
 * Fake devices with inverted bits in their memory, so nobody else can interpret the memory. The
 * devices record their use, check every request as required from drivers, and fail or misbehave on
 * demand. Thread safe.
 */

#define BUFFER_MAX_ROLES 8u

struct buffer_device {
    struct fake_device fake; /* must be first, as the argument of the table's functions */
    struct hy_device table;

    /* Faults, initially all 0. */
    _Atomic int32_t create_status;
    uint32_t given_token; /* replaces a new token; 0: none */
    bool gives_no_token;
    bool gives_no_buffer;
    bool wants_shared_sources; /* cannot copy from other buffers */
    _Atomic int32_t copy_from_status;
    _Atomic int32_t copy_to_status;

    /* Observations. */
    atomic_uint live; /* buffers */
    atomic_uint creates;
    atomic_uint copies_from; /* successful copies from shared memory */
    atomic_uint copies_to;   /* successful copies to shared memory */
    atomic_uint copies_between;
    atomic_uint tokens_seen; /* tokens in valid requests */
    atomic_uint refusals;    /* refused requests */
    uint32_t last_token;
    uint32_t last_prepared_count; /* of the last buffer_create */
    uint32_t last_role_count;
    struct hy_buffer_role last_roles[BUFFER_MAX_ROLES];
    uint32_t last_rank;
    uint32_t last_extent;
};

/* Like fake_device_init, with device memory. */
void buffer_device_init(struct buffer_device *device, const char *name, int32_t kind, float cost,
                        uint32_t operations);

#endif
