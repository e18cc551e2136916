#ifndef HY_TESTS_XNNPACK_BUFFER_FIXTURE_H
#define HY_TESTS_XNNPACK_BUFFER_FIXTURE_H

#include "plugin.h"

#define COUNT 5u /* floats; few, so kernels read beyond the end */

struct buffer {
    const struct hy_device *table;
    void *self;
    uint32_t token;
};

/* A prepared model, a request in plain memory and two buffers. Outputs 0 and 1 are the sum and the
 * product of inputs 0 and 1. The inputs are 1 to 5. Both buffers have all four roles. */
struct fixture {
    struct hy_runner runner;
    struct hy_builder builder;
    float in[2][COUNT + 8], out[2][COUNT];
    struct buffer a, b;
};

/* Opens the driver. On failure records a test failure and returns false. Call fixture_close in any
 * case. */
bool fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);

/* Restores the original request. */
void fixture_reset(struct fixture *fixture);

/* An input or output of the request; fixture_use replaces the argument by a buffer. */
struct hy_argument *fixture_argument(struct fixture *fixture, bool is_output, uint32_t index);
void fixture_use(struct fixture *fixture, bool is_output, uint32_t index, uint32_t token);

/* Inputs 0 and 1 and outputs 0 and 1. */
extern const struct hy_buffer_role all_roles[4];

/* A description for the scene's prepared model. */
struct hy_buffer_desc buffer_desc(struct fixture *fixture, const struct hy_buffer_role *roles,
                                  uint32_t count);
int32_t buffer_create(struct fixture *fixture, const struct hy_buffer_desc *desc,
                      struct buffer *ret);
void buffer_destroy(struct buffer *buffer);

/* Copies of COUNT floats. */
int32_t buffer_write(const struct buffer *buffer, const float *values);
int32_t buffer_read(const struct buffer *buffer, float *values);
int32_t buffer_copy(const struct buffer *to, uint32_t from);
bool buffer_holds(const struct buffer *buffer, const float *values);
bool buffer_holds_nothing(const struct buffer *buffer);

/* A host pool for copies. */
struct hy_pool host_pool(void *bytes, uint64_t size);

#endif
