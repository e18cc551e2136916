#ifndef HY_RUNTIME_NESTED_CONTROL_FLOW_H
#define HY_RUNTIME_NESTED_CONTROL_FLOW_H

#include "runtime/plan/bodies.h"

/*
 * IF and WHILE as the runtime runs them itself: the bodies are plans, over any devices; the values
 * of a loop lie in two blocks of memory that bodies read and write in turns.
 */

/* The device of such steps, which is in no list. */
extern const struct hy_runtime_device hy_interpreter;

/* See sub_executor.h. */
HY_MUST_CHECK enum hy_code hy_interpreted_create(struct hy_bodies *bodies,
                                                 const struct hy_model *model, void **ret,
                                                 struct hy_error *err);

#endif
