#ifndef HY_RUNTIME_COMPILATION_H
#define HY_RUNTIME_COMPILATION_H

#include "runtime/cache/setting.h"
#include "runtime/execute/execution_pool.h"
#include "runtime/execute/inline_policy.h"
#include "runtime/execute/work.h"
#include "runtime/extension/attributes.h"
#include "runtime/model/model.h"
#include "runtime/plan/plan.h"

struct hy_diagnostic_details;
struct hy_memory_quota;
struct hy_observer;

/*
 * A compilation of an app: a finished model, candidate devices, settings and, after finish, a plan.
 * Compilations are reference-counted: executions and events hold references, so the app may free
 * the compilation first. Settings belong to one thread; a finished compilation may be used by any
 * number of threads.
 */
enum hy_compilation_state {
    HY_COMPILATION_BUILDING,
    HY_COMPILATION_FINISHED,
    HY_COMPILATION_FAILED, /* finish was called and failed */
};

struct hy_compilation {
    atomic_uint references;
    uint64_t id; /* unique in this process */
    enum hy_compilation_state state;
    struct hy_app_model *model;
    const struct hy_runtime_device **devices;
    uint32_t device_count;
    bool explicit_devices;
    bool split_operations; /* for both: see hy_plan_request */
    bool only_cached;
    int32_t preference; /* HY_PREFER_* */
    int32_t priority;   /* HY_PRIORITY_* */
    uint64_t timeout;   /* ns; 0 = none */
    uint32_t threads;   /* limit of threads per execution with the calling thread; 0: all */
    struct hy_memory_quota *memory; /* of executions; NULL: no limit */
    struct hy_caching caching;
    struct hy_attributes attributes;
    struct hy_plan *plan;
    bool borrows_plan; /* see hy_compilation_create_nested */
    _Atomic(struct hy_diagnostic_details *) diagnostic_details; /* NULL until requested */
    const struct hy_observer *observer;                         /* NULL: no observer */
    struct hy_execution_pool executions;
    struct hy_inline_policy inline_policy;
    atomic_bool measure_steps;
    atomic_uint_fast64_t copied_bytes;    /* see copied.h */
    atomic_uint_fast64_t execution_count; /* executions that work.h counts only here */
    struct hy_work_entry work;
};

/*
 * Copies the list of devices and retains the model. `explicit_devices`: the app named the devices.
 * Errors: BAD_STATE (the model is not finished), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_compilation_create(struct hy_app_model *model,
                                                 const struct hy_runtime_device *const *devices,
                                                 uint32_t device_count, bool explicit_devices,
                                                 struct hy_compilation **ret, struct hy_error *err);

/*
 * Creates a finished compilation without a model, for a plan inside another plan. The app never
 * sees the compilation. The plan must outlive the compilation. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_compilation_create_nested(struct hy_plan *plan,
                                                        struct hy_compilation **ret,
                                                        struct hy_error *err);

/* Call before finish. The observer must stay constant. */
void hy_compilation_set_observer(struct hy_compilation *compilation,
                                 const struct hy_observer *observer);

struct hy_compilation *hy_compilation_retain(struct hy_compilation *compilation);
void hy_compilation_release(struct hy_compilation *compilation); /* NULL is allowed */

/* BAD_STATE unless finish was not called yet (building) or has succeeded (finished). */
HY_MUST_CHECK enum hy_code hy_compilation_check_building(const struct hy_compilation *compilation,
                                                         struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_compilation_check_finished(const struct hy_compilation *compilation,
                                                         struct hy_error *err);

/* BAD_DATA unless the app named exactly one device. `setting` is used in the error text. */
HY_MUST_CHECK enum hy_code
hy_compilation_check_single_device(const struct hy_compilation *compilation, const char *setting,
                                   struct hy_error *err);

/* The preferred alignment and padding for the memory of an argument, in bytes. For finished
 * compilations. */
uint32_t hy_compilation_alignment(const struct hy_compilation *compilation, bool is_output,
                                  uint32_t index);
uint32_t hy_compilation_padding(const struct hy_compilation *compilation, bool is_output,
                                uint32_t index);

#endif
