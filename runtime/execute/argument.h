#ifndef HY_RUNTIME_ARGUMENT_H
#define HY_RUNTIME_ARGUMENT_H

#include "common/error.h"
#include "common/shape.h"
#include "halyard/driver.h"

#include <stdbool.h>

struct hy_memory;

/* The type of an argument, as the app tells it; other facts are not looked at. */
struct hy_argument_type {
    int32_t type;
    uint32_t rank;
    const uint32_t *dims;
};

/* An input or output of an execution as the app has set it. */
struct hy_bound_argument {
    bool is_set;
    bool is_omitted;
    struct hy_shape shape;    /* as far as known from model and app; 0 = unknown */
    struct hy_memory *memory; /* counted; or NULL: `buffer` */
    void *buffer;
    uint64_t offset;  /* inside the memory */
    uint64_t length;  /* bytes of data, or the room for an output of unknown shape */
    uint64_t padding; /* bytes behind them that may be touched */
};

/*
 * Checks a type against an operand and gives the shape that both say together. `type` may be NULL:
 * as in the model. `complete`: nothing may stay unknown. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_argument_check_type(const struct hy_operand *operand,
                                                  const struct hy_argument_type *type,
                                                  bool complete, struct hy_shape *ret,
                                                  struct hy_error *err);

/*
 * Checks `length` bytes against what the shape needs and splits them into data and padding.
 * `padded`: the app has switched padding on. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_argument_check_length(const struct hy_operand *operand,
                                                    const struct hy_shape *shape, uint64_t length,
                                                    bool padded, struct hy_bound_argument *argument,
                                                    struct hy_error *err);

#endif
