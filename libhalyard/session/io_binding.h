#ifndef HY_LIBHALYARD_SESSION_IO_BINDING_H
#define HY_LIBHALYARD_SESSION_IO_BINDING_H

#include "libhalyard/session/network.h"
#include "libhalyard/session/states.h"

/*
 * The buffers of a network's inputs and outputs, bound to executions of its NNAPI model without a
 * copy. Outputs that no operation computes are copied after a run. States are bound after the
 * inputs and outputs.
 */
struct hy_io_binding;

/* The contents of a tensor, in the type of the network: memory of the caller, of exactly the
 * tensor's size. `length` is in bytes. */
struct hy_buffer {
    void *bytes;
    size_t length;
};

/* `network`, its states and the buffers outlive the binding. `inputs` and `outputs` have one buffer
 * per input and output of the network's graph without the states. Several bindings may share
 * states. */
HY_MUST_CHECK enum hy_code hy_io_binding_create(const struct hy_network *network,
                                                struct hy_states *states,
                                                const struct hy_buffer *inputs,
                                                const struct hy_buffer *outputs,
                                                struct hy_io_binding **out, struct hy_error *err);
/* NULL is ignored. */
void hy_io_binding_destroy(struct hy_io_binding *binding);

/* Sets the inputs and outputs of an execution of the network's NNAPI model. */
HY_MUST_CHECK enum hy_code hy_io_binding_set(const struct hy_io_binding *binding,
                                             ANeuralNetworksExecution *execution,
                                             struct hy_error *err);

/* Called before a run: HY_BAD_DATA names a state that the run reads before any write. */
HY_MUST_CHECK enum hy_code hy_io_binding_before_run(const struct hy_io_binding *binding,
                                                    struct hy_error *err);

/* Called after a successful run: the results of the run become the contents of the states. */
void hy_io_binding_after_run(const struct hy_io_binding *binding);

#endif
