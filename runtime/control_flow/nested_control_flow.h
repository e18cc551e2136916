#ifndef HY_RUNTIME_NESTED_CONTROL_FLOW_H
#define HY_RUNTIME_NESTED_CONTROL_FLOW_H

#include "runtime/plan/bodies.h"

/*
 * IF and WHILE as run by the runtime itself. The bodies are plans on any devices. The values of a
 * loop lie in two memory blocks, and the bodies alternate between reading and writing the two
 * blocks.
 */

/* The device of these steps. The device list does not contain the device. */
extern const struct hy_runtime_device hy_interpreter;

/* See sub_executor.h. */
HY_MUST_CHECK enum hy_code hy_interpreted_create(struct hy_bodies *bodies,
                                                 const struct hy_model *model, void **ret,
                                                 struct hy_error *err);

#endif
