/*
 * Networks from files, and sessions that run them: libhalyard. A network is a `.tflite` file,
 * opened and checked. A session is a network compiled for devices, with buffers for inputs and
 * outputs.
 *
 *     struct halyard_network *network;
 *     struct halyard_session *session;
 *     if (halyard_network_open("mobilenet.tflite", NULL, &network) == ANEURALNETWORKS_NO_ERROR &&
 *         halyard_session_create(network, NULL, &session) == ANEURALNETWORKS_NO_ERROR) {
 *         halyard_session_read_input(session, 0, "cat.jpg", NULL, NULL, 0);
 *         halyard_session_run(session);
 *     }
 *
 * Functions that return int return an ANEURALNETWORKS_ result code. After a failure
 * halyard_last_error has the error text, with operator and tensor. Structs start with struct_size,
 * which the caller sets to sizeof before the call; members beyond the size that the library knows
 * stay unchanged, and members that an older caller lacks count as 0. A struct_size without a member
 * gives BAD_DATA; NULL for a required pointer gives UNEXPECTED_NULL. Functions that return a count
 * or a text accept NULL, and return 0 or NULL.
 *
 * Any number of threads may use a network. A session is used by one thread at a time, except for
 * halyard_session_cancel, which any thread may call. Link with `pkg-config --libs halyard`.
 */
#ifndef HALYARD_SESSION_H
#define HALYARD_SESSION_H

#include <android/NeuralNetworks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct halyard_network;
struct halyard_session;
struct halyard_plan_step; /* of halyard/halyard.h */

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Element types of files. Elements are little-endian; int4 has two elements in a byte, the first in
 * the low half. */
enum {
    HALYARD_TYPE_FLOAT32 = 0,     /* IEEE 754, 32 bits */
    HALYARD_TYPE_FLOAT16 = 1,     /* IEEE 754, 16 bits */
    HALYARD_TYPE_INT32 = 2,       /* signed, 32 bits */
    HALYARD_TYPE_UINT8 = 3,       /* unsigned, 8 bits */
    HALYARD_TYPE_INT64 = 4,       /* signed, 64 bits */
    HALYARD_TYPE_STRING = 5,      /* texts of any length: a blob of docs/inputs.md */
    HALYARD_TYPE_BOOL = 6,        /* one byte: 0 is false, everything else is true */
    HALYARD_TYPE_INT16 = 7,       /* signed, 16 bits */
    HALYARD_TYPE_COMPLEX64 = 8,   /* two float32: real and imaginary part */
    HALYARD_TYPE_INT8 = 9,        /* signed, 8 bits */
    HALYARD_TYPE_FLOAT64 = 10,    /* IEEE 754, 64 bits */
    HALYARD_TYPE_COMPLEX128 = 11, /* two float64: real and imaginary part */
    HALYARD_TYPE_UINT64 = 12,     /* unsigned, 64 bits */
    HALYARD_TYPE_RESOURCE = 13,   /* a variable or a table */
    HALYARD_TYPE_VARIANT = 14,    /* a value of any type */
    HALYARD_TYPE_UINT32 = 15,     /* unsigned, 32 bits */
    HALYARD_TYPE_UINT16 = 16,     /* unsigned, 16 bits */
    HALYARD_TYPE_INT4 = 17,       /* signed, 4 bits */
    HALYARD_TYPE_BFLOAT16 = 18,   /* the upper half of a float32 */
};

/* The name of an element type: "float32"; NULL for an unknown number. Static. */
const char *halyard_network_type_name(int32_t type);

/* The extent of a dimension that is not known yet. */
enum { HALYARD_UNKNOWN_EXTENT = -1 /* in halyard_tensor_info.extents */ };

/* An input or output. Pointers live as long as the network or session that filled the struct;
 * pointers of a session also end with halyard_session_resize. */
struct halyard_tensor_info {
    size_t struct_size;
    /* The name in the file; for inputs and outputs of a signature, the signature's name */
    const char *name;
    /* HALYARD_TYPE_* */
    int32_t type;
    /* The number of dimensions */
    uint32_t rank;
    /* `rank` extents in elements; HALYARD_UNKNOWN_EXTENT: unknown until a session is created or has
     * run */
    const int32_t *extents;
    /* 0: not quantised; 1: one scale for all elements; else one scale for each slice of
     * `scale_axis` */
    uint32_t scale_count;
    /* The dimension of the scales, if scale_count is above 1 */
    uint32_t scale_axis;
    /* `scale_count` scales: real = scale * (stored - zero point) */
    const float *scales;
    /* `scale_count` zero points */
    const int32_t *zero_points;

    /* From the metadata of the file; 0, NULL and "" without metadata. */

    /* UTF-8, without control characters */
    const char *description;
    /* Entries of `means` and `stds`: 1, or one for each channel */
    uint32_t mean_count;
    /* Means and standard deviations: stored real = (value - mean) / std, with pixel values from 0
     * to 255 */
    const float *means;
    const float *stds;
    /* The number of class names of an output */
    uint32_t label_count;
    /* Class names; the classes are numbered along the last extent above 1 */
    const char *const *labels;
    /* The number of names for the values of an output */
    uint32_t value_label_count;
    /* Names for the values of an output, for example classes that a detector found */
    const char *const *value_labels;
};

/* ---- Networks -------------------------------------------------------------------------------- */

/* Limits of a file, and of constants that the library makes. Zero: the defaults. */
struct halyard_network_options {
    size_t struct_size;
    /* The largest number of operators of all subgraphs; 0: 1,000,000 */
    uint32_t max_operations;
    /* The most bytes for constants made at opening; 0: the memory of the machine, or the limit of
     * the process's control group */
    uint64_t max_memory;
};

/*
 * Opens a file, which is mapped and not copied; do not write to the file while the network is open.
 * The path "-" is standard input, which may be a pipe.
 * `options` may be NULL. The caller closes the network after all of its sessions.
 * Errors: BAD_DATA: the file is invalid; the error text names the object and a remedy (a newer
 * schema, a truncated file, limits); UNMAPPABLE: the file could not be opened, with its path;
 * OUT_OF_MEMORY. An operator without an NNAPI form is no error before halyard_network_get_model and
 * halyard_session_create.
 */
int halyard_network_open(const char *path, const struct halyard_network_options *options,
                         struct halyard_network **network);

/* As halyard_network_open, from memory of any alignment, which outlives the network. `length` is in
 * bytes. */
int halyard_network_open_memory(const void *bytes, size_t length,
                                const struct halyard_network_options *options,
                                struct halyard_network **network);

/* Closes a network after all of its sessions. NULL is ignored. */
void halyard_network_close(struct halyard_network *network);

/* The format of the file: "tflite". Static. */
const char *halyard_network_format(const struct halyard_network *network);

/* The description in the file; "" if the file has none. */
const char *halyard_network_description(const struct halyard_network *network);

/* The parts of the file's metadata that the library ignores, with the reason: "output 0: labels:
 * ..."; "" if the library uses all metadata. Invalid metadata never keeps a network from
 * running. */
const char *halyard_network_metadata_note(const struct halyard_network *network);

/*
 * The number of signatures. Signatures are the entry points of a network. A file without signatures
 * has one signature of the name "", with the inputs and outputs of the first subgraph. Inputs and
 * outputs are in the order of the signature's subgraph. Other functions have the index of a
 * signature as `signature`.
 */
uint32_t halyard_network_signature_count(const struct halyard_network *network);

/* The name of a signature; NULL for an index out of range. */
const char *halyard_network_signature_name(const struct halyard_network *network,
                                           uint32_t signature);

/* Finds a signature by name. BAD_DATA: no signature has the name; the error text lists the existing
 * names. */
int halyard_network_find_signature(const struct halyard_network *network, const char *name,
                                   uint32_t *signature);

/* The number of inputs of a signature; 0 for an index out of range, and without memory. */
uint32_t halyard_network_input_count(const struct halyard_network *network, uint32_t signature);

/* The number of outputs of a signature; 0 for an index out of range, and without memory. */
uint32_t halyard_network_output_count(const struct halyard_network *network, uint32_t signature);

/* Describes an input of a signature, with the extents of the file. BAD_DATA for an index out of
 * range. */
int halyard_network_get_input(const struct halyard_network *network, uint32_t signature,
                              uint32_t index, struct halyard_tensor_info *info);

/* Describes an output of a signature, with extents derived from the extents of the inputs in the
 * file. BAD_DATA for an index out of range. */
int halyard_network_get_output(const struct halyard_network *network, uint32_t signature,
                               uint32_t index, struct halyard_tensor_info *info);

/*
 * The finished NNAPI model of a signature in the shapes of the file; owned by the network. The
 * model's inputs and outputs are the signature's in order, followed by the state; int64 is
 * TENSOR_INT64 of org.halyard.operations. Unknown extents stay unknown. BAD_DATA: an operator has
 * no NNAPI form; the error text names operator and tensor.
 */
int halyard_network_get_model(struct halyard_network *network, uint32_t signature,
                              const ANeuralNetworksModel **model);

/* An operator of the file, out of all subgraphs that a signature reaches. */
struct halyard_network_operator {
    size_t struct_size;
    /* The operator and its custom name: "CONV_2D", "CUSTOM TFLite_Detection_PostProcess" */
    const char *name;
    /* The index of the operator's subgraph in the file */
    uint32_t subgraph;
    /* The index of the operator in its subgraph */
    uint32_t index;
    /* Bytes of constants, counted at the first operator that reads them */
    uint64_t parameter_bytes;
    /* NNAPI operations: "SLICE x2, ADD"; "folded": computed at opening; "fused": part of another
     * operator; "": no NNAPI form */
    const char *lowering;
    /* The reason for the lack of an NNAPI form; "" for an operator with an NNAPI form */
    const char *obstacle;
    /* Types of inputs and outputs: "float32[1,224,224,3], ... -> ..." */
    const char *types;
    /* Elements of the constants of parameter_bytes */
    uint64_t parameter_count;
};

/* The number of operators that a signature reaches, of all subgraphs; 0 also without memory. */
uint32_t halyard_network_operator_count(struct halyard_network *network, uint32_t signature);

/* Describes an operator by its index. Works also for networks without an NNAPI model. BAD_DATA for
 * an index out of range. */
int halyard_network_get_operator(struct halyard_network *network, uint32_t signature,
                                 uint32_t index, struct halyard_network_operator *out);

/* Memory of a network with one session, in bytes. */
struct halyard_network_memory {
    size_t struct_size;
    /* Constants that stay in the file */
    uint64_t mapped;
    /* Constants made at opening: float32 of float16, dense of sparse */
    uint64_t made;
    /* Buffers of inputs, outputs and states */
    uint64_t io;
    /* The largest sum of live tensors during a run, with `io`; unknown extents count as 1 */
    uint64_t peak;
};

/* Estimates the memory of a signature. Works also for networks without an NNAPI model. BAD_DATA for
 * an index out of range. */
int halyard_network_get_memory(struct halyard_network *network, uint32_t signature,
                               struct halyard_network_memory *memory);

/* ---- Sessions -------------------------------------------------------------------------------- */

/* Options of a session. Start from HALYARD_SESSION_OPTIONS. */
struct halyard_session_options {
    size_t struct_size;
    /* The index of the signature that the session runs */
    uint32_t signature;
    /* Entries of `devices`; 0: the planner chooses from all devices */
    uint32_t device_count;
    /* The devices that may run the network */
    const ANeuralNetworksDevice *const *devices;
    /* ANEURALNETWORKS_PREFER_* */
    int32_t preference;
    /* ANEURALNETWORKS_PRIORITY_*; 0: medium */
    int32_t priority;
    /* An existing directory of the caller; NULL: no cache */
    const char *cache_dir;
    /* The time limit of each run in ns, from its start; 0: none. A single WHILE has the same limit,
     * and 15 seconds at most */
    uint64_t deadline_ns;
    /* The time limit of each compilation in ns, from its start; 0: none */
    uint64_t compile_deadline_ns;
    /* The most bytes for constants made by the library and for tensors, by a lower estimate; 0: the
     * memory of the machine, or the limit of the process's control group. A run whose computed
     * shapes need more fails with OUT_OF_MEMORY */
    uint64_t max_memory;
    /* The largest number of NNAPI operations after lowering; 0: 1,000,000 */
    uint32_t max_operations;
    /* The number of threads for a run on CPU devices, with the caller's; 0: all. All sessions of a
     * process together have at most one thread for each processor of the process */
    uint32_t threads;
    /* float32 may be computed with the range and precision of float16 */
    bool relaxed;
    /* Runs follow each other quickly: see ANeuralNetworksBurst */
    bool burst;
    /* Runs use ANeuralNetworksExecution_startComputeWithDependencies; for tests of drivers. Runs
     * with outputs of unknown extents use no fences. Not with burst */
    bool fenced;
    /* Each operation is a separate step of the plan, for measurements: see
     * halyard_compilation_split_operations */
    bool split_operations;
    /* Creation does not compile: halyard_session_prepare or the first run compiles, possibly after
     * halyard_session_resize */
    bool compile_later;
    /* Nothing is compiled: a step without an entry in the cache directory fails with OP_FAILED, see
     * halyard_compilation_only_from_cache */
    bool only_cached;
};

/* Initial options for a caller: zeros, except for the preference for fast single answers. */
#define HALYARD_SESSION_OPTIONS \
    { \
        .struct_size = sizeof(struct halyard_session_options), \
        .preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER \
    }

/*
 * Lowers and compiles a network, which outlives the session. `options` may be NULL. A session whose
 * inputs have unknown extents compiles with extents of 1, and compiles again after
 * halyard_session_resize. Errors: BAD_DATA with operator and tensor; OUT_OF_MEMORY, with the number
 * of bytes, beyond max_memory; MISSED_DEADLINE_TRANSIENT; errors of the compilation.
 */
int halyard_session_create(struct halyard_network *network,
                           const struct halyard_session_options *options,
                           struct halyard_session **session);

/* Frees a session, and ends its run. NULL is ignored. */
void halyard_session_free(struct halyard_session *session);

/* The number of inputs of the session's signature. */
uint32_t halyard_session_input_count(const struct halyard_session *session);

/* The number of outputs of the session's signature. */
uint32_t halyard_session_output_count(const struct halyard_session *session);

/* Describes an input, with its extents in this session. BAD_DATA for an index out of range. */
int halyard_session_get_input(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info);

/* Describes an output, with its extents in this session. Extents of an output with a shape that
 * depends on data are known after the run. BAD_DATA for an index out of range. */
int halyard_session_get_output(const struct halyard_session *session, uint32_t index,
                               struct halyard_tensor_info *info);

/*
 * Sets the shape of an input. The next run, or halyard_session_prepare, lowers and compiles again.
 * The session replaces its buffers; the caller must bind buffers again.
 */
int halyard_session_resize(struct halyard_session *session, uint32_t input, uint32_t rank,
                           const int32_t *extents);

/* Compiles if a setting has changed since the last compilation. Errors: errors of the
 * compilation. */
int halyard_session_prepare(struct halyard_session *session);

/*
 * Gives the buffer of an input or output: the bound buffer, or a buffer of the session, aligned to
 * 64 bytes and initially zero. `length` is in bytes. BAD_DATA for an index out of range.
 */
int halyard_session_input_buffer(struct halyard_session *session, uint32_t index, void **bytes,
                                 size_t *length);
int halyard_session_output_buffer(struct halyard_session *session, uint32_t index, void **bytes,
                                  size_t *length);

/*
 * Binds memory of the caller, of exactly the tensor's size, for all runs until another buffer is
 * bound or the session ends. Nothing is copied. `length` is in bytes. NULL and 0: back to the
 * session's own buffer. BAD_DATA: another length; the error text has both numbers.
 */
int halyard_session_bind_input(struct halyard_session *session, uint32_t index, const void *bytes,
                               size_t length);
int halyard_session_bind_output(struct halyard_session *session, uint32_t index, void *bytes,
                                size_t length);

/* Runs once, on the calling thread. A cancelled run returns BAD_STATE with the word "cancelled" in
 * the error text. Errors: MISSED_DEADLINE_*, errors of the execution. */
int halyard_session_run(struct halyard_session *session);

/*
 * Starts a run on a thread of Halyard and returns. Until halyard_session_wait has returned, only
 * halyard_session_wait, halyard_session_cancel and halyard_session_free may be called; other
 * functions return BAD_STATE. `done`, which may be NULL, is called on the thread of the run with
 * the result code at the end of the run, and returns before halyard_session_wait returns. `done`
 * must not call functions of the session. RESOURCE_EXHAUSTED_TRANSIENT: no thread is free, and none
 * can be started.
 */
int halyard_session_start(struct halyard_session *session, void (*done)(void *context, int result),
                          void *context);

/* Waits for the started run, and returns its result. BAD_STATE: no run was started. OP_FAILED: in a
 * child of fork(), because the run of the parent process never ends in the child. */
int halyard_session_wait(struct halyard_session *session);

/* Ends the current run early: between two steps, on CPU devices also inside an operation (see
 * halyard_execution_cancel). A device in another process completes its step first. Returns
 * immediately; without a run the call does nothing. Any thread may call while the session
 * exists. */
int halyard_session_cancel(struct halyard_session *session);

/*
 * The state of a network persists from one run to the next: variables, and the memory of recurrent
 * operators. The state begins with the values of the file, or else with zeros. A failed run does
 * not change the state; halyard_session_resize resets the state. Each session has its own state,
 * also for sessions of two signatures of one network. The functions of the state return BAD_STATE
 * during a run.
 */

/* The number of state tensors; 0 also during a run, and for a network that cannot be lowered. */
uint32_t halyard_session_state_count(const struct halyard_session *session);

/* Describes a state tensor. BAD_DATA for an index out of range. */
int halyard_session_get_state(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info);

/* Copies a state tensor to `bytes`. BAD_DATA for an index out of range, and for a `length` other
 * than the bytes of the state tensor. */
int halyard_session_read_state(const struct halyard_session *session, uint32_t index, void *bytes,
                               size_t length);

/* Copies `bytes` to a state tensor; errors as for halyard_session_read_state. */
int halyard_session_write_state(struct halyard_session *session, uint32_t index, const void *bytes,
                                size_t length);

/* Sets all state tensors to their first values. */
int halyard_session_reset_state(struct halyard_session *session);

/* Called with each step of the session's plan, in order; strings live during the call. */
typedef void (*halyard_step_visitor)(void *context, uint32_t index,
                                     const struct halyard_plan_step *step);

/*
 * Ahead-of-time compilation: compiles if necessary, and stores every cacheable step of the session,
 * in the current shapes of the session, in the cache directory of the session's options. Without a
 * directory in the options the directory of HALYARD_CACHE_DIR is used. A missing directory is
 * created. A device that compiles just in time stores an entry during its first execution: for such
 * a device the network runs once on the current contents of the inputs (zeros by default), and the
 * states are reset. `visit`, which may be NULL, is called with the result of each step: HIT,
 * STORED, NOT_STORED, or UNUSED for a device that cannot cache. Errors: OP_FAILED: a cacheable step
 * was not stored; the error text names the step and the reason; BAD_DATA: no directory is set;
 * errors of a compilation or a run.
 */
int halyard_session_fill_cache(struct halyard_session *session, halyard_step_visitor visit,
                               void *context);

/*
 * Compiles the session again as with `only_cached`. NO_ERROR: the whole session comes from the
 * cache, also without the option, and is ready to run; `visit`, which may be NULL, is called with
 * the steps. OP_FAILED: a step is not in the cache; halyard_last_error names the first missing step
 * with the reason. A damaged cache entry is removed. Other errors are the errors of a compilation.
 */
int halyard_session_check_cache(struct halyard_session *session, halyard_step_visitor visit,
                                void *context);

/* For the functions of halyard/halyard.h: plan, steps, report. Valid until the next compilation. */
ANeuralNetworksCompilation *halyard_session_compilation(struct halyard_session *session);

/* The operator of the file for operation `operation` of the plan, as an index of
 * halyard_network_get_operator, which counts the operators of all subgraphs that the signature
 * reaches. The plan lists the operations of the main model: operators of a subgraph that CALL runs
 * are separate operations, operators of the bodies of IF and WHILE are part of the IF or WHILE.
 * UINT32_MAX: `operation` is out of range, or memory has run out. */
uint32_t halyard_session_operator_of(const struct halyard_session *session, uint32_t operation);

/* ---- Inputs from files, and the meaning of outputs ------------------------------------------- */

/* The part of a picture that an input gets. */
enum {
    /* The whole picture; proportions may change */
    HALYARD_FIT_STRETCH = 0,
    /* The largest centred part with the proportions of the input */
    HALYARD_FIT_CROP = 1,
    /* The whole picture with its proportions, with grey around it */
    HALYARD_FIT_LETTERBOX = 2,
};

/* The order of the channels of an input. */
enum {
    HALYARD_CHANNELS_RGB = 0, /* red first */
    HALYARD_CHANNELS_BGR = 1, /* blue first */
};

/* The order of the dimensions of an input. */
enum {
    /* The dimension of extent 1, 3 or 4 is the channels; NHWC if both are */
    HALYARD_LAYOUT_FROM_SHAPE = 0,
    /* [N, H, W, C] */
    HALYARD_LAYOUT_NHWC = 1,
    /* [N, C, H, W] */
    HALYARD_LAYOUT_NCHW = 2,
};

/* Conversion of pixels to elements: value' = (value - mean) / std, with values from 0 to 255. For
 * an input of integers the result is quantised with the tensor's scale. docs/inputs.md has the
 * rules. */
struct halyard_image_options {
    size_t struct_size;
    /* HALYARD_FIT_* */
    int32_t fit;
    /* HALYARD_CHANNELS_* */
    int32_t channels;
    /* HALYARD_LAYOUT_* */
    int32_t layout;
    /* Entries of `means` and `stds`. 0: the file's metadata; without metadata [0, 1] for floats,
     * and the pixel's value for 8 bits (minus 128 for int8); 1: one mean for all channels; else one
     * for each channel, in the order of the input */
    uint32_t mean_count;
    /* Means and standard deviations of pixel values from 0 to 255 */
    float means[4];
    float stds[4];
};

/*
 * Fills an input from a file, or from standard input for the path "-": PNG or JPEG for an input
 * with the shape of a picture, .npy of the same type and shape, else raw little-endian elements of
 * exactly the tensor's bytes. The elements go to the session's buffer, or to the bound buffer,
 * which must be writable.
 * An input with unknown height or width gets the size that the metadata propose, or the size of the
 * picture, up to 2048 pixels on a side. An input with unknown extents gets the shape of a .npy
 * file. An input of texts (HALYARD_TYPE_STRING, a blob of docs/inputs.md) always gets the size of
 * its file. For other inputs a call of halyard_session_resize takes precedence. A change of shape
 * acts like halyard_session_resize, but other inputs of unchanged size keep the contents of their
 * buffers, and bound buffers stay bound.
 * `options` and `note` may be NULL; `note`, of `note_size` bytes, gets one sentence about the
 * conversion of the data. The error text names the input and the path.
 */
int halyard_session_read_input(struct halyard_session *session, uint32_t index, const char *path,
                               const struct halyard_image_options *options, char *note,
                               size_t note_size);

/* Fills an input from pixels in memory: `width` * `height` pixels of `channels` (1, 3 or 4: grey,
 * RGB, RGBA) bytes, rows `stride` bytes apart. Otherwise like a picture from a file. */
int halyard_session_set_pixels(struct halyard_session *session, uint32_t index, const void *pixels,
                               uint32_t width, uint32_t height, uint32_t channels, size_t stride,
                               const struct halyard_image_options *options);

/* Sets the class names of an output from a text file of one name a line; replaces the names of the
 * metadata. BAD_DATA: the number of names differs from the number of classes; the error text has
 * both numbers. */
int halyard_session_read_labels(struct halyard_session *session, uint32_t output, const char *path);

/* An element of an output, with its class. */
struct halyard_rank {
    /* The index of the element in the last dimension above 1: its class */
    uint32_t index;
    /* The real value, dequantised */
    double value;
    /* "" for a class without a name; valid until the session ends or gets other labels */
    const char *label;
};

/* The `*count` largest elements of an output in descending order; of equal elements the first comes
 * first. NANs have no rank. `*count` becomes the number of written elements. BAD_DATA: the elements
 * are no numbers. */
int halyard_session_top(struct halyard_session *session, uint32_t output,
                        struct halyard_rank *ranks, uint32_t *count);

/* All elements of an output as real numbers, dequantised, from any numeric type. BAD_DATA: `count`
 * is not the number of elements, or the elements are no numbers. */
int halyard_session_read_output(struct halyard_session *session, uint32_t output, double *values,
                                size_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
