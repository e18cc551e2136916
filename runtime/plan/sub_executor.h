#ifndef HY_RUNTIME_PLAN_SUB_EXECUTOR_H
#define HY_RUNTIME_PLAN_SUB_EXECUTOR_H

#include "runtime/device/runtime_device.h"

struct hy_bodies;
struct hy_compilation;
struct hy_plan;

/*
 * Runs plans inside executions of other plans. The planner makes the plans for the bodies of IF and
 * WHILE and for fallback steps. The executor belongs to a layer above the planner, is passed with
 * the request, and makes prepared models of its own devices from the plans.
 */
struct hy_sub_executor {
    /* The device of steps with a single IF or WHILE whose bodies are plans. */
    const struct hy_runtime_device *interpreter;

    /* Makes a prepared model of the interpreter from a step model with one operation, and prepares
     * its bodies if necessary. Model and bodies must outlive the prepared model. Errors:
     * OUT_OF_MEMORY, those of hy_plan_prepare. */
    enum hy_code (*interpreted_create)(struct hy_bodies *bodies, const struct hy_model *model,
                                       void **ret, struct hy_error *err);

    /* The device of steps made of a plan over several devices. The planner sets the name. */
    const struct hy_runtime_device *group;

    /* Makes a prepared model of `group` from a finished plan. The plan must outlive the prepared
     * model. Errors: OUT_OF_MEMORY. */
    enum hy_code (*group_create)(struct hy_plan *plan, void **ret, struct hy_error *err);

    /* Releases the compilation around the plan of a body. NULL is allowed. */
    void (*body_release)(struct hy_compilation *compilation);
};

#endif
