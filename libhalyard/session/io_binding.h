#ifndef HY_LIBHALYARD_SESSION_IO_BINDING_H
#define HY_LIBHALYARD_SESSION_IO_BINDING_H

#include "libhalyard/session/network.h"
#include "libhalyard/session/states.h"

/*
 * The buffers of a network's inputs and outputs, bound to executions of its NNAPI model without a
 * copy. Outputs that no operation computes are copied after a run. States are bound behind the
 * inputs and outputs.
 */
struct hy_io_binding;

/* A tensor's contents, in the type of the network: memory of the caller, of exactly its bytes. */
struct hy_buffer {
    void *bytes;
    size_t length;
};

/* `network`, its states and the buffers, one per input and output of the network's graph without
 * the states, outlive the binding. Several bindings may have the same states. */
HY_MUST_CHECK enum hy_code hy_io_binding_create(const struct hy_network *network,
                                                struct hy_states *states,
                                                const struct hy_buffer *inputs,
                                                const struct hy_buffer *outputs,
                                                struct hy_io_binding **out, struct hy_error *err);
void hy_io_binding_destroy(struct hy_io_binding *binding); /* takes NULL */

/* Sets the inputs and outputs of an execution of the network's NNAPI model. */
HY_MUST_CHECK enum hy_code hy_io_binding_set(const struct hy_io_binding *binding,
                                             ANeuralNetworksExecution *execution,
                                             struct hy_error *err);

/* Before a run: HY_BAD_DATA names a state that is read and holds nothing. */
HY_MUST_CHECK enum hy_code hy_io_binding_before_run(const struct hy_io_binding *binding,
                                                    struct hy_error *err);

/* After a run that succeeded. The states hold what the run made of them. */
void hy_io_binding_after_run(const struct hy_io_binding *binding);

#endif
