#ifndef HY_LIBHALYARD_SESSION_SESSION_H
#define HY_LIBHALYARD_SESSION_SESSION_H

#include "halyard/halyard.h"
#include "halyard/session.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/session/io_binding.h"
#include "libhalyard/session/network.h"
#include "libhalyard/session/result.h"
#include "libhalyard/tflite/metadata/tflite_metadata.h"

#include <pthread.h>
#include <sys/types.h>

/* The objects of the handles of halyard/session.h. Only session/ and the public functions of other
 * directories use this header. */

/* ---- Networks -------------------------------------------------------------------------------- */

/* The name and the metadata of an input or output. */
struct hy_signature_tensor {
    const char *name;  /* the signature's name for the tensor, else the file's */
    uint32_t position; /* in the metadata; UINT32_MAX: no metadata */
};

/* A signature, with results that are computed on first use. Names, inputs, outputs and memory stay
 * valid for any thread after the graph and the source of the network are freed. */
struct hy_signature {
    const char *name;
    uint32_t subgraph;                  /* of the file */
    struct hy_network *network;         /* in the shapes of the file; NULL before first use. Access
                                           needs the lock until the network is lowered */
    struct hy_graph io;                 /* inputs and outputs, with the file's `signature` shapes */
    struct hy_signature_tensor *inputs; /* without the states */
    struct hy_signature_tensor *outputs;
    struct halyard_network_memory memory;
    struct hy_operator_list *operators; /* NULL before first use */
};

struct halyard_network {
    struct hy_file file; /* zeros: the bytes belong to the caller */
    const void *bytes;
    size_t length;
    struct hy_tflite_limits limits; /* the defaults, with the settings of the caller */
    struct hy_arena arena;          /* memory of names and of the description */
    const char *description;
    pthread_mutex_t lock;           /* protects results computed on first use */
    struct hy_tflite_model *source; /* NULL: read again on use, since a signature was lowered */
    bool has_metadata;
    struct hy_tflite_metadata metadata;
    uint32_t signature_count;
    struct hy_signature *signatures;
};

/* The source, which the caller closes. Call with the lock. Errors: as hy_network_read. */
HY_MUST_CHECK enum hy_code hy_network_source(struct halyard_network *network,
                                             struct hy_tflite_model **out, struct hy_error *err);

/* The metadata, read on first use. Any thread may call. */
const struct hy_tflite_metadata *hy_network_metadata(const struct halyard_network *network);

/* The imported signature in the shapes of the file, or its lowered network. Owned by `network`. Any
 * thread may call. Errors: HY_BAD_DATA for an index out of range; the errors of hy_network_import
 * and hy_network_lower. */
HY_MUST_CHECK enum hy_code hy_signature_imported(struct halyard_network *network, uint32_t index,
                                                 const struct hy_signature **out,
                                                 struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_signature_lowered(struct halyard_network *network, uint32_t index,
                                                const struct hy_network **out,
                                                struct hy_error *err);

/* operator_list.c: the results of halyard_network_get_operator for a signature. The caller owns the
 * list. Errors: HY_OUT_OF_MEMORY. */
struct hy_operator_list {
    struct hy_arena arena; /* memory of the operators and their texts */
    uint32_t count;
    struct halyard_network_operator *operators;
    /* per subgraph of the file, the index of its first operator in `operators`; UINT32_MAX: the
     * signature does not reach the subgraph */
    uint32_t *first;
};

HY_MUST_CHECK enum hy_code hy_operator_list_create(const struct hy_tflite_model *model,
                                                   uint32_t subgraph, uint64_t memory_limit,
                                                   struct hy_operator_list **out,
                                                   struct hy_error *err);
/* NULL is ignored. */
void hy_operator_list_destroy(struct hy_operator_list *list);

/* network_operators.c: the list of a signature, made at first use; owned by `network`. Any thread
 * may call. Errors: as hy_signature_imported and hy_operator_list_create. */
HY_MUST_CHECK enum hy_code hy_signature_operators(struct halyard_network *network,
                                                  uint32_t signature,
                                                  const struct hy_operator_list **out,
                                                  struct hy_error *err);

/* Fills the members that are common to tensors of networks and of sessions. `extents` outlive
 * `info`. */
void hy_tensor_info_fill(const struct hy_graph_tensor *tensor, const char *name, uint32_t rank,
                         const int32_t *extents, struct halyard_tensor_info *info);

/* Adds the metadata of an input or output; `metadata` outlive `info`. */
void hy_tensor_info_add_metadata(const struct hy_tflite_tensor_metadata *metadata,
                                 struct halyard_tensor_info *info);

/* signature.c: fills in the results of an imported signature. Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_signature_describe(struct hy_signature *signature, uint32_t index,
                                                 struct hy_error *err);
void hy_signature_finish(struct hy_signature *signature);

/* The extents of an input or output in the file, with open extents; else the extents derived from
 * the inputs. */
const int32_t *hy_network_file_extents(const struct hy_graph_tensor *tensor);

/* session_metadata.c: the metadata of an input or output of an imported signature; empty without
 * metadata in the file. */
const struct hy_tflite_tensor_metadata *
hy_network_input_metadata(const struct halyard_network *network, uint32_t signature,
                          uint32_t index);
const struct hy_tflite_tensor_metadata *
hy_network_output_metadata(const struct halyard_network *network, uint32_t signature,
                           uint32_t index);

/* ---- Sessions -------------------------------------------------------------------------------- */

/* An input or output. */
struct hy_session_tensor {
    const struct hy_graph_tensor *tensor; /* in the session's network */
    const char *name;                     /* the name for the app */
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK]; /* the extents in this session, after the last run */
    bool is_open;                       /* an output whose extents are known only after a run */
    bool is_bound;                      /* bound to memory of the caller */
    struct hy_buffer buffer;            /* the buffer of runs; `length` in bytes */
    /* capacity of the buffer in bytes: may exceed the length for an open output */
    size_t capacity;
    void *own; /* the session's own memory */
    size_t own_capacity;
};

enum hy_session_run_state {
    HY_SESSION_IDLE,
    /* in halyard_session_run, or on a thread of Halyard */
    HY_SESSION_RUNNING,
    /* an asynchronous run has ended, and halyard_session_wait has not been called */
    HY_SESSION_ENDED,
};

struct halyard_session {
    struct halyard_network *network;
    struct halyard_session_options options; /* pointers refer to the session's own copies */
    struct hy_input_shape *shapes;          /* one for each input; none is set before a resize */
    bool needs_lowering;                    /* a shape has changed since the last lowering */
    struct hy_label_list *labels;           /* one for each output: labels set by the caller */
    struct hy_arena label_arena;            /* memory of the labels */

    const struct hy_network *lowered; /* the network's, or `own_lowered` */
    struct hy_network *own_lowered;   /* lowered for other shapes, or relaxed; NULL: none */
    uint32_t input_count, output_count;
    struct hy_session_tensor *inputs;
    struct hy_session_tensor *outputs;
    bool has_open_outputs;
    struct hy_states *states; /* states of `lowered`; NULL before lowering */

    ANeuralNetworksCompilation *compilation; /* NULL: made by the next run */
    struct hy_io_binding *binding;           /* these three are made at the first run */
    ANeuralNetworksExecution *execution;
    ANeuralNetworksBurst *burst;

    /* protects the following members against threads that cancel and wait */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    enum hy_session_run_state state;
    bool is_cancelled;                 /* the current run is cancelled */
    ANeuralNetworksExecution *running; /* the execution that a cancellation stops; or NULL */
    int result;                        /* result of the asynchronous run, with its error text: */
    struct hy_error error;
    struct halyard_task task;
    void (*done)(void *context, int result);
    void *done_context;
    pid_t starter; /* the process that started the asynchronous run */
};

/* session_compile.c: lowers the session's network in the session's shapes; compiles it with the
 * session's settings. Each function does nothing if its result exists. */
HY_MUST_CHECK enum hy_code hy_session_lower(struct halyard_session *session, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_session_compile(struct halyard_session *session,
                                              struct hy_error *err);
void hy_session_drop_compilation(struct halyard_session *session);

/* session_tensors.c: replaces the session's inputs and outputs by the inputs and outputs of
 * `graph`, without buffers. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_session_list_tensors(struct halyard_session *session,
                                                   const struct hy_graph *graph,
                                                   struct hy_error *err);
void hy_session_tensors_free(struct hy_session_tensor *tensors, uint32_t count);

/* session_buffers.c: allocates the session's own buffers for all inputs and outputs. Errors:
 * BAD_DATA (a type without a fixed size), OUT_OF_MEMORY with the number of bytes. */
HY_MUST_CHECK enum hy_code hy_session_make_buffers(struct halyard_session *session,
                                                   struct hy_error *err);

/* As hy_session_make_buffers, for one tensor; the error names `what` ("input" or "output") and
 * `index`. */
HY_MUST_CHECK enum hy_code hy_session_use_own_buffer(struct hy_session_tensor *tensor,
                                                     const char *what, uint32_t index,
                                                     struct hy_error *err);

/* Bytes of a tensor with its current extents; an open extent counts as 1. False: the type has no
 * fixed size, or size_t is too small. */
HY_MUST_CHECK bool hy_session_tensor_bytes(const struct hy_session_tensor *tensor, size_t *bytes);

/* Input or output `index` of the session, for changes; lowers the network if necessary. BAD_DATA:
 * the index is out of range; BAD_STATE: during a run. */
HY_MUST_CHECK enum hy_code hy_session_input(struct halyard_session *session, uint32_t index,
                                            struct hy_session_tensor **out, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_session_output(struct halyard_session *session, uint32_t index,
                                             struct hy_session_tensor **out, struct hy_error *err);

/* BAD_DATA: the index is out of range; BAD_STATE: during a run. */
HY_MUST_CHECK enum hy_code hy_session_check_input(struct halyard_session *session, uint32_t index,
                                                  struct hy_error *err);

/* session.c: halyard_session_resize. */
HY_MUST_CHECK enum hy_code hy_session_resize(struct halyard_session *session, uint32_t input,
                                             uint32_t rank, const int32_t *extents,
                                             struct hy_error *err);

/* session_metadata.c: the extents of an input in the file if some are open and the caller has not
 * set a shape; else NULL. */
const int32_t *hy_session_open_extents(const struct halyard_session *session, uint32_t input);

/* The class names of an output: set by the caller, or else from the file. */
const struct hy_label_list *hy_session_labels(const struct halyard_session *session,
                                              uint32_t output);

/* session_execution.c: makes the binding and the execution for the current buffers. */
HY_MUST_CHECK enum hy_code hy_session_make_execution(struct halyard_session *session,
                                                     struct hy_error *err);
void hy_session_drop_execution(struct halyard_session *session);

/* session_open_outputs.c: sets the extents and lengths of open outputs after a run. */
HY_MUST_CHECK enum hy_code hy_session_read_extents(struct halyard_session *session,
                                                   struct hy_error *err);

/* Called after a run with INSUFFICIENT_SIZE: enlarges the session's own buffers of open outputs.
 * INSUFFICIENT_SIZE: the buffer is bound, or the run could not report the required size. */
HY_MUST_CHECK enum hy_code hy_session_grow_outputs(struct halyard_session *session,
                                                   struct hy_error *err);

/* BAD_STATE during a run. */
HY_MUST_CHECK static inline enum hy_code hy_session_check_idle(struct halyard_session *session,
                                                               struct hy_error *err)
{
    pthread_mutex_lock(&session->lock);
    const bool is_idle = session->state == HY_SESSION_IDLE;
    pthread_mutex_unlock(&session->lock);
    return is_idle ? HY_OK : hy_fail(err, HY_BAD_STATE, "a run of the session is in progress");
}

/* session_run.c: cancels a running asynchronous run, and waits for its end. */
void hy_session_end_run(struct halyard_session *session);

#endif
