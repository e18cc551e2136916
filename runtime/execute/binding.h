#ifndef HY_RUNTIME_BINDING_H
#define HY_RUNTIME_BINDING_H

#include "runtime/execute/execution.h"

/*
 * An execution's arguments as requests, one per step, made at its first run: later runs do nothing
 * but call the drivers. It owns the memory of the borders.
 */

/* What a driver may report about one output of a step. */
struct hy_bound_output {
    struct hy_shape declared; /* known extents are binding */
    uint64_t room;            /* bytes */
    uint32_t element_bytes;   /* 0: the type does not tell */
    bool is_scalar;
    bool is_omitted;
};

struct hy_bound_step {
    struct hy_request request;
    struct hy_output_shape *shapes; /* room for the driver's answer */
    const struct hy_bound_output *outputs;
};

struct hy_binding {
    struct hy_arena arena;
    void *borders; /* memory of all borders, or NULL */
    struct hy_bound_step *steps;
};

/* All arguments are set. Errors: OUT_OF_MEMORY; BAD_DATA (an output that a later step reads lies in
 * memory that may not be read). */
HY_MUST_CHECK enum hy_code hy_binding_create(const struct hy_execution *execution,
                                             struct hy_binding **ret, struct hy_error *err);
void hy_binding_destroy(struct hy_binding *binding); /* takes NULL */

#endif
