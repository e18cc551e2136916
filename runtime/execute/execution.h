#ifndef HY_RUNTIME_EXECUTION_H
#define HY_RUNTIME_EXECUTION_H

#include "runtime/compile/compilation.h"
#include "runtime/execute/argument.h"

struct hy_burst;

/* The call that runs an execution. Values as diagnostics tell them. */
enum hy_run_mode {
    HY_RUN_NESTED = 0, /* inside another execution: they are not told */
    HY_RUN_ASYNC = 1,
    HY_RUN_SYNC = 2,
    HY_RUN_BURST = 3,
    HY_RUN_FENCED = 4,
};

/*
 * One set of arguments for a compilation, run once or, if reusable, many times. Counted: an event
 * keeps its execution, so the app may free a running one. Set-up is for one thread; executions of
 * one compilation are independent of each other and share nothing that is written but counters. One
 * that is gone is kept by its compilation, to be made into the next.
 */
enum hy_execution_state {
    HY_EXECUTION_PREPARING,
    HY_EXECUTION_COMPUTING,
    HY_EXECUTION_DONE,         /* completed with success */
    HY_EXECUTION_INSUFFICIENT, /* completed, some output was too small */
    HY_EXECUTION_FAILED,       /* completed with another error */
};

/* What is known of an output after a run. */
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
    bool any_set; /* some argument was set or tried to */
    bool padded;
    bool reusable;
    bool measure;
    bool settles_later;    /* fenced: in COMPUTING until the app has waited, not until it ends */
    uint64_t timeout;      /* ns; 0 = none */
    uint64_t loop_timeout; /* ns */
    struct hy_attributes attributes;
    struct hy_binding *binding;     /* made by the first run */
    bool is_bound;                  /* to what the arguments are, or were the time before */
    bool is_checked;                /* all arguments are set */
    bool has_domains;               /* some argument is memory from a descriptor */
    bool has_dma_bufs;              /* some argument lies in one */
    struct hy_execution_slot *slot; /* where it is kept, or NULL */
    uint64_t time_on_device;        /* of the last run */
    uint64_t time_in_driver;
    enum hy_run_mode mode;
    uint64_t begun;     /* when, for diagnostics; 0: they are not to be told */
    uint32_t cancelled; /* the word of the driver ABI, for all runs; by any thread */
};

/* Errors: BAD_STATE (a compilation that is not finished or failed), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_execution_create(struct hy_compilation *compilation,
                                               struct hy_execution **ret, struct hy_error *err);
struct hy_execution *hy_execution_retain(struct hy_execution *execution);
void hy_execution_release(struct hy_execution *execution); /* takes NULL */

/* The end of an execution that a compilation has kept; takes NULL. */
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

/* Whether memory behind arguments may be touched; before the first hy_execution_set. */
HY_MUST_CHECK enum hy_code hy_execution_set_padded(struct hy_execution *execution, bool padded,
                                                   struct hy_error *err);

/*
 * Takes the execution into COMPUTING, with everything in place for hy_execution_run. Errors:
 * BAD_STATE (it runs, or has run and is not reusable), and then nothing has changed; BAD_DATA (an
 * argument was never set), OUT_OF_MEMORY, and then it has completed with an error.
 */
HY_MUST_CHECK enum hy_code hy_execution_begin(struct hy_execution *execution, enum hy_run_mode mode,
                                              struct hy_error *err);

/* The computation has ended, or after begin will not be run: memory that it was to write holds
 * something only with HY_OK. Tells diagnostics, and completes the execution unless that is for
 * later. */
void hy_execution_end(struct hy_execution *execution, enum hy_code code);

/* Completes an execution that has ended with `code`: from here on the app may free it. */
void hy_execution_settle(struct hy_execution *execution, enum hy_code code);

/* FAILED if an input is memory from a descriptor that nothing was written to, or another shape. A
 * run checks that itself; this is for those that start it later, with nothing to wait for before.
 */
HY_MUST_CHECK enum hy_code hy_execution_check_inputs(const struct hy_execution *execution,
                                                     struct hy_error *err);

/* BAD_DATA unless the shape of every output that is wanted is known before the run. */
HY_MUST_CHECK enum hy_code hy_execution_check_outputs_known(const struct hy_execution *execution,
                                                            struct hy_error *err);

/* After begin: runs all steps on this thread and ends. `burst` is NULL or one of the same
 * compilation; `deadline` as in the driver ABI. */
HY_MUST_CHECK enum hy_code hy_execution_run(struct hy_execution *execution,
                                            const struct hy_burst *burst, int64_t deadline,
                                            struct hy_error *err);

/* The same inside another execution, with its options; the times of `execution` are of this run. */
HY_MUST_CHECK enum hy_code hy_execution_run_nested(struct hy_execution *execution,
                                                   const struct hy_run_options *options,
                                                   struct hy_error *err);

/* Cancels the run in hand and later runs, which fail with BAD_STATE, until the same with false.
 * From any thread. */
void hy_execution_set_cancelled(struct hy_execution *execution, bool cancelled);
bool hy_execution_is_cancelled(const struct hy_execution *execution);

/* Lets one that is nested, and has ended, begin again with the arguments it has. */
void hy_execution_rewind(struct hy_execution *execution);

#endif
