/*
 * FROZEN: halyard/driver.h as it was in version 1.0. It is never edited again: what a vendor has built
 * with it runs with every 1.x, and this file proves it.
 *
 * The Halyard driver ABI, version 1.0: everything that a driver and the runtime say to each other.
 * It is frozen: what stands here keeps its place and its meaning as long as the major number is 1
 * (docs/driver-abi.md).
 *
 * A driver is a shared library with one exported symbol, hy_driver_query(), and a JSON manifest
 * that names it. It includes this header, links to nothing of Halyard's, and gets what it needs
 * from outside (log, memory mapping, worker threads, cache) through struct hy_host. The same
 * library runs in the app's process or in a process of its own; it does not see the difference.
 *
 * Rules that hold everywhere
 *   R1  Every table and every struct that may grow starts with struct_size, set by whoever fills it
 *       in. New members come at the end only. Read a member only if it lies inside struct_size
 *       (HY_HAS does this for table members, HY_REACHES for all others); what stands in the header
 *       since 1.0 always does. Where the caller brings a struct for the answer, its struct_size is
 *       the room there is: write no byte behind it, and set it to what was written (hy_fill).
 *   R2  Elements of arrays never grow. A new fact per element comes as a new parallel array at the
 *       end of the struct that holds the array.
 *   R3  No errno, FILE, bool, enum or bit-field crosses this border. Flags and codes are integers;
 *       unknown values are refused, not guessed. Reserved members are written as zero, and not
 *       read. A value that came with a later version goes to a side of that version only: its `abi`
 *       tells.
 *   R4  Who allocates, frees. What a view points to belongs to the caller and is valid only during
 *       the call, unless its comment says otherwise. Strings are UTF-8 and end in NUL.
 *   R5  Views are read-only and untrusted: a driver checks what it reads (indices, offsets, sizes)
 *       before it uses it. The runtime checks every answer of a driver in the same way.
 *   R6  A call returns HY_STATUS_OK or the error, and writes its outputs only with HY_STATUS_OK
 *       (exceptions are stated). An error never leaves half an object behind. A function that is
 *       told to destroy or close something takes every object once, and never NULL.
 *   R7  Different objects may be used from different threads at once; also one device (any call)
 *       and one prepared model (any number of executions). A burst, a reusable execution and a
 *       buffer serve one call at a time. What a call may call back (`refuse`, the functions of
 *       hy_burst_queues) it calls on the same thread, before it returns.
 *   R8  A driver never aborts, exits, changes signal handlers or writes to stdout or stderr.
 *   R9  Deadlines are nanoseconds of CLOCK_BOOTTIME, HY_NO_DEADLINE means none; durations are
 *       nanoseconds. A missed deadline is HY_STATUS_MISSED_DEADLINE_TRANSIENT or _PERSISTENT.
 *
 * Values of operand types, operation types, activation and padding codes are those of
 * <android/NeuralNetworks.h>; they are not repeated here.
 */
#ifndef HALYARD_DRIVER_H
#define HALYARD_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#define HY_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define HY_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* ---- Version --------------------------------------------------------------------------------- */

#define HY_ABI(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))
#define HY_ABI_MAJOR(abi)    ((uint32_t)(abi) >> 16)
#define HY_ABI_MINOR(abi)    ((uint32_t)(abi)&0xffffu)

/* The version that this header describes. Host and driver of one major number work together,
 * whatever their minor ones; another major number comes with another symbol than hy_driver_query.
 */
#define HY_DRIVER_ABI HY_ABI(1, 0)

/* Bytes of a struct up to and with the member. */
#define HY_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* True when the table `t` has the function `fn`: old enough tables end before it, optional ones
 * hold NULL. */
#define HY_HAS(t, fn) (HY_REACHES(t, fn) && (t)->fn != NULL)

/* True when the struct `t` has the member, whatever its value: for members that are no functions.
 */
#define HY_REACHES(t, member) (HY_SIZE_UP_TO(__typeof__(*(t)), member) <= (t)->struct_size)

/* Answers in a struct of the caller's: as much of `from` as there is room. Both begin with
 * struct_size, and that of `to` says afterwards how much it was. */
static inline void hy_fill(void *to, const void *from)
{
    uint32_t room, size;
    memcpy(&room, to, sizeof room);
    memcpy(&size, from, sizeof size);
    if (size > room)
        size = room;
    memcpy(to, from, size);
    memcpy(to, &size, sizeof size);
}

/* ---- Codes ----------------------------------------------------------------------------------- */

/* What a call returns: the ErrorStatus of the NNAPI driver interfaces. Anything else that a driver
 * returns counts as HY_STATUS_GENERAL_FAILURE. */
#define HY_STATUS_OK                            0
#define HY_STATUS_DEVICE_UNAVAILABLE            1 /* offline or busy; a retry may help */
#define HY_STATUS_GENERAL_FAILURE               2 /* anything not listed here */
#define HY_STATUS_OUTPUT_INSUFFICIENT_SIZE      3 /* an output is too small; shapes are reported */
#define HY_STATUS_INVALID_ARGUMENT              4 /* the caller's mistake; a retry cannot help */
#define HY_STATUS_MISSED_DEADLINE_TRANSIENT     5 /* a retry soon may be in time */
#define HY_STATUS_MISSED_DEADLINE_PERSISTENT    6 /* a retry will be late as well */
#define HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT  7
#define HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT 8
#define HY_STATUS_DEAD_OBJECT                   9 /* the device is gone for good (a dead service) */

#define HY_DEVICE_OTHER       1
#define HY_DEVICE_CPU         2
#define HY_DEVICE_GPU         3
#define HY_DEVICE_ACCELERATOR 4

#define HY_PREFER_LOW_POWER          0
#define HY_PREFER_FAST_SINGLE_ANSWER 1
#define HY_PREFER_SUSTAINED_SPEED    2

#define HY_PRIORITY_LOW    0
#define HY_PRIORITY_MEDIUM 1
#define HY_PRIORITY_HIGH   2

#define HY_LOG_ERROR   0
#define HY_LOG_WARNING 1
#define HY_LOG_INFO    2
#define HY_LOG_DEBUG   3

#define HY_NO_DEADLINE ((int64_t)-1)
#define HY_NO_TIME     UINT64_MAX /* a duration that is not known or was not asked for */

/* Limits. */
#define HY_MAX_RANK            16u    /* tensors of a higher rank never reach a driver */
#define HY_MAX_DEVICES         64u    /* of one instance */
#define HY_MAX_TEXT            255u   /* bytes of each string of hy_device_info, without the NUL */
#define HY_MAX_EXTENSIONS      256u   /* of one device */
#define HY_MAX_EXTENSION_TYPES 65536u /* operand types of one extension */
#define HY_MAX_FIGURES         256u   /* entries of hy_capabilities.operands */
#define HY_MAX_CACHE_FILES     32u    /* of each kind */
#define HY_MAX_BURST_DEPTH     64u
#define HY_TOKEN_SIZE          32u
#define HY_DIGEST_SIZE         32u
#define HY_MAX_BLOB_KEY        512u
#define HY_MAX_BLOB            (UINT64_C(256) << 20)

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Kinds of memory. Every driver decodes ASHMEM, MMAP_FD and HARDWARE_BUFFER_BLOB, and says in
 * hy_device_info.pool_kinds which of the others: what it does not name is not given to it. Where it
 * takes a kind in some places only (an image of one format, say), it refuses the rest: best in
 * supported_operations; else a constant in such memory fails prepare, an input or output the
 * execution, both with HY_STATUS_GENERAL_FAILURE. */
#define HY_POOL_HOST    1u /* memory of this process, by address; never crosses processes */
#define HY_POOL_ASHMEM  2u /* anonymous shared memory (memfd): fd, size; map shared at 0 */
#define HY_POOL_MMAP_FD 3u /* any mappable fd: fd, offset, size, protection */
#define HY_POOL_HARDWARE_BUFFER_BLOB \
    4u /* AHardwareBuffer of format BLOB: fd (dma-buf or memfd), size */
#define HY_POOL_HARDWARE_BUFFER \
    5u                    /* AHardwareBuffer of another format: see image; arguments only */
#define HY_POOL_BUFFER 6u /* driver-managed memory: buffer_token; arguments only */

#define HY_PROTECT_READ  1u
#define HY_PROTECT_WRITE 2u

/*
 * The layout of a HY_POOL_HARDWARE_BUFFER. Layers lie one behind the other, each with `height` rows
 * that are `stride` pixels apart; docs/hardware-buffers.md has the formats. An argument in one is
 * the whole image: its location names the pool, all else is 0. What hy_host.map gives in the same
 * process reaches over all rows; a driver that maps the fd itself asks for the size of it first.
 */
struct hy_image {
    uint32_t width;  /* pixels */
    uint32_t height; /* pixels */
    uint32_t layers;
    uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
    uint32_t stride; /* pixels from one row to the next */
    uint32_t reserved;
    uint64_t usage; /* AHARDWAREBUFFER_USAGE_* */
};

/*
 * A piece of memory that a model or a request refers to: a handle, not a pointer. hy_host.map turns
 * it into an address. The fd belongs to the caller; a driver that keeps it must dup() it.
 */
struct hy_pool {
    uint32_t kind;         /* HY_POOL_* */
    uint32_t protection;   /* HY_PROTECT_*: what the memory may be mapped for at most */
    int32_t fd;            /* -1 where the kind has none */
    uint32_t buffer_token; /* HY_POOL_BUFFER only, else 0 */
    uint64_t id;           /* names this memory while it lives, never reused in the process that
                              made it; 0: nameless, do not cache anything under it */
    uint64_t offset;       /* of the first byte inside the fd, a multiple of the page size */
    uint64_t size;         /* bytes; 0 = unknown (HY_POOL_HARDWARE_BUFFER, HY_POOL_BUFFER) */
    void *address;         /* HY_POOL_HOST: the bytes. Else the host's own: use hy_host.map */
    const struct hy_image *image; /* HY_POOL_HARDWARE_BUFFER only, else NULL */
};

/* Bytes inside a pool: [offset, offset + length), then `padding` bytes that may be touched but
 * carry no data. offset + length + padding <= the pool's size. With a length of 0 pool and offset
 * name nothing: do not map. But a HY_POOL_BUFFER is always used whole: `pool` names it, and all
 * else is 0. */
struct hy_location {
    uint32_t pool; /* index into the pools of the model or request */
    uint32_t padding;
    uint64_t offset;
    uint64_t length;
};

/* ---- Model ----------------------------------------------------------------------------------- */

/* An operand has one writer at most, which stands before its readers. */
#define HY_LIFETIME_TEMPORARY     0 /* written by one operation, read by others; location unused */
#define HY_LIFETIME_INPUT         1 /* input of its subgraph */
#define HY_LIFETIME_OUTPUT        2 /* output of its subgraph; later operations may read it too */
#define HY_LIFETIME_CONSTANT_COPY 3 /* location.offset/length inside hy_model.values */
#define HY_LIFETIME_CONSTANT_POOL 4 /* location inside hy_model.pools */
#define HY_LIFETIME_NO_VALUE      5 /* an optional argument that was left out */
#define HY_LIFETIME_SUBGRAPH      6 /* location.offset = index into hy_model.referenced */

struct hy_operand {
    int32_t type;         /* OperandCode, or an extension type: prefix << 16 | code */
    int32_t lifetime;     /* HY_LIFETIME_* */
    uint32_t rank;        /* 0: a scalar, or a tensor of unknown rank */
    uint32_t channel_dim; /* per-channel quantisation: the dimension that the scales belong to */
    const uint32_t *dims; /* rank entries; 0 = unknown extent. NULL when rank is 0 */
    float scale;          /* quantised types: real = scale * (q - zero_point) */
    int32_t zero_point;
    struct hy_location location;
    const float *channel_scales; /* TENSOR_QUANT8_SYMM_PER_CHANNEL only, else NULL */
    const void *extension_data;  /* extension types only, else NULL */
    uint32_t channel_count;      /* entries of channel_scales */
    uint32_t extension_length;   /* bytes of extension_data */
};

struct hy_operation {
    int32_t type; /* OperationCode, or an extension operation: prefix << 16 | code */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
    const uint32_t *inputs;  /* operand indices of the same subgraph */
    const uint32_t *outputs; /* operand indices of the same subgraph */
};

struct hy_subgraph {
    uint32_t struct_size;
    uint32_t operand_count;
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
    const struct hy_operand *operands;
    const struct hy_operation *operations; /* in an order in which they can run */
    const uint32_t *inputs;                /* operand indices */
    const uint32_t *outputs;               /* operand indices */
};

/* Numbers above 0xffff in operand, operation and hint codes: code & 0xffff belongs to the extension
 * that has this prefix. One prefix, one name. */
struct hy_extension_prefix {
    const char *name;
    uint32_t prefix;
    uint32_t reserved;
};

struct hy_model {
    uint32_t struct_size;
    uint32_t relaxed_float; /* 1: float32 may be computed with float16 range and precision */
    const struct hy_subgraph *main;
    const struct hy_subgraph *const *referenced; /* bodies of IF and WHILE; no cycles */
    const uint8_t *values;                       /* small constants, 4-byte aligned each */
    const struct hy_pool *pools;
    const struct hy_extension_prefix *extensions;
    uint64_t values_size; /* bytes */
    uint32_t referenced_count;
    uint32_t pool_count;
    uint32_t extension_count;
    uint32_t feature_level; /* 1..8: the lowest level that has all of this model */
};

/* ---- What a device is ------------------------------------------------------------------------ */

/* Time and energy of work relative to Halyard's own CPU device (= 1.0); smaller is better, both >
 * 0. */
struct hy_performance {
    float exec_time;
    float power_usage;
};

struct hy_operand_performance {
    int32_t type; /* the type of an operation's first operand */
    struct hy_performance performance;
};

struct hy_capabilities {
    uint32_t struct_size;
    uint32_t operand_count;
    const struct hy_operand_performance
        *operands;                        /* ascending by type; owned by the driver, constant.
                                             A type not listed: as slow as can be */
    struct hy_performance relaxed_scalar; /* float32 scalars computed with float16 precision */
    struct hy_performance relaxed_tensor; /* the same for tensors */
    struct hy_performance if_overhead;
    struct hy_performance while_overhead;
    uint64_t launch_ns; /* fixed cost of starting one execution; 0 = unknown */
    uint64_t
        bytes_per_second; /* of moving tensors to and from the device; 0 = no transfer needed */
};

struct hy_extension_operand_type {
    uint16_t code;
    uint16_t is_tensor; /* 1 or 0 */
    uint32_t byte_size; /* of one element; > 0 */
};

/* Listed only if all of its operations and operand types are supported. */
struct hy_extension {
    const char
        *name; /* lower-case letters, digits, '.', '_'; a reverse domain first: "com.acme.fft" */
    const struct hy_extension_operand_type *operand_types;
    uint32_t operand_type_count;
    uint32_t reserved;
};

struct hy_device_info {
    uint32_t struct_size;
    int32_t type;           /* HY_DEVICE_* */
    const char *name;       /* "vendor-device", unique on the machine, not empty */
    const char *version;    /* of the driver; not empty; changes whenever results or caches may */
    const char *build_id;   /* names the build exactly, part of every cache token; may be "" */
    uint32_t feature_level; /* 1..8: the highest NNAPI feature level that the device knows */
    uint32_t
        model_cache_files; /* files needed to cache one prepared model, <= HY_MAX_CACHE_FILES; */
    uint32_t data_cache_files; /* 0 of both = this device does not cache */
    uint32_t extension_count;
    const struct hy_extension *extensions;
    /* Kinds of pools that the device decodes, a bit 1 << HY_POOL_* for each: HOST, HARDWARE_BUFFER
     * and the three that are every driver's duty. 0: HOST and those three. BUFFER has no bit: a
     * device decodes it if it has the buffer group, and then only tokens of its own. */
    uint32_t pool_kinds;
    /* Where bursts are queues between processes: how many requests of one prepared model may be in
     * one queue at once, at most HY_MAX_BURST_DEPTH; 0 = 1. burst_execute is still called for one
     * after the other (R7); a burst_serve that says more than 1 may answer them in any order. */
    uint32_t burst_depth;
};

/* ---- Asking and preparing -------------------------------------------------------------------- */

/* Takes a driver's reasons for refusing operations. The text is copied. */
struct hy_refusals {
    uint32_t struct_size;
    uint32_t reserved;
    void *context;
    void (*refuse)(void *context, uint32_t operation, const char *reason);
};

/* Vendor hints for one compilation or execution: unknown ones are ignored. */
struct hy_hint {
    uint32_t token; /* extension prefix << 16 | attribute code */
    uint32_t length;
    const void *data;
};

/* Room for the words behind a failing status. The driver writes at most `size` bytes, NUL included.
 */
struct hy_message {
    char *text;
    uint64_t size;
};

struct hy_prepare_options {
    uint32_t struct_size;
    int32_t preference; /* HY_PREFER_* */
    int32_t priority;   /* HY_PRIORITY_*: against other work of the same app on the same device */
    uint32_t hint_count;
    int64_t deadline;
    const struct hy_hint *hints;
    /* Cache files, open for reading and writing, at any offset and of any length: truncate before
     * writing. Both counts 0, or exactly those of hy_device_info. They belong to the caller, who
     * may close them after the call; dup() to keep. Trouble with them never fails a prepare. Data
     * cache: constants; a change there may at worst give wrong numbers. Model cache: what steers
     * execution; the driver must notice any change before it uses it (hy_host.digest_find helps).
     */
    const int32_t *model_cache;
    const int32_t *data_cache;
    uint32_t model_cache_count;
    uint32_t data_cache_count;
    const uint8_t
        *token; /* HY_TOKEN_SIZE bytes that identify this prepared model; NULL without cache */
    /* Prefixes of all extensions that the device lists: for the tokens of `hints`, here and in
     * hy_run_options. */
    const struct hy_extension_prefix *extensions;
    uint32_t extension_count;
    uint32_t reserved;
    struct hy_message message; /* text may be NULL */
};

/* ---- Requests and results -------------------------------------------------------------------- */

#define HY_ARGUMENT_NO_VALUE \
    1u /* an optional input or output that was left out; all else is zero */

struct hy_argument {
    uint32_t flags; /* HY_ARGUMENT_* */
    uint32_t rank;
    const uint32_t
        *dims; /* NULL with rank 0: as in the model. Inputs: complete; a 0 with length 0 is a tensor
                  of no elements, which another step made. Outputs: 0 = unknown */
    struct hy_location location; /* outputs of unknown shape: length is the room there is */
};

/* Inputs may share bytes; an output overlaps nothing else. A shape that contradicts the model's is
 * INVALID_ARGUMENT, as is an input of another length; an output may be longer than its tensor. */
struct hy_request {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t pool_count;
    const struct hy_argument *inputs;  /* in the order of the main subgraph's inputs */
    const struct hy_argument *outputs; /* in the order of the main subgraph's outputs */
    const struct hy_pool *pools;
};

struct hy_run_options {
    uint32_t struct_size;
    uint32_t measure; /* 1: fill the times of hy_result */
    int64_t deadline;
    uint64_t loop_timeout; /* ns for each WHILE, <= 15 s, from its start */
    uint64_t duration;     /* fenced only: ns from "all fences signalled"; 0 = unlimited */
    const struct hy_hint *hints;
    uint32_t hint_count;
    uint32_t reserved;
    struct hy_message message; /* text may be NULL */
    /* Memory for this execution alone, of any content, that the driver may use until the call
     * returns, or until the reusable made with these options is destroyed; fenced: until the fence
     * signals. NULL and 0: none. See scratch_needed. */
    void *scratch;
    uint64_t scratch_bytes;
};

/* What an execution needs in memory beside that of the request. */
struct hy_scratch {
    uint32_t struct_size;
    uint32_t alignment; /* a power of two, at most 64; 0 with no bytes */
    uint64_t bytes;     /* 0: none, or only the request tells */
};

struct hy_output_shape {
    uint32_t rank;
    uint32_t sufficient; /* 1: the output had room for it */
    uint32_t dims[HY_MAX_RANK];
};

/*
 * The caller sets struct_size, outputs and output_count (as in the request). The driver fills
 * `outputs` with HY_STATUS_OK and HY_STATUS_OUTPUT_INSUFFICIENT_SIZE, and then for every output.
 * The true shape is told also where the room was too small. Times: HY_NO_TIME unless measured; on
 * device <= in driver.
 */
struct hy_result {
    uint32_t struct_size;
    uint32_t output_count;
    struct hy_output_shape *outputs;
    uint64_t time_on_device;
    uint64_t time_in_driver;
};

struct hy_fenced_result {
    uint32_t struct_size;
    int32_t status;              /* final status of the execution */
    uint64_t launched_on_device; /* from the call */
    uint64_t launched_in_driver;
    uint64_t fenced_on_device; /* from "all fences signalled" */
    uint64_t fenced_in_driver;
};

/* ---- Driver-managed memory ------------------------------------------------------------------- */

struct hy_buffer_role {
    uint32_t prepared;  /* index into hy_buffer_desc.prepared */
    uint32_t is_output; /* 0: input number `index`, 1: output number `index` */
    uint32_t index;
    float frequency; /* how likely this role is per execution, in (0, 1] */
};

struct hy_buffer_desc {
    uint32_t struct_size;
    uint32_t rank;         /* 0 = unknown */
    const uint32_t *dims;  /* what all roles and the app say together; 0 = unknown */
    void *const *prepared; /* prepared models of this device, each once; they outlive the buffer */
    const struct hy_buffer_role *roles;
    uint32_t prepared_count;
    uint32_t role_count;
};

/* ---- Bursts on raw queues -------------------------------------------------------------------- */

/*
 * The two rings of a burst between processes, for a driver that reads them itself:
 * docs/queue-format.md says what lies in them, byte by byte, and what a reader has to check. Mapped
 * by the host; shared with a peer that is not trusted. The functions are called by the thread that
 * serves, with `context`; `wait` and `wake` spare a driver the futexes of the rings, not the
 * counters.
 */
struct hy_burst_queues {
    uint32_t struct_size;
    uint32_t version; /* of the queue format */
    void *requests;
    void *results;
    uint64_t request_bytes;
    uint64_t result_bytes;
    int32_t peer_fd; /* polls hung up when the peer is gone; -1: there is none */
    uint32_t reserved;
    void *context;

    /* For a request that says how many notices come before it, whatever becomes of it, and before
     * its slots are looked up: reads them. What was freed meanwhile goes to burst_release of
     * hy_device, on the same thread. An error is the answer to the request. */
    int32_t (*catch_up)(void *context, uint32_t notices);

    /* The memory that a slot names now; it is mapped with hy_host.map, and stays valid until the
     * request is answered. INVALID_ARGUMENT: the slot names nothing. */
    int32_t (*find_memory)(void *context, int32_t slot, struct hy_pool *pool);

    /* Returns when the count of written elements of `requests` is not `read`; spins for a while,
     * then sleeps. DEAD_OBJECT: the peer is gone or the host wants an end; serving is over. */
    int32_t (*wait)(void *context, uint32_t read);

    /* After the count of written elements of `results` or of read ones of `requests` was stored:
     * wakes the peer if it sleeps. */
    void (*wake)(void *context);
};

/* ---- Cache files ----------------------------------------------------------------------------- */

/* Bytes of whoever passes them. `data` may be NULL with no bytes. */
struct hy_bytes {
    const void *data;
    uint64_t length;
};

/* The cache files of one prepared model: those of hy_prepare_options or cache_begin. Both counts
 * as in hy_device_info. */
struct hy_cache_files {
    uint32_t struct_size;
    uint32_t model_count;
    uint32_t data_count;
    uint32_t reserved;
    const uint8_t *token;
    const int32_t *model;
    const int32_t *data;
};

/* What cache_restore gives: as many entries as there are files, read-only, 64-byte aligned, until
 * cache_release. The driver sets struct_size, the rest is the host's. */
struct hy_restored {
    uint32_t struct_size;
    uint32_t reserved;
    const struct hy_bytes *model; /* private: checked, and nobody else can change it */
    const struct hy_bytes *data;  /* may change under the driver's eyes */
    void *handle;
};

/* ---- What the host offers a driver ----------------------------------------------------------- */

/*
 * Valid from create until destroy of the driver instance; every function may be called from any
 * thread; `context` is the first argument of each. Optional members may be NULL (HY_HAS).
 */
struct hy_host {
    uint32_t struct_size;
    uint32_t abi; /* HY_DRIVER_ABI of the host */
    void *context;

    /* Writes one line to the host's log, if its level is on. */
    void (*log)(void *context, int32_t level, const char *text);

    /*
     * Gives the address of a pool. `protection` (HY_PROTECT_*) must lie within the pool's. The
     * address stays valid as long as what the pool came with: a model's until the prepared model is
     * destroyed, a request's until the call returns or its fence signals. There is nothing to undo.
     * No system call is made for memory that the host has mapped already.
     * Errors: INVALID_ARGUMENT (kind, protection, size), GENERAL_FAILURE (not mappable).
     */
    int32_t (*map)(void *context, const struct hy_pool *pool, uint32_t protection, void **address);

    /* Threads that `parallel` may use, the caller included; at least 1, constant. */
    uint32_t (*worker_count)(void *context);

    /* Calls task(argument, i) once for each i < count, on workers and on the caller, and returns
     * when all are done. When the workers are busy, and inside of a task, the caller does it alone.
     */
    void (*parallel)(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument);

    /*
     * Optional: the persistent map from a token to the digest of its model cache. It survives
     * restarts, belongs to one user and one driver, and is emptied when the driver's version or
     * build changes. A driver that uses cache_save and cache_restore needs neither.
     * digest_find: GENERAL_FAILURE when there is none.
     */
    int32_t (*digest_store)(void *context, const uint8_t *token, const uint8_t *digest);
    int32_t (*digest_find)(void *context, const uint8_t *token, uint8_t *digest);

    /*
     * Optional: the cache engine, for drivers that cache by themselves, whether or not the app asks
     * for caching: blobs by key, kept per user and driver, shared by processes, emptied when the
     * driver's version or build changes, checked for integrity, the least recently used going first
     * when there are too many bytes. Keys of 1 to HY_MAX_BLOB_KEY bytes, blobs of at most
     * HY_MAX_BLOB bytes: else INVALID_ARGUMENT. blob_store replaces; GENERAL_FAILURE where it
     * cannot. blob_load writes the blob if `room` is enough for all of it, and always tells its
     * length; 0 = there is none. blob_remove: a driver frees what it no longer needs; OK also if
     * there is none.
     */
    int32_t (*blob_store)(void *context, const void *key, uint64_t key_length, const void *blob,
                          uint64_t blob_length);
    int32_t (*blob_load)(void *context, const void *key, uint64_t key_length, void *blob,
                         uint64_t room, uint64_t *blob_length);

    /*
     * Optional: a new cache entry in the place of the one of a prepared model, after prepare has
     * returned. begin, from then until prepared_destroy, opens new empty files (counts as in
     * hy_device_info; the host's own, valid until commit); commit publishes them whole, with `keep`
     * 0 it drops them. The published entry is never written again: those who use it keep it.
     * Errors of begin: GENERAL_FAILURE (no caching for this token, somebody else is at it, a full
     * disk): nothing to commit then.
     */
    int32_t (*cache_begin)(void *context, const uint8_t *token, int32_t *model_cache,
                           int32_t *data_cache, void **update);
    int32_t (*cache_commit)(void *context, void *update, uint32_t keep);

    int32_t (*blob_remove)(void *context, const void *key, uint64_t key_length);

    /*
     * Optional: what the two kinds of cache file ask of a driver, done. save writes each file whole
     * from memory of the driver's, after it has recorded a cryptographic digest of the model cache
     * under the token. restore gives the model cache as a private copy that has been checked
     * against that digest after it was copied, and the data cache mapped, or copied where nothing
     * vouches for the files; cache_release ends it. Errors of restore: GENERAL_FAILURE (no digest,
     * another digest, unreadable): the driver fails prepare_from_cache then. Errors of save:
     * GENERAL_FAILURE; the files hold nothing of use then.
     */
    int32_t (*cache_save)(void *context, const struct hy_cache_files *files,
                          const struct hy_bytes *model, const struct hy_bytes *data);
    int32_t (*cache_restore)(void *context, const struct hy_cache_files *files,
                             struct hy_restored *restored);
    void (*cache_release)(void *context, struct hy_restored *restored);

    /*
     * Optional: for a driver that writes to the cache files after prepare has returned, through
     * descriptors that it has duplicated. cache_keep_open, called during prepare, says so: the
     * files of the token become the entry as they are then, without a digest of the host's, and the
     * driver checks what it reads. Every later access, by any process, is between cache_lock
     * (`exclusive` 1 to write, else 0; waits until `deadline`) and cache_unlock.
     */
    int32_t (*cache_keep_open)(void *context, const uint8_t *token);
    int32_t (*cache_lock)(void *context, int32_t fd, uint32_t exclusive, int64_t deadline);
    void (*cache_unlock)(void *context, int32_t fd);

    /*
     * Optional: runs the task once on a thread of the host's when nothing else wants it: for work
     * that nobody waits for. What it uses has to be there until it has run: a prepared model that
     * is destroyed before leaves its task something that says so. Tasks that still wait when the
     * instance goes are run first, and one that runs is waited for: at destroy there are none, and
     * the library is never unloaded under one. GENERAL_FAILURE: it will not run.
     */
    int32_t (*later)(void *context, void (*task)(void *argument), void *argument);
};

/* ---- What a driver offers -------------------------------------------------------------------- */

/*
 * One device. Members from describe to execute are required, the rest may be NULL together by
 * group. `device` is what hy_driver.device gave; it lives as long as the driver instance.
 */
struct hy_device {
    uint32_t struct_size;
    uint32_t abi; /* HY_DRIVER_ABI the driver was built with */

    /*
     * Constant for the life of the instance; the strings and arrays belong to the driver, as long
     * as that. The caller sets struct_size to the room there is, at least that of 1.0; the driver
     * fills what fits and sets it to what it filled: hy_fill does both.
     */
    int32_t (*describe)(void *device, struct hy_device_info *info);
    int32_t (*capabilities)(void *device, struct hy_capabilities *capabilities);

    /*
     * Writes 1 or 0 for each operation of the main subgraph: 0 whenever in doubt; IF and WHILE are
     * 1 only if all that they refer to is supported. A reason is told for every 0. The answer for
     * one model never changes, and an operation said to be supported must prepare. Errors:
     * INVALID_ARGUMENT (an invalid model), DEVICE_UNAVAILABLE, GENERAL_FAILURE.
     */
    int32_t (*supported_operations)(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals);

    /*
     * Compiles a model. Only tensor extents may be unknown at this point. The model view is gone
     * after the call; its pools (and what they point to) live until prepared_destroy. Errors:
     * INVALID_ARGUMENT, MISSED_DEADLINE_*, RESOURCE_EXHAUSTED_*, DEVICE_UNAVAILABLE,
     * GENERAL_FAILURE.
     */
    int32_t (*prepare)(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared);
    void (*prepared_destroy)(void *prepared);

    /*
     * Runs a prepared model once and returns when it is done. Any number of threads may call it on
     * one prepared model. Inputs are not modified. If all shapes are known and the inputs are
     * legal, it succeeds. Errors: all of HY_STATUS_*.
     */
    int32_t (*execute)(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

    /* Optional: compiles from cache files alone. Any error means: prepare from the model instead.
     */
    int32_t (*prepare_from_cache)(void *device, const struct hy_prepare_options *options,
                                  void **prepared);

    /* Optional: blocks until a device that was unavailable answers again. */
    int32_t (*wait)(void *device, int64_t deadline);

    /*
     * Optional group: fenced execution. Starts when every fd of `wait_for` polls readable (an fd in
     * error: INVALID_ARGUMENT at once, or failure later). `*fence` becomes an fd that polls
     * readable when the work is done and in error when it failed, owned by the caller, or -1 if it
     * is done already. fenced_result is meaningful after that; before it: GENERAL_FAILURE. The
     * request's memory stays valid until the fence signals.
     */
    int32_t (*execute_fenced)(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **fenced);
    int32_t (*fenced_result)(void *fenced, struct hy_fenced_result *result);
    void (*fenced_destroy)(void *fenced); /* waits for the end of the work first */

    /*
     * Optional group: bursts. While one is open, executions follow quickly: stay in a
     * high-performance state. Pools with an id may be kept mapped until burst_release names the id,
     * which may come from any thread, also during an execution that uses other memory.
     */
    int32_t (*burst_open)(void *prepared, void **burst);
    int32_t (*burst_execute)(void *burst, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result);
    void (*burst_release)(void *burst, uint64_t pool_id);
    void (*burst_close)(void *burst);

    /* Optional: a burst that the driver serves itself, directly on the two queues. Writes `*burst`
     * before it looks at them, and returns when serving has ended: the peer has closed the burst,
     * broken the rules of the queues, or is gone. burst_close follows; burst_release may come from
     * queues->catch_up. An error without `*burst`: the host serves, with the other members. */
    int32_t (*burst_serve)(void *prepared, const struct hy_burst_queues *queues, void **burst);

    /*
     * Optional group: one request, checked and mapped once, run many times (one run at a time). The
     * request and the memory behind it stay valid until reusable_destroy; contents may change
     * between runs. The options hold for all runs, but for deadline and duration, which come with
     * each, and the message, which is for this call; of them only the scratch memory outlives it.
     */
    int32_t (*reusable_create)(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **reusable);
    int32_t (*reusable_execute)(void *reusable, int64_t deadline, struct hy_result *result);
    int32_t (*reusable_execute_fenced)(void *reusable, int64_t deadline, uint64_t duration,
                                       const int32_t *wait_for, uint32_t wait_count, int32_t *fence,
                                       void **fenced);
    void (*reusable_destroy)(void *reusable);

    /*
     * Optional group: memory of the driver's own, for the roles given. `*token` > 0 names it in
     * hy_pool.buffer_token, unique among the live buffers of the device. It may be read only after
     * an execution or a copy has written it, and no more after one that failed. copy_from and
     * copy_to take a pool of exactly the buffer's byte size, of any kind that the device decodes;
     * `dims`, always complete, is what copy_from makes its shape. The source may also be another
     * buffer of the device: a HY_POOL_BUFFER, whose bytes need not leave it then. INVALID_ARGUMENT:
     * the driver has no way to do that, and the host copies through memory that it shares. A buffer
     * may be named by any number of requests at once, also while it is copied; what they see of one
     * another's writing is open, but nothing else.
     */
    int32_t (*buffer_create)(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **buffer);
    int32_t (*buffer_copy_from)(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank);
    int32_t (*buffer_copy_to)(void *buffer, const struct hy_pool *destination);
    void (*buffer_destroy)(void *buffer);

    /*
     * Optional, for drivers whose executions compute in memory of this process: how much an
     * execution of the prepared model needs. Constant. The host may give that much, aligned so, in
     * hy_run_options, where it shares it between the steps of a plan; it may also give less or
     * nothing, and then the driver uses memory of its own as it does without this member.
     */
    int32_t (*scratch_needed)(void *prepared, struct hy_scratch *scratch);

    /* Optional, for a device that keeps memory mapped or registered under its id beyond a call: the
     * memory has gone, and its id never comes again. From any thread, at any time. */
    void (*memory_gone)(void *device, uint64_t pool_id);
};

/* A driver library: makes instances, each with one device or several. */
struct hy_driver {
    uint32_t struct_size;
    uint32_t abi;     /* HY_DRIVER_ABI the driver was built with */
    const char *name; /* of the library, static: "acme-npu" */

    /*
     * Makes an instance for one manifest. `arguments` is the manifest's "arguments" object as JSON
     * text
     * ("{}" where it has none). `message` takes the words of a failure.
     * Errors: INVALID_ARGUMENT (arguments), DEVICE_UNAVAILABLE (no such hardware here),
     * GENERAL_FAILURE.
     */
    int32_t (*create)(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance);
    void (*destroy)(void *instance); /* after everything made through it is gone */

    /* How many devices the instance has (>= 1), and device number `index`. Constant. Neither
     * `instance` nor `device` may be NULL. */
    uint32_t (*device_count)(void *instance);
    int32_t (*device)(void *instance, uint32_t index, const struct hy_device **table,
                      void **device);
};

/*
 * The one exported symbol. Pure: no side effects, may be called at any time. Gives the driver's
 * static table, or NULL where the host cannot serve it: `host_abi` has another major number, or a
 * minor one below what the driver needs. A later minor number is none of its business.
 */
#define HY_DRIVER_QUERY_SYMBOL "hy_driver_query"
typedef const struct hy_driver *(*hy_driver_query_fn)(uint32_t host_abi);

#if defined(__GNUC__)
#define HY_DRIVER_EXPORT __attribute__((visibility("default")))
#else
#define HY_DRIVER_EXPORT
#endif
HY_DRIVER_EXPORT const struct hy_driver *hy_driver_query(uint32_t host_abi);

/* ---- Frozen layout --------------------------------------------------------------------------- */

/* Sizes and last members as they are on every 64-bit ABI; a change here is a change of the ABI. */
#define HY_LAYOUT(name, size, last, offset) \
    HY_STATIC_ASSERT(sizeof(struct name) == (size) && offsetof(struct name, last) == (offset), \
                     "layout of struct " #name)
#if UINTPTR_MAX == UINT64_MAX
HY_LAYOUT(hy_image, 32, usage, 24);
HY_LAYOUT(hy_pool, 56, image, 48);
HY_LAYOUT(hy_location, 24, length, 16);
HY_LAYOUT(hy_operand, 80, extension_length, 76);
HY_LAYOUT(hy_operation, 32, outputs, 24);
HY_LAYOUT(hy_subgraph, 56, outputs, 48);
HY_LAYOUT(hy_extension_prefix, 16, reserved, 12);
HY_LAYOUT(hy_model, 72, feature_level, 68);
HY_LAYOUT(hy_performance, 8, power_usage, 4);
HY_LAYOUT(hy_operand_performance, 12, performance, 4);
HY_LAYOUT(hy_capabilities, 64, bytes_per_second, 56);
HY_LAYOUT(hy_extension_operand_type, 8, byte_size, 4);
HY_LAYOUT(hy_extension, 24, reserved, 20);
HY_LAYOUT(hy_device_info, 64, burst_depth, 60);
HY_LAYOUT(hy_refusals, 24, refuse, 16);
HY_LAYOUT(hy_hint, 16, data, 8);
HY_LAYOUT(hy_message, 16, size, 8);
HY_LAYOUT(hy_prepare_options, 96, message, 80);
HY_LAYOUT(hy_argument, 40, location, 16);
HY_LAYOUT(hy_request, 40, pools, 32);
HY_LAYOUT(hy_run_options, 80, scratch_bytes, 72);
HY_LAYOUT(hy_scratch, 16, bytes, 8);
HY_LAYOUT(hy_output_shape, 72, dims, 8);
HY_LAYOUT(hy_result, 32, time_in_driver, 24);
HY_LAYOUT(hy_fenced_result, 40, fenced_in_driver, 32);
HY_LAYOUT(hy_buffer_role, 16, frequency, 12);
HY_LAYOUT(hy_buffer_desc, 40, role_count, 36);
HY_LAYOUT(hy_burst_queues, 88, wake, 80);
HY_LAYOUT(hy_bytes, 16, length, 8);
HY_LAYOUT(hy_cache_files, 40, data, 32);
HY_LAYOUT(hy_restored, 32, handle, 24);
HY_LAYOUT(hy_host, 160, later, 152);
HY_LAYOUT(hy_device, 216, memory_gone, 208);
HY_LAYOUT(hy_driver, 48, device, 40);
#endif

#ifdef __cplusplus
}
#endif

#endif
