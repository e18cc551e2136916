#ifndef HY_TESTS_BUFFERS_FIXTURE_H
#define HY_TESTS_BUFFERS_FIXTURE_H

#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"

#include <stdbool.h>

#define EXTENT 4u

/* halyard-cpu with a model: outputs 0 and 1 are the sum and the product of inputs 0 and 1, which
 * are float vectors. */
struct workshop {
    struct hy_runner runner; /* without arguments; workshop_request adds them */
    struct hy_builder builder;
};

/* `extent` applies to all tensors; 0 means unknown. */
void workshop_open(struct workshop *workshop, uint32_t extent);
void workshop_close(struct workshop *workshop);

/* Another prepared model for the same model and device. Free with the table's prepared_destroy. */
void *workshop_prepare(struct workshop *workshop);

struct buffer {
    const struct hy_device *table;
    void *buffer;
    uint32_t token;
};

/* Creates a buffer for `role_count` roles of `prepared`. `rank` and `dims` go into the
 * description. */
int32_t buffer_make(struct workshop *workshop, void *prepared, const struct hy_buffer_role *roles,
                    uint32_t role_count, uint32_t rank, const uint32_t *dims, struct buffer *ret);

/* For inputs 0 and 1 and outputs 0 and 1 of the workshop's model. */
struct buffer buffer_of_all(struct workshop *workshop);
void buffer_destroy(struct buffer *buffer);

/* Copies of `count` floats. */
int32_t buffer_write(const struct buffer *buffer, const float *values, uint32_t count);
int32_t buffer_read(const struct buffer *buffer, float *values, uint32_t count);
int32_t buffer_copy(const struct buffer *from, const struct buffer *to, uint32_t extent);

/* True if the buffer holds exactly the given floats. */
bool buffer_holds(const struct buffer *buffer, const float *values, uint32_t count);

/* Two inputs and two outputs of `extent` floats, in plain memory. */
struct plain {
    float in[2][EXTENT * 4], out[2][EXTENT * 4];
    uint32_t dims[1];
};

/* Builds the workshop's request with all arguments in memory. The inputs have the given extent, and
 * the outputs have the same capacity. */
void workshop_request(struct workshop *workshop, struct plain *plain, uint32_t extent);

/* Replaces an argument by the buffer token. */
void workshop_use(struct workshop *workshop, bool is_output, uint32_t index, uint32_t token);
struct hy_argument *workshop_argument(struct workshop *workshop, bool is_output, uint32_t index);

#endif
