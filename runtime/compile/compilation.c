#include "runtime/compile/compilation.h"

#include "runtime/compile/observer.h"
#include "runtime/memory/memory_quota.h"

#include <stdlib.h>
#include <string.h>

/* The preferred alignment of drivers from feature level 5 on and of the CPU backend. */
#define PREFERRED_ALIGNMENT 64u
#define PREFERRED_PADDING   64u
#define PADDING_LEVEL       5u

static uint64_t next_id(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

enum hy_code hy_compilation_create(struct hy_app_model *model,
                                   const struct hy_runtime_device *const *devices,
                                   uint32_t device_count, bool explicit_devices,
                                   struct hy_compilation **ret, struct hy_error *err)
{
    if (hy_app_model_state(model) != HY_MODEL_FINISHED)
        return hy_fail(err, HY_BAD_STATE, "the model is %s",
                       hy_app_model_state(model) == HY_MODEL_INVALID ? "invalid" : "not finished");

    struct hy_compilation *compilation = calloc(1, sizeof *compilation);
    const struct hy_runtime_device **copy = calloc(device_count, sizeof *copy);
    if (!compilation || !copy) {
        free(compilation);
        free(copy);
        return hy_fail(err, HY_OUT_OF_MEMORY, "compilation for %u devices", device_count);
    }

    memcpy(copy, devices, device_count * sizeof *copy);
    atomic_init(&compilation->references, 1);
    compilation->id = next_id();
    compilation->model = hy_app_model_retain(model);
    compilation->devices = copy;
    compilation->device_count = device_count;
    compilation->explicit_devices = explicit_devices;
    compilation->preference = HY_PREFER_FAST_SINGLE_ANSWER;
    compilation->priority = HY_PRIORITY_MEDIUM;
    *ret = compilation;
    return HY_OK;
}

enum hy_code hy_compilation_create_nested(struct hy_plan *plan, struct hy_compilation **ret,
                                          struct hy_error *err)
{
    struct hy_compilation *compilation = calloc(1, sizeof *compilation);
    if (!compilation)
        return hy_fail(err, HY_OUT_OF_MEMORY, "compilation of a nested plan");

    atomic_init(&compilation->references, 1);
    compilation->id = next_id();
    compilation->state = HY_COMPILATION_FINISHED;
    compilation->plan = plan;
    compilation->borrows_plan = true;
    hy_work_list_add(compilation);
    *ret = compilation;
    return HY_OK;
}

void hy_compilation_set_observer(struct hy_compilation *compilation,
                                 const struct hy_observer *observer)
{
    compilation->observer = observer;
}

struct hy_compilation *hy_compilation_retain(struct hy_compilation *compilation)
{
    atomic_fetch_add_explicit(&compilation->references, 1, memory_order_relaxed);
    return compilation;
}

void hy_compilation_release(struct hy_compilation *compilation)
{
    if (!compilation ||
        atomic_fetch_sub_explicit(&compilation->references, 1, memory_order_acq_rel) != 1)
        return;
    if (compilation->observer)
        compilation->observer->compilation_freed(compilation);
    hy_work_list_remove(compilation);
    hy_execution_pool_finish(&compilation->executions);
    if (!compilation->borrows_plan)
        hy_plan_destroy(compilation->plan);
    hy_app_model_release(compilation->model);
    hy_caching_finish(&compilation->caching);
    hy_attributes_finish(&compilation->attributes);
    hy_memory_quota_release(compilation->memory);
    free(compilation->devices);
    free(compilation);
}

enum hy_code hy_compilation_check_building(const struct hy_compilation *compilation,
                                           struct hy_error *err)
{
    if (compilation->state == HY_COMPILATION_BUILDING)
        return HY_OK;
    return hy_fail(err, HY_BAD_STATE, "finish was called before");
}

enum hy_code hy_compilation_check_finished(const struct hy_compilation *compilation,
                                           struct hy_error *err)
{
    if (compilation->state == HY_COMPILATION_FINISHED)
        return HY_OK;
    return hy_fail(err, HY_BAD_STATE, "the compilation %s",
                   compilation->state == HY_COMPILATION_FAILED ? "has failed" : "is not finished");
}

enum hy_code hy_compilation_check_single_device(const struct hy_compilation *compilation,
                                                const char *setting, struct hy_error *err)
{
    if (compilation->explicit_devices && compilation->device_count == 1)
        return HY_OK;
    if (!compilation->explicit_devices)
        return hy_fail(err, HY_BAD_DATA, "%s needs a compilation for one device", setting);
    return hy_fail(err, HY_BAD_DATA,
                   "%s needs a compilation for one device, this compilation has %u", setting,
                   compilation->device_count);
}

uint32_t hy_compilation_alignment(const struct hy_compilation *compilation, bool is_output,
                                  uint32_t index)
{
    (void)compilation, (void)is_output, (void)index; /* equal for all drivers so far */
    return PREFERRED_ALIGNMENT;
}

static bool step_touches(const struct hy_step *step, bool is_output, uint32_t index)
{
    const enum hy_slot_kind kind = is_output ? HY_SLOT_OUTPUT : HY_SLOT_INPUT;

    for (uint32_t i = 0; i < step->input_count; i++) {
        if (step->inputs[i].kind == kind && step->inputs[i].index == index)
            return true;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        if (step->outputs[i].kind == kind && step->outputs[i].index == index)
            return true;
    }
    return false;
}

uint32_t hy_compilation_padding(const struct hy_compilation *compilation, bool is_output,
                                uint32_t index)
{
    const struct hy_plan *plan = compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].device->info.feature_level >= PADDING_LEVEL &&
            step_touches(&plan->steps[i], is_output, index))
            return PREFERRED_PADDING;
    }
    return 1;
}
