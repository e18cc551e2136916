#ifndef HY_TESTS_RUNTIME_KIT_BUFFER_DEVICE_H
#define HY_TESTS_RUNTIME_KIT_BUFFER_DEVICE_H

#include "fake_device.h"

/*
 * Fake devices with memory of their own, in which every bit is inverted: nobody else can make sense
 * of it. They note what becomes of it, check every request as a driver has to, and fail or lie on
 * demand. Several threads may use one at once.
 */

#define BUFFER_MAX_ROLES 8u

struct buffer_device {
    struct fake_device fake; /* first: it is what the table's functions are given */
    struct hy_device table;

    /* What it does wrong; all 0 at first. */
    _Atomic int32_t create_status;
    uint32_t given_token; /* in the place of a new one; 0: none */
    bool gives_no_token;
    bool gives_no_buffer;
    bool wants_shared_sources; /* copies from no other buffer */
    _Atomic int32_t copy_from_status;
    _Atomic int32_t copy_to_status;

    /* What it saw. */
    atomic_uint live; /* buffers */
    atomic_uint creates;
    atomic_uint copies_from; /* shared memory, that succeeded */
    atomic_uint copies_to;   /* shared memory, that succeeded */
    atomic_uint copies_between;
    atomic_uint tokens_seen; /* in requests that were fine */
    atomic_uint refusals;    /* of requests */
    uint32_t last_token;
    uint32_t last_prepared_count; /* of the last buffer_create */
    uint32_t last_role_count;
    struct hy_buffer_role last_roles[BUFFER_MAX_ROLES];
    uint32_t last_rank;
    uint32_t last_extent;
};

/* As fake_device_init, with memory. */
void buffer_device_init(struct buffer_device *device, const char *name, int32_t kind, float cost,
                        uint32_t operations);

#endif
