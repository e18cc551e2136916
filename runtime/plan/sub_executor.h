#ifndef HY_RUNTIME_PLAN_SUB_EXECUTOR_H
#define HY_RUNTIME_PLAN_SUB_EXECUTOR_H

#include "runtime/device/device.h"

struct hy_bodies;
struct hy_compilation;
struct hy_plan;

/*
 * Runs plans inside executions of other plans. The planner makes the plans of bodies of IF and
 * WHILE and of fallback steps; the executor, which stands above the planner, makes them prepared
 * models of devices of its own and is handed in with the request.
 */
struct hy_sub_executor {
    /* Of steps of one IF or WHILE whose bodies are plans. */
    const struct hy_runtime_device *interpreter;

    /* Makes a step model of one operation a prepared model of the interpreter, and prepares its
     * bodies if that is not done. Model and bodies outlive it. Errors: OUT_OF_MEMORY, what
     * hy_plan_prepare gives. */
    enum hy_code (*interpreted_create)(struct hy_bodies *bodies, const struct hy_model *model,
                                       void **ret, struct hy_error *err);

    /* Of steps that are a plan over several devices; its name is for the planner to set. */
    const struct hy_runtime_device *group;

    /* Makes a finished plan, which outlives it, a prepared model of that device. Errors:
     * OUT_OF_MEMORY. */
    enum hy_code (*group_create)(struct hy_plan *plan, void **ret, struct hy_error *err);

    /* Gives up what an interpreted operation has made around the plan of a body. Takes NULL. */
    void (*body_release)(struct hy_compilation *compilation);
};

#endif
