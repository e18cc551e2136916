#ifndef HY_TESTS_BUFFERS_FIXTURE_H
#define HY_TESTS_BUFFERS_FIXTURE_H

#include "support/driver_runner.h"
#include "support/model_builder.h"

#include <stdbool.h>

#define EXTENT 4u

/* halyard-cpu with a model: outputs 0 and 1 are the sum and the product of inputs 0 and 1, float
 * vectors. */
struct workshop {
    struct hy_runner runner; /* cleared, see workshop_clear */
    struct hy_builder builder;
};

/* `extent` of all tensors; 0: any. */
void workshop_open(struct workshop *workshop, uint32_t extent);
void workshop_close(struct workshop *workshop);

/* Another prepared model of the same device and form, for its table's prepared_destroy. */
void *workshop_prepare(struct workshop *workshop);

struct buffer {
    const struct hy_device *table;
    void *buffer;
    uint32_t token;
};

/* For this many roles of prepared model `prepared`; `dims` of the description. */
int32_t buffer_make(struct workshop *workshop, void *prepared, const struct hy_buffer_role *roles,
                    uint32_t role_count, uint32_t rank, const uint32_t *dims, struct buffer *ret);

/* For inputs 0 and 1 and outputs 0 and 1 of the workshop's model. */
struct buffer buffer_of_all(struct workshop *workshop);
void buffer_destroy(struct buffer *buffer);

/* Copies of `count` floats. */
int32_t buffer_write(const struct buffer *buffer, const float *values, uint32_t count);
int32_t buffer_read(const struct buffer *buffer, float *values, uint32_t count);
int32_t buffer_copy(const struct buffer *from, const struct buffer *to, uint32_t extent);

/* Whether it holds exactly these. */
bool buffer_holds(const struct buffer *buffer, const float *values, uint32_t count);

/* Two inputs and two outputs of `extent` floats in memory; what is not set otherwise. */
struct plain {
    float in[2][EXTENT * 4], out[2][EXTENT * 4];
    uint32_t dims[1];
};

/* The workshop's request with all arguments in memory. `extent`: given with the inputs; outputs
 * have as much room. */
void workshop_request(struct workshop *workshop, struct plain *plain, uint32_t extent);

/* Puts the token in the place of an argument. */
void workshop_use(struct workshop *workshop, bool is_output, uint32_t index, uint32_t token);
struct hy_argument *workshop_argument(struct workshop *workshop, bool is_output, uint32_t index);

#endif
