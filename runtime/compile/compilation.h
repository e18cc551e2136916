#ifndef HY_RUNTIME_COMPILATION_H
#define HY_RUNTIME_COMPILATION_H

#include "runtime/cache/setting.h"
#include "runtime/execute/execution_pool.h"
#include "runtime/execute/pace.h"
#include "runtime/execute/work.h"
#include "runtime/extension/attributes.h"
#include "runtime/model/model.h"
#include "runtime/plan/plan.h"

struct hy_diagnostic_facts;
struct hy_memory_quota;
struct hy_observer;

/*
 * What an app compiles: a finished model, devices to choose from, settings, and after finish the
 * plan. Counted: executions and events keep it, so the app may free it first. Settings are for one
 * thread; a finished compilation may be used by any number.
 */
enum hy_compilation_state {
    HY_COMPILATION_BUILDING,
    HY_COMPILATION_FINISHED,
    HY_COMPILATION_FAILED, /* finish was called, in vain */
};

struct hy_compilation {
    atomic_uint references;
    uint64_t id; /* never given twice in this process */
    enum hy_compilation_state state;
    struct hy_app_model *model;
    const struct hy_runtime_device **devices;
    uint32_t device_count;
    bool explicit_devices;
    bool split_operations; /* these two: see hy_plan_request */
    bool only_cached;
    int32_t preference; /* HY_PREFER_* */
    int32_t priority;   /* HY_PRIORITY_* */
    uint64_t timeout;   /* ns; 0 = none */
    uint32_t threads;   /* that share an execution at most, its own among them; 0: all */
    struct hy_memory_quota *memory; /* of executions; NULL: what there is */
    struct hy_caching caching;
    struct hy_attributes attributes;
    struct hy_plan *plan;
    bool borrows_plan;                                      /* see hy_compilation_create_nested */
    _Atomic(struct hy_diagnostic_facts *) diagnostic_facts; /* NULL until somebody asks */
    const struct hy_observer *observer;                     /* NULL: nobody is told */
    struct hy_execution_pool executions;
    struct hy_pace pace;
    atomic_bool measure_steps;
    atomic_uint_fast64_t copied_bytes;    /* see copied.h */
    atomic_uint_fast64_t execution_count; /* of those that work.h does not find elsewhere */
    struct hy_work_entry work;
};

/*
 * The list of devices is copied, the model kept. `explicit_devices`: the app named them.
 * Errors: BAD_STATE (a model that is not finished), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_compilation_create(struct hy_app_model *model,
                                                 const struct hy_runtime_device *const *devices,
                                                 uint32_t device_count, bool explicit_devices,
                                                 struct hy_compilation **ret, struct hy_error *err);

/*
 * One for a plan that is a part of another, which the app does not see: finished, without a model
 * of its own. The plan outlives it. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_compilation_create_nested(struct hy_plan *plan,
                                                        struct hy_compilation **ret,
                                                        struct hy_error *err);

/* Before finish. The observer is constant. */
void hy_compilation_set_observer(struct hy_compilation *compilation,
                                 const struct hy_observer *observer);

struct hy_compilation *hy_compilation_retain(struct hy_compilation *compilation);
void hy_compilation_release(struct hy_compilation *compilation); /* takes NULL */

/* BAD_STATE unless finish is still to come; unless it has succeeded. */
HY_MUST_CHECK enum hy_code hy_compilation_check_building(const struct hy_compilation *compilation,
                                                         struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_compilation_check_finished(const struct hy_compilation *compilation,
                                                         struct hy_error *err);

/* BAD_DATA unless the app named exactly one device. `setting` is for the words. */
HY_MUST_CHECK enum hy_code
hy_compilation_check_single_device(const struct hy_compilation *compilation, const char *setting,
                                   struct hy_error *err);

/* What memory for an argument is best aligned and padded to, in bytes. Finished compilations. */
uint32_t hy_compilation_alignment(const struct hy_compilation *compilation, bool is_output,
                                  uint32_t index);
uint32_t hy_compilation_padding(const struct hy_compilation *compilation, bool is_output,
                                uint32_t index);

#endif
