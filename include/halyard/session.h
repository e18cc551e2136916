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
 * Functions that return int return an ANEURALNETWORKS_ result code. The words of a failure, with
 * operator and tensor, are those of halyard_last_error. Structs start with struct_size, which the
 * caller sets to sizeof before the call; members beyond the size that the library knows stay
 * untouched, members that an older caller lacks count as 0. A struct_size of no member gives
 * BAD_DATA, a NULL where none is allowed UNEXPECTED_NULL. Functions that give a count or a text
 * take NULL, too, and give 0 or NULL.
 *
 * A network may be used from any number of threads. A session is used by one thread at a time, but
 * for halyard_session_cancel, which any thread may call. Link with `pkg-config --libs halyard`.
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

/* The types of elements in files. Elements are little-endian; int4 has two elements in a byte, the
 * first in the low half. */
enum {
    HALYARD_TYPE_FLOAT32 = 0,
    HALYARD_TYPE_FLOAT16 = 1,
    HALYARD_TYPE_INT32 = 2,
    HALYARD_TYPE_UINT8 = 3,
    HALYARD_TYPE_INT64 = 4,
    HALYARD_TYPE_STRING = 5,
    HALYARD_TYPE_BOOL = 6,
    HALYARD_TYPE_INT16 = 7,
    HALYARD_TYPE_COMPLEX64 = 8,
    HALYARD_TYPE_INT8 = 9,
    HALYARD_TYPE_FLOAT64 = 10,
    HALYARD_TYPE_COMPLEX128 = 11,
    HALYARD_TYPE_UINT64 = 12,
    HALYARD_TYPE_RESOURCE = 13,
    HALYARD_TYPE_VARIANT = 14,
    HALYARD_TYPE_UINT32 = 15,
    HALYARD_TYPE_UINT16 = 16,
    HALYARD_TYPE_INT4 = 17,
    HALYARD_TYPE_BFLOAT16 = 18,
};

/* "float32"; NULL for a number that is no type. Static. */
const char *halyard_network_type_name(int32_t type);

enum { HALYARD_UNKNOWN_EXTENT = -1 };

/* An input or output. Pointers live as long as the network or session that gave the struct; those
 * of a session also end with halyard_session_resize. */
struct halyard_tensor_info {
    size_t struct_size;
    const char *name; /* in the file; inputs and outputs of a signature: the signature's name */
    int32_t type;     /* HALYARD_TYPE_* */
    uint32_t rank;
    const int32_t *extents; /* `rank` of them; HALYARD_UNKNOWN_EXTENT: open until a session is
                               created or has run */
    uint32_t scale_count;   /* 0: not quantised; 1: one scale for all; else one for each slice
                               of `scale_axis` */
    uint32_t scale_axis;
    const float *scales;        /* real = scale * (stored - zero point) */
    const int32_t *zero_points; /* `scale_count` of them */

    /* From the metadata of the file; 0, NULL and "" where there is none. */
    const char *description; /* UTF-8, without control characters */
    uint32_t mean_count;     /* 1, or one for each channel: stored real = (value - mean) / std,
                                with pixel values from 0 to 255 */
    const float *means;
    const float *stds;
    uint32_t label_count; /* names of the classes that an output counts by its last extent
                             that is not 1 */
    const char *const *labels;
    uint32_t value_label_count; /* names of the numbers that an output consists of: the classes that
                                   a detector found */
    const char *const *value_labels;
};

/* ---- Networks -------------------------------------------------------------------------------- */

/* What a file may ask for, and shapes that the file leaves open. Zero: the defaults. */
struct halyard_network_options {
    size_t struct_size;
    uint32_t max_operations; /* operators of all subgraphs; 0: 1,000,000 */
    uint64_t max_memory;     /* bytes for constants that are made at opening; 0: what the machine or
                                the control group of the process has */
};

/*
 * Opens a file, which is mapped and not copied; do not write to the file while the network is open.
 * The path "-" is standard input, which may be a pipe.
 * `options` may be NULL. The caller closes the network after all of its sessions.
 * Errors: BAD_DATA for what the file is or holds, with the object's name and what would help (a
 * newer schema, a file that was cut, limits); UNMAPPABLE: the file could not be opened, with its
 * path; OUT_OF_MEMORY. An operator that has no NNAPI form is no error before
 * halyard_network_get_model and halyard_session_create.
 */
int halyard_network_open(const char *path, const struct halyard_network_options *options,
                         struct halyard_network **network);

/* The same from memory, of any alignment, that outlives the network. */
int halyard_network_open_memory(const void *bytes, size_t length,
                                const struct halyard_network_options *options,
                                struct halyard_network **network);

void halyard_network_close(struct halyard_network *network); /* takes NULL */

/* "tflite": the format of the file. Static. */
const char *halyard_network_format(const struct halyard_network *network);

/* The words of the file about itself; "" if there are none. */
const char *halyard_network_description(const struct halyard_network *network);

/* What the library has left out of the file's metadata, and why: "output 0: labels: ..."; "" where
 * all could be used. Metadata never keep a network from running. */
const char *halyard_network_metadata_note(const struct halyard_network *network);

/*
 * Signatures are the entries of a network. A file without signatures has one of the name "", whose
 * inputs and outputs are those of the first subgraph. Inputs and outputs are in the order of the
 * signature's subgraph. All functions below take the index of a signature.
 */
uint32_t halyard_network_signature_count(const struct halyard_network *network);

/* NULL for an index that is no signature. */
const char *halyard_network_signature_name(const struct halyard_network *network,
                                           uint32_t signature);

/* BAD_DATA, with the existing names: no signature has this name. */
int halyard_network_find_signature(const struct halyard_network *network, const char *name,
                                   uint32_t *signature);

uint32_t halyard_network_input_count(const struct halyard_network *network, uint32_t signature);
uint32_t halyard_network_output_count(const struct halyard_network *network, uint32_t signature);

/* Extents are those of the file, outputs' as they follow from the inputs. BAD_DATA for an index out
 * of range. */
int halyard_network_get_input(const struct halyard_network *network, uint32_t signature,
                              uint32_t index, struct halyard_tensor_info *info);
int halyard_network_get_output(const struct halyard_network *network, uint32_t signature,
                               uint32_t index, struct halyard_tensor_info *info);

/*
 * The NNAPI model of a signature in the shapes of the file, finished; owned by the network. Inputs
 * and outputs are those of the signature in order, then the state; int64 is TENSOR_INT64 of
 * org.halyard.operations. Open extents stay open. BAD_DATA: an operator has no NNAPI form, with
 * operator and tensor.
 */
int halyard_network_get_model(struct halyard_network *network, uint32_t signature,
                              const ANeuralNetworksModel **model);

/* An operator of the file, of all subgraphs that a signature reaches. */
struct halyard_network_operator {
    size_t struct_size;
    const char *name;         /* "CONV_2D", "CUSTOM TFLite_Detection_PostProcess" */
    uint32_t subgraph, index; /* the operator's place in the file */
    uint64_t parameter_bytes; /* of constants that this operator is the first to read */
    const char *lowering;     /* NNAPI operations: "SLICE x2, ADD"; "folded": computed at opening;
                                 "fused": part of another operator; "" where it has no form */
    const char *obstacle;     /* why it has no NNAPI form; "" where it has one */
    const char *types;        /* of inputs and outputs: "float32[1,224,224,3], ... -> ..." */
    uint64_t parameter_count; /* elements of these constants */
};

uint32_t halyard_network_operator_count(struct halyard_network *network, uint32_t signature);

/* BAD_DATA for an index out of range. Works for networks that have no NNAPI model, too. */
int halyard_network_get_operator(struct halyard_network *network, uint32_t signature,
                                 uint32_t index, struct halyard_network_operator *out);

/* Memory in bytes. */
struct halyard_network_memory {
    size_t struct_size;
    uint64_t mapped; /* constants that stay in the file */
    uint64_t made;   /* constants that opening has made: float32 of float16, dense of sparse */
    uint64_t io;     /* buffers of inputs, outputs and states */
    uint64_t peak;   /* of tensors at one time in a run, with `io`; unknown extents count as 1 */
};

/* Works for networks that have no NNAPI model, too. BAD_DATA for an index out of range. */
int halyard_network_get_memory(struct halyard_network *network, uint32_t signature,
                               struct halyard_network_memory *memory);

/* ---- Sessions -------------------------------------------------------------------------------- */

struct halyard_session_options {
    size_t struct_size;
    uint32_t signature;
    uint32_t device_count; /* 0: whatever the planner chooses from all devices */
    const ANeuralNetworksDevice *const *devices;
    int32_t preference;       /* ANEURALNETWORKS_PREFER_* */
    int32_t priority;         /* ANEURALNETWORKS_PRIORITY_*; 0: medium */
    const char *cache_folder; /* an existing folder of the caller; NULL: no cache */
    uint64_t deadline_ns;     /* of each run, from its start; 0: none. A single WHILE may take as
                                 long, and 15 seconds at most */
    uint64_t compile_deadline_ns; /* of each compilation, from its start; 0: none */
    uint64_t max_memory;          /* bytes for constants that are made and for tensors, at least;
                                     0: what the machine or the control group of the process has.
                                     A run fails with OUT_OF_MEMORY where shapes that only the run
                                     can tell ask for more */
    uint32_t max_operations;      /* of NNAPI, after lowering; 0: 1,000,000 */
    uint32_t threads;             /* that share the work of a run on CPU devices, the caller's among
                                     them; 0: all. All sessions of a process together have no more
                                     threads than the process may use processors */
    bool relaxed;                 /* float32 may be computed with the range and precision of
                                     float16 */
    bool burst;                   /* runs follow each other closely: see ANeuralNetworksBurst */
    bool fenced;                  /* runs go through
                                     ANeuralNetworksExecution_startComputeWithDependencies; for tests
                                     of drivers. Outputs whose extents only a run can tell come
                                     without fences. Not with burst */
    bool split_operations;        /* each operation is a step of the plan, to be measured alone: see
                                     halyard_compilation_split_operations */
    bool compile_later;           /* creation does not compile: halyard_session_prepare or the first
                                     run does, after halyard_session_resize perhaps */
    bool only_cached;             /* nothing is compiled: what is not in the cache folder fails with
                                     OP_FAILED, see halyard_compilation_only_from_cache */
};

/* What a caller starts from: zeros, but the preference for fast single answers. */
#define HALYARD_SESSION_OPTIONS \
    { \
        .struct_size = sizeof(struct halyard_session_options), \
        .preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER \
    }

/*
 * Lowers and compiles a network, which outlives the session. `options` may be NULL. A session whose
 * inputs have unknown extents compiles with extents of 1 and again after halyard_session_resize.
 * Errors: BAD_DATA with operator and tensor; OUT_OF_MEMORY, with the number, beyond max_memory;
 * MISSED_DEADLINE_TRANSIENT; what the compilation gives.
 */
int halyard_session_create(struct halyard_network *network,
                           const struct halyard_session_options *options,
                           struct halyard_session **session);
void halyard_session_free(struct halyard_session *session); /* takes NULL; ends a run */

/* Inputs and outputs of the session's signature, with extents as they are in this session. Extents
 * of an output that only a run can tell are known after the run. */
uint32_t halyard_session_input_count(const struct halyard_session *session);
uint32_t halyard_session_output_count(const struct halyard_session *session);
int halyard_session_get_input(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info);
int halyard_session_get_output(const struct halyard_session *session, uint32_t index,
                               struct halyard_tensor_info *info);

/*
 * Gives an input another shape. The next run, or halyard_session_prepare, lowers and compiles anew;
 * buffers of the session are made anew, bound buffers have to be bound again.
 */
int halyard_session_resize(struct halyard_session *session, uint32_t input, uint32_t rank,
                           const int32_t *extents);

/* Compiles if something has changed since the last compilation. */
int halyard_session_prepare(struct halyard_session *session);

/*
 * The buffer of an input or output: the bound one, or else one of the session, aligned to 64 bytes
 * and zero at first. `length` is in bytes.
 */
int halyard_session_input_buffer(struct halyard_session *session, uint32_t index, void **bytes,
                                 size_t *length);
int halyard_session_output_buffer(struct halyard_session *session, uint32_t index, void **bytes,
                                  size_t *length);

/*
 * Binds memory of the caller, of exactly the tensor's bytes, for all runs until another is bound or
 * the session ends. Nothing is copied. NULL and 0: the session's own buffer again. BAD_DATA:
 * another length, with both numbers.
 */
int halyard_session_bind_input(struct halyard_session *session, uint32_t index, const void *bytes,
                               size_t length);
int halyard_session_bind_output(struct halyard_session *session, uint32_t index, void *bytes,
                                size_t length);

/* Runs once, on the calling thread. CANCELLED is BAD_STATE with the word "cancelled". Errors:
 * MISSED_DEADLINE_*, what the execution gives. */
int halyard_session_run(struct halyard_session *session);

/*
 * Starts a run on a thread of Halyard and returns. Until halyard_session_wait has returned, only
 * halyard_session_wait, halyard_session_cancel and halyard_session_free may be called; others give
 * BAD_STATE. `done`, which may be NULL, is called on that thread with the result code when the run
 * is over, and has returned before halyard_session_wait does; it calls nothing of the session.
 * RESOURCE_EXHAUSTED_TRANSIENT: there is no thread, and none can be made.
 */
int halyard_session_start(struct halyard_session *session, void (*done)(void *context, int result),
                          void *context);

/* Waits for the run that was started, and gives its result. BAD_STATE: none was started. OP_FAILED
 * in a child of fork(), where the run of the parent process never ends. */
int halyard_session_wait(struct halyard_session *session);

/* Ends the run in hand early: between two steps, on CPU devices also inside of an operation (see
 * halyard_execution_cancel). A device in a process of its own ends its step first. Returns at once;
 * without a run it does nothing. From any thread while the session exists. */
int halyard_session_cancel(struct halyard_session *session);

/*
 * The state of a network keeps its contents from one run to the next: variables, and the memory of
 * recurrent operators. It begins as the file says, else as zeros. A run that failed does not
 * change the state; halyard_session_resize resets the state. Each session has a state of its own,
 * sessions of two signatures of one network also. Errors: BAD_DATA for an index out of range and
 * for another length than the state's; BAD_STATE while a run is in hand.
 */
uint32_t halyard_session_state_count(const struct halyard_session *session);
int halyard_session_get_state(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info);
int halyard_session_read_state(const struct halyard_session *session, uint32_t index, void *bytes,
                               size_t length);
int halyard_session_write_state(struct halyard_session *session, uint32_t index, const void *bytes,
                                size_t length);
int halyard_session_reset_state(struct halyard_session *session);

/* Is told each step of the session's plan, in order; strings live during the call. */
typedef void (*halyard_step_visitor)(void *context, uint32_t index,
                                     const struct halyard_plan_step *step);

/*
 * Ahead of time: has the session's cache folder, which is made if it is missing, hold all that can
 * be cached of the session, in the shapes that the session has. Without a folder in the session's
 * options it is that of HALYARD_CACHE_DIR. Compiles if need be. A device that compiles just in time
 * stores with its first execution: then the network is run once, on what the inputs hold, which is
 * zeros unless somebody has filled them, and the states are reset. `visit`, which may be NULL, is
 * told what became of each step: HIT, STORED, NOT_STORED, or UNUSED of a device that cannot cache.
 * Errors: OP_FAILED, with the step and the reason, where something that can be cached was not
 * stored; BAD_DATA: there is no folder; what a compilation or a run gives.
 */
int halyard_session_fill_cache(struct halyard_session *session, halyard_step_visitor visit,
                               void *context);

/*
 * Compiles the session anew as with `only_cached`. NO_ERROR: the whole session comes from the
 * cache, as it would without that option, and is ready to run; `visit`, which may be NULL, is told
 * the steps. OP_FAILED: it does not, and halyard_last_error says why: the first step that is not
 * there with the reason. A cache entry that is damaged is removed. Other errors are those of a
 * compilation.
 */
int halyard_session_check_cache(struct halyard_session *session, halyard_step_visitor visit,
                                void *context);

/* For the questions of halyard/halyard.h: plan, steps, report. Ends with the next compilation. */
ANeuralNetworksCompilation *halyard_session_compilation(struct halyard_session *session);

/* The operator of the file that operation `operation` of the plan is part of, as an index of
 * halyard_network_get_operator, which counts the operators of all subgraphs that the signature
 * reaches. The plan names the operations of the main model: the operators of a subgraph that CALL
 * runs are among them, those of the bodies of IF and WHILE are part of the IF or WHILE.
 * UINT32_MAX: there is no such operation, or memory has run out. */
uint32_t halyard_session_operator_of(const struct halyard_session *session, uint32_t operation);

/* ---- Inputs from files, and what outputs mean -------------------------------------------------
 */

enum {
    HALYARD_FIT_STRETCH = 0,   /* the whole picture, whatever its proportions */
    HALYARD_FIT_CROP = 1,      /* the largest centred part of the input's proportions */
    HALYARD_FIT_LETTERBOX = 2, /* the whole picture in its proportions, with grey around it */
};

enum {
    HALYARD_CHANNELS_RGB = 0,
    HALYARD_CHANNELS_BGR = 1,
};

enum {
    HALYARD_LAYOUT_FROM_SHAPE =
        0, /* the dimension of 1, 3 or 4 is the channels; NHWC if both are */
    HALYARD_LAYOUT_NHWC = 1,
    HALYARD_LAYOUT_NCHW = 2,
};

/* How pixels become elements: value' = (value - mean) / std, with values from 0 to 255, then
 * quantised with the tensor's scale where the input is of integers. docs/inputs.md has the rules.
 */
struct halyard_image_options {
    size_t struct_size;
    int32_t fit;
    int32_t channels;
    int32_t layout;
    uint32_t mean_count; /* 0: the file's metadata; without metadata [0, 1] for floats, and for
                            8 bits the pixel's value, whose middle is the zero of int8; 1: for all
                            channels; else one for each channel, in the order of the input */
    float means[4];
    float stds[4];
};

/*
 * Fills an input from a file, or from standard input for the path "-": PNG or JPEG where the input
 * can be a picture, .npy of the same type and shape, else raw little-endian elements of exactly the
 * tensor's bytes. The elements go to the session's buffer, or to the bound one, which must be
 * writable. An input whose height or width the network leaves open gets the size that the metadata
 * propose, or that of the picture up to 2048 on a side, an open input the shape of a .npy file, and
 * an input of texts (HALYARD_TYPE_STRING, a blob of docs/inputs.md) the size of its file, unless
 * halyard_session_resize has given the input a shape; texts get theirs in any case. The session is
 * then as after halyard_session_resize, but other inputs of the same size as before keep their
 * buffers' contents, and those that were bound stay bound. `options` and `note` may be NULL;
 * `note`, of `note_size` bytes, gets one sentence about what was done to the data. Errors name the
 * input and the path.
 */
int halyard_session_read_input(struct halyard_session *session, uint32_t index, const char *path,
                               const struct halyard_image_options *options, char *note,
                               size_t note_size);

/* Fills an input from pixels in memory: `channels` (1, 3 or 4: grey, RGB, RGBA) bytes a pixel, rows
 * `stride` bytes apart. Otherwise like a picture from a file. */
int halyard_session_set_pixels(struct halyard_session *session, uint32_t index, const void *pixels,
                               uint32_t width, uint32_t height, uint32_t channels, size_t stride,
                               const struct halyard_image_options *options);

/* Names for the classes of an output, from a text file of one name a line, instead of those of the
 * metadata. BAD_DATA: there are not as many as classes, with both numbers. */
int halyard_session_read_labels(struct halyard_session *session, uint32_t output, const char *path);

struct halyard_rank {
    uint32_t index;    /* of the element in the last dimension that is not 1: its class */
    double value;      /* real: dequantised */
    const char *label; /* "" where there is none; until the session ends or gets other labels */
};

/* The `*count` largest elements of an output, best first, among equals the first one first; NANs
 * have no rank. `*count` becomes the number that there were. BAD_DATA where elements are no
 * numbers. */
int halyard_session_top(struct halyard_session *session, uint32_t output,
                        struct halyard_rank *ranks, uint32_t *count);

/* All elements of an output as real numbers: dequantised, from any type that is a number. BAD_DATA:
 * `count` is not the number of elements, or elements are no numbers. */
int halyard_session_read_output(struct halyard_session *session, uint32_t output, double *values,
                                size_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
