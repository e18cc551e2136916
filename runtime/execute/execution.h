#ifndef HY_RUNTIME_EXECUTION_H
#define HY_RUNTIME_EXECUTION_H

#include "runtime/compile/compilation.h"
#include "runtime/execute/argument.h"

struct hy_burst;

/* The call that runs an execution. The values are those of diagnostics. */
enum hy_run_mode {
    HY_RUN_NESTED = 0, /* inside another execution; not reported */
    HY_RUN_ASYNC = 1,
    HY_RUN_SYNC = 2,
    HY_RUN_BURST = 3,
    HY_RUN_FENCED = 4,
};

/*
 * One set of arguments for a compilation, run once or, if reusable, many times. Executions are
 * reference-counted: an event retains its execution, so the app may free a running execution.
 * Set-up belongs to one thread. Executions of one compilation are independent and share only
 * counters. The compilation pools released executions and reuses them.
 */
enum hy_execution_state {
    HY_EXECUTION_PREPARING,
    HY_EXECUTION_COMPUTING,
    HY_EXECUTION_DONE,         /* completed successfully */
    HY_EXECUTION_INSUFFICIENT, /* completed; an output was too small */
    HY_EXECUTION_FAILED,       /* completed with another error */
};

/* State of an output after a run. */
struct hy_output_state {
    bool sufficient;
    struct hy_shape shape;
};

struct hy_execution {
    atomic_uint references;
    atomic_int state; /* enum hy_execution_state */
    struct hy_compilation *compilation;
    struct hy_bound_argument *inputs;
    struct hy_bound_argument *outputs;
    struct hy_output_state *output_states;
    uint32_t input_count;
    uint32_t output_count;
    bool any_set; /* the app has set an argument, or tried to */
    bool padded;
    bool reusable;
    bool measure;
    bool is_finalize_deferred; /* fenced: stays COMPUTING until the app has waited */
    uint64_t timeout;          /* ns; 0 = none */
    uint64_t loop_timeout;     /* ns */
    struct hy_attributes attributes;
    struct hy_binding *binding; /* made by the first run */
    bool is_bound;              /* bound to the current arguments, or those of the previous run */
    bool is_checked;            /* all arguments are set */
    bool has_domains;           /* an argument is memory from a descriptor */
    bool has_dma_bufs;          /* an argument lies in a dma-buf */
    struct hy_execution_slot *slot; /* slot in the pool, or NULL */
    uint64_t time_on_device;        /* of the last run */
    uint64_t time_in_driver;
    enum hy_run_mode mode;
    uint64_t begun;     /* start time for diagnostics; 0: not reported */
    uint32_t cancelled; /* cancel word of the driver ABI for all runs; any thread may set it */
};

/* Errors: BAD_STATE (a compilation that is not finished or failed), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_execution_create(struct hy_compilation *compilation,
                                               struct hy_execution **ret, struct hy_error *err);
struct hy_execution *hy_execution_retain(struct hy_execution *execution);
void hy_execution_release(struct hy_execution *execution); /* NULL is allowed */

/* Destroys a pooled execution. NULL is allowed. */
void hy_execution_discard(struct hy_execution *execution);

enum hy_execution_state hy_execution_state(const struct hy_execution *execution);

/* BAD_STATE once a run has started. */
HY_MUST_CHECK enum hy_code hy_execution_check_preparing(const struct hy_execution *execution,
                                                        struct hy_error *err);

/*
 * Sets an input or output. `type` may be NULL. Checks, in this order: state; index; type; memory
 * range or length; set already (BAD_STATE); length. Errors: BAD_STATE, BAD_DATA; the argument stays
 * unset.
 */
HY_MUST_CHECK enum hy_code hy_execution_set(struct hy_execution *execution, bool is_output,
                                            uint32_t index, const struct hy_operand_spec *type,
                                            const struct hy_argument_source *source,
                                            struct hy_error *err);

/* Enables or disables padding: access to the memory behind arguments. Call before the first
 * hy_execution_set. */
HY_MUST_CHECK enum hy_code hy_execution_set_padded(struct hy_execution *execution, bool padded,
                                                   struct hy_error *err);

/*
 * Changes the state to COMPUTING and prepares for hy_execution_run. Errors: BAD_STATE (the
 * execution runs, or has run and is not reusable): nothing has changed; BAD_DATA (an argument was
 * never set), OUT_OF_MEMORY: the execution has completed with an error.
 */
HY_MUST_CHECK enum hy_code hy_execution_begin(struct hy_execution *execution, enum hy_run_mode mode,
                                              struct hy_error *err);

/* Ends the computation, or cancels a begun execution. Memory for outputs has contents only after
 * HY_OK. Notifies diagnostics, and completes the execution unless `is_finalize_deferred` is set. */
void hy_execution_end(struct hy_execution *execution, enum hy_code code);

/* Completes an execution that has ended with `code`. The app may free the execution from here
 * on. */
void hy_execution_finalize(struct hy_execution *execution, enum hy_code code);

/* FAILED if an input is memory from a descriptor without contents or with another shape. A run
 * makes the same check; an early check is useful for a run that starts later without
 * dependencies. */
HY_MUST_CHECK enum hy_code hy_execution_check_inputs(const struct hy_execution *execution,
                                                     struct hy_error *err);

/* BAD_DATA unless the shapes of all present outputs are known before the run. */
HY_MUST_CHECK enum hy_code hy_execution_check_outputs_known(const struct hy_execution *execution,
                                                            struct hy_error *err);

/* Call after begin. Runs all steps on this thread and ends the execution. `burst` is NULL or a
 * burst of the same compilation; `deadline` is as in the driver ABI. */
HY_MUST_CHECK enum hy_code hy_execution_run(struct hy_execution *execution,
                                            const struct hy_burst *burst, int64_t deadline,
                                            struct hy_error *err);

/* Runs a nested execution with the options of the outer execution. The times of `execution` are
 * those of this run. */
HY_MUST_CHECK enum hy_code hy_execution_run_nested(struct hy_execution *execution,
                                                   const struct hy_run_options *options,
                                                   struct hy_error *err);

/* true: cancels the current run and all later runs, with the error BAD_STATE. false: allows runs
 * again. Any thread may call. */
void hy_execution_set_cancelled(struct hy_execution *execution, bool cancelled);
bool hy_execution_is_cancelled(const struct hy_execution *execution);

/* Prepares an ended nested execution for another run with its current arguments. */
void hy_execution_rewind(struct hy_execution *execution);

#endif
