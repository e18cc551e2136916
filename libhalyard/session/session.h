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

/* What is behind the handles of halyard/session.h. Nothing outside of session/ and the public
 * functions of other rooms sees it. */

/* ---- Networks -------------------------------------------------------------------------------- */

/* What an input or output is beside a tensor. */
struct hy_signature_tensor {
    const char *name;  /* of the signature where the signature names the tensor, else of the file */
    uint32_t position; /* in the metadata; UINT32_MAX: there are none */
};

/* A signature, as far as somebody has asked for it. What is told of it stays as it is, for any
 * thread, when the graph and the source of the network have gone. */
struct hy_signature {
    const char *name;
    uint32_t subgraph;          /* of the file */
    struct hy_network *network; /* in the shapes of the file; NULL until asked for. For those
                                   who have the lock, until the network is lowered */
    struct hy_graph io;         /* inputs and outputs, `signature` as in the file */
    struct hy_signature_tensor *inputs; /* without the states */
    struct hy_signature_tensor *outputs;
    struct halyard_network_memory memory;
    struct hy_operator_list *operators; /* NULL until asked for */
};

struct halyard_network {
    struct hy_file file; /* zeros: the bytes are the caller's */
    const void *bytes;
    size_t length;
    struct hy_tflite_limits limits; /* the defaults, and those of the caller */
    struct hy_arena arena;          /* of names, and of the description in the file */
    const char *description;
    pthread_mutex_t lock;           /* of what is made when it is asked for */
    struct hy_tflite_model *source; /* NULL: to be read anew, because a signature was lowered */
    bool has_metadata;
    struct hy_tflite_metadata metadata;
    uint32_t signature_count;
    struct hy_signature *signatures;
};

/* The source, for somebody who has the lock and closes it. Errors: those of hy_network_read. */
HY_MUST_CHECK enum hy_code hy_network_source(struct halyard_network *network,
                                             struct hy_tflite_model **out, struct hy_error *err);

/* Read at first use. From any thread. */
const struct hy_tflite_metadata *hy_network_metadata(const struct halyard_network *network);

/* The signature in the shapes of the file, imported, or the network that it is lowered to. Both
 * belong to `network`. From any thread. Errors: HY_BAD_DATA for an index out of range; those of
 * hy_network_import and hy_network_lower. */
HY_MUST_CHECK enum hy_code hy_signature_imported(struct halyard_network *network, uint32_t index,
                                                 const struct hy_signature **out,
                                                 struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_signature_lowered(struct halyard_network *network, uint32_t index,
                                                const struct hy_network **out,
                                                struct hy_error *err);

/* operator_list.c: what halyard_network_get_operator tells about a signature. The list belongs to
 * the caller. Errors: HY_OUT_OF_MEMORY. */
struct hy_operator_list {
    struct hy_arena arena; /* of the operators and their texts */
    uint32_t count;
    struct halyard_network_operator *operators;
    uint32_t *first; /* per sub-graph of the file, the place of the sub-graph's first operator in
                        `operators`; UINT32_MAX: the signature does not reach the sub-graph */
};

HY_MUST_CHECK enum hy_code hy_operator_list_create(const struct hy_tflite_model *model,
                                                   uint32_t subgraph, uint64_t memory_limit,
                                                   struct hy_operator_list **out,
                                                   struct hy_error *err);
void hy_operator_list_destroy(struct hy_operator_list *list); /* takes NULL */

/* network_operators.c: the list of a signature, made at first use; belongs to `network`. From any
 * thread. Errors: as hy_signature_imported and hy_operator_list_create. */
HY_MUST_CHECK enum hy_code hy_signature_operators(struct halyard_network *network,
                                                  uint32_t signature,
                                                  const struct hy_operator_list **out,
                                                  struct hy_error *err);

/* What is the same for tensors of networks and of sessions. `extents` outlive `info`. */
void hy_tensor_info_fill(const struct hy_graph_tensor *tensor, const char *name, uint32_t rank,
                         const int32_t *extents, struct halyard_tensor_info *info);

/* Adds what the file says of an input or output; `metadata` outlive `info`. */
void hy_tensor_info_add_metadata(const struct hy_tflite_tensor_metadata *metadata,
                                 struct halyard_tensor_info *info);

/* signature.c: fills in what is told of a signature whose network has been imported. Error:
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_signature_describe(struct hy_signature *signature, uint32_t index,
                                                 struct hy_error *err);
void hy_signature_finish(struct hy_signature *signature);

/* Extents of an input or output in the words of the file, which leave some open; else as they
 * follow from the inputs. */
const int32_t *hy_network_file_extents(const struct hy_graph_tensor *tensor);

/* session_metadata.c: what the file says of an input or output of a signature that is imported;
 * empty where the file says nothing. */
const struct hy_tflite_tensor_metadata *
hy_network_input_metadata(const struct halyard_network *network, uint32_t signature,
                          uint32_t index);
const struct hy_tflite_tensor_metadata *
hy_network_output_metadata(const struct halyard_network *network, uint32_t signature,
                           uint32_t index);

/* ---- Sessions -------------------------------------------------------------------------------- */

/* An input or output. */
struct hy_session_tensor {
    const struct hy_graph_tensor *tensor; /* of the session's network */
    const char *name;                     /* for the app */
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK]; /* as they are in this session, after the last run */
    bool is_open;                       /* an output whose extents only a run can tell */
    bool is_bound;                      /* to memory of the caller */
    struct hy_buffer buffer;            /* that runs use; `length` in bytes */
    size_t room; /* bytes of the buffer: of an open output more than its length */
    void *own;   /* the session's own memory */
    size_t own_room;
};

enum hy_session_run_state {
    HY_SESSION_IDLE,
    HY_SESSION_RUNNING, /* in the hands of halyard_session_run, or of a thread of Halyard */
    HY_SESSION_ENDED,   /* an asynchronous run is over, and nobody has waited for it */
};

struct halyard_session {
    struct halyard_network *network;
    struct halyard_session_options options; /* the pointers are copies of the session's own */
    struct hy_input_shape *shapes;          /* one for each input; none is set before a resize */
    bool needs_lowering;                    /* a shape has changed */
    struct hy_label_list *labels; /* one for each output: those that the caller has given */
    struct hy_arena label_arena;  /* of their names */

    const struct hy_network *lowered; /* the network's, or `own_lowered` */
    struct hy_network *own_lowered;   /* in other shapes, or relaxed; NULL: none */
    uint32_t input_count, output_count;
    struct hy_session_tensor *inputs;
    struct hy_session_tensor *outputs;
    bool has_open_outputs;
    struct hy_states *states; /* of `lowered`; NULL before */

    ANeuralNetworksCompilation *compilation; /* NULL: to be made by the next run */
    struct hy_io_binding *binding;           /* these three are made when a run needs them */
    ANeuralNetworksExecution *execution;
    ANeuralNetworksBurst *burst;

    pthread_mutex_t lock; /* of what follows, which threads that cancel and wait look at */
    pthread_cond_t ended;
    enum hy_session_run_state state;
    bool is_cancelled;                 /* the run in hand */
    ANeuralNetworksExecution *running; /* that a cancellation has to reach; or NULL */
    int result;                        /* of the asynchronous run; its words: */
    struct hy_error error;
    struct halyard_task task;
    void (*done)(void *context, int result);
    void *done_context;
    pid_t starter; /* the process that the asynchronous run was started in */
};

/* session_compile.c: the session's network in the session's shapes; its compilation, with the
 * session's settings. Both do nothing where there is one. */
HY_MUST_CHECK enum hy_code hy_session_lower(struct halyard_session *session, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_session_compile(struct halyard_session *session,
                                              struct hy_error *err);
void hy_session_drop_compilation(struct halyard_session *session);

/* session_tensors.c: makes the inputs and outputs of `graph`, without buffers, in place of the
 * session's present ones. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_session_list_tensors(struct halyard_session *session,
                                                   const struct hy_graph *graph,
                                                   struct hy_error *err);
void hy_session_tensors_free(struct hy_session_tensor *tensors, uint32_t count);

/* session_buffers.c: buffers of the session's own for all inputs and outputs. Errors: BAD_DATA (a
 * type without a fixed size), OUT_OF_MEMORY with the number of bytes. */
HY_MUST_CHECK enum hy_code hy_session_make_buffers(struct halyard_session *session,
                                                   struct hy_error *err);

/* The same for one tensor; the error names `what` ("input" or "output") and `index`. */
HY_MUST_CHECK enum hy_code hy_session_use_own_buffer(struct hy_session_tensor *tensor,
                                                     const char *what, uint32_t index,
                                                     struct hy_error *err);

/* Bytes of a tensor in its present extents; an open extent counts as 1. False: the type has no
 * fixed size, or size_t is too small. */
HY_MUST_CHECK bool hy_session_tensor_bytes(const struct hy_session_tensor *tensor, size_t *bytes);

/* Input or output `index` of the session, lowered if need be; for changes. BAD_DATA: there are
 * fewer; BAD_STATE: a run is in hand. */
HY_MUST_CHECK enum hy_code hy_session_input(struct halyard_session *session, uint32_t index,
                                            struct hy_session_tensor **out, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_session_output(struct halyard_session *session, uint32_t index,
                                             struct hy_session_tensor **out, struct hy_error *err);

/* BAD_DATA: there are fewer inputs; BAD_STATE: a run is in hand. */
HY_MUST_CHECK enum hy_code hy_session_check_input(struct halyard_session *session, uint32_t index,
                                                  struct hy_error *err);

/* session.c: halyard_session_resize. */
HY_MUST_CHECK enum hy_code hy_session_resize(struct halyard_session *session, uint32_t input,
                                             uint32_t rank, const int32_t *extents,
                                             struct hy_error *err);

/* session_metadata.c: the extents of an input in the words of the file, where some are open and the
 * caller has given no others; else NULL. */
const int32_t *hy_session_open_extents(const struct halyard_session *session, uint32_t input);

/* The names of an output's classes: those that the caller has given, or else the file's. */
const struct hy_label_list *hy_session_labels(const struct halyard_session *session,
                                              uint32_t output);

/* session_execution.c: the binding and the execution of the buffers as they are. */
HY_MUST_CHECK enum hy_code hy_session_make_execution(struct halyard_session *session,
                                                     struct hy_error *err);
void hy_session_drop_execution(struct halyard_session *session);

/* session_open_outputs.c: sets the extents and lengths of open outputs after a run. */
HY_MUST_CHECK enum hy_code hy_session_read_extents(struct halyard_session *session,
                                                   struct hy_error *err);

/* After a run that lacked room for an open output: makes more of the session's own.
 * INSUFFICIENT_SIZE: the buffer is bound, or the run could not tell how much it needs. */
HY_MUST_CHECK enum hy_code hy_session_grow_outputs(struct halyard_session *session,
                                                   struct hy_error *err);

/* BAD_STATE while a run is in hand. */
HY_MUST_CHECK static inline enum hy_code hy_session_check_idle(struct halyard_session *session,
                                                               struct hy_error *err)
{
    pthread_mutex_lock(&session->lock);
    const bool is_idle = session->state == HY_SESSION_IDLE;
    pthread_mutex_unlock(&session->lock);
    return is_idle ? HY_OK : hy_fail(err, HY_BAD_STATE, "a run of the session is in hand");
}

/* session_run.c: cancels an asynchronous run, if there is one, and waits for its end. */
void hy_session_end_run(struct halyard_session *session);

#endif
