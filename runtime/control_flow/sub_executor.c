/* The functions that the planner uses to create nested plans. */
#include "runtime/control_flow/nested.h"
#include "runtime/control_flow/nested_control_flow.h"

const struct hy_sub_executor hy_nested_executor = {
    .interpreter = &hy_interpreter,
    .interpreted_create = hy_interpreted_create,
    .group = &hy_nested_device,
    .group_create = hy_nested_create,
    .body_release = hy_compilation_release,
};
