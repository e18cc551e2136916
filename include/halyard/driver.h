/*
 * The Halyard driver ABI, version 1.1: every function and struct that passes between a driver and
 * the runtime. Version 1.0 is frozen: its members keep their offsets and meanings as long as the
 * major number is 1 (docs/driver-abi.md). Members of later versions are marked with "since".
 *
 * A driver is a shared library with one exported symbol, hy_driver_query(), and a JSON manifest
 * that names the library. A driver includes this header and links to no library of Halyard. The
 * runtime passes log, memory mapping, worker threads and cache through struct hy_host. The same
 * library runs in the app's process or in a process of its own; the driver sees no difference.
 *
 * Rules for every function and struct
 *   R1  Growth. Every table and every struct that may grow starts with struct_size, set by the side
 *       that fills the struct. New members are added at the end only. Read a member only if it lies
 *       inside struct_size: HY_HAS checks a function, HY_REACHES any other member. Members of
 *       version 1.0 always lie inside. For a result in a struct of the caller, struct_size is the
 *       capacity: write no byte behind it, and set it to the number of bytes written (hy_fill).
 *   R2  Arrays. Elements of arrays never grow. A new property of an element is added as a parallel
 *       array at the end of the struct that holds the array.
 *   R3  Types. No errno, FILE, bool, enum or bit-field is part of the ABI. Flags and codes are
 *       integers; an unknown value is refused, not guessed. Reserved members are written as zero
 *       and not read. A constant added in minor version n is only sent to a peer whose `abi` is n
 *       or higher.
 *   R4  Ownership. The side that allocates also frees. Memory behind a pointer belongs to the
 *       caller and is valid only during the call, unless the comment of the member says otherwise.
 *       Strings are UTF-8 and end in NUL.
 *   R5  Trust. Views are read-only and untrusted: a driver checks indices, offsets and sizes before
 *       their use. The runtime checks every result of a driver in the same way.
 *   R6  Errors. A call returns HY_STATUS_OK or an error, and writes its outputs only with
 *       HY_STATUS_OK. The two exceptions are hy_result with HY_STATUS_OUTPUT_INSUFFICIENT_SIZE, and
 *       `*burst` of burst_serve. No object exists after an error. A destroy or close function gets
 *       every object once, and never NULL.
 *   R7  Threads. Different objects may be used from different threads at once; also one device (any
 *       call) and one prepared model (any number of executions). A burst, a reusable execution and
 *       a buffer serve one call at a time. Callbacks of a call (`refuse`, the functions of
 *       hy_burst_queues) are called on the thread of the call, before the call returns.
 *   R8  Process. A driver never aborts, exits, changes signal handlers or writes to stdout or
 *       stderr.
 *   R9  Time. Deadlines are nanoseconds of CLOCK_BOOTTIME, and HY_NO_DEADLINE means none. Durations
 *       are nanoseconds. A missed deadline is HY_STATUS_MISSED_DEADLINE_TRANSIENT or _PERSISTENT.
 *
 * Values of operand types, operation types, activation and padding codes are those of
 * <android/NeuralNetworks.h>; this header does not repeat them.
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

/* A version of the ABI as a number. */
#define HY_ABI(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))
#define HY_ABI_MAJOR(abi)    ((uint32_t)(abi) >> 16)   /* the major number of a version */
#define HY_ABI_MINOR(abi)    ((uint32_t)(abi)&0xffffu) /* the minor number of a version */

/* The version of this header. Host and driver of one major number work together, whatever their
 * minor numbers are; another major number has another symbol than hy_driver_query. */
#define HY_DRIVER_ABI HY_ABI(1, 1)

/* Bytes of a struct up to and with the member. */
#define HY_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* True when the table `t` has the function `fn`. A table of an older version ends before `fn`; an
 * optional function may be NULL. */
#define HY_HAS(t, fn) (HY_REACHES(t, fn) && (t)->fn != NULL)

/* True when the struct `t` has the member, whatever its value is. For members that are no
 * functions. */
#define HY_REACHES(t, member) (HY_SIZE_UP_TO(__typeof__(*(t)), member) <= (t)->struct_size)

/* Copies `from` to `to`, a struct of the caller: at most the struct_size bytes of either. Both
 * structs begin with struct_size. Afterwards struct_size of `to` is the number of bytes copied. */
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

/*
 * The word `cancelled` of options of any version, or NULL. The host sets the word to a value other
 * than 0, from any thread, when the result of the call is no longer wanted. The host may set the
 * word back to 0 at any time, so a driver that looks twice may see both values. A driver that sees
 * the word set ends the call soon, with HY_STATUS_MISSED_DEADLINE_TRANSIENT.
 */
#define HY_CANCELLED_WORD(options) (HY_REACHES(options, cancelled) ? (options)->cancelled : NULL)

/* Whether the word is set: one relaxed load. NULL: never. */
static inline int hy_is_cancelled(const uint32_t *word)
{
    return word && __atomic_load_n(word, __ATOMIC_RELAXED) != 0;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

/* Status of a call: the ErrorStatus of the NNAPI driver interfaces. Any other value that a driver
 * returns counts as HY_STATUS_GENERAL_FAILURE. */
#define HY_STATUS_OK                            0 /* success */
#define HY_STATUS_DEVICE_UNAVAILABLE            1 /* offline or busy; a retry may help */
#define HY_STATUS_GENERAL_FAILURE               2 /* anything not listed here */
#define HY_STATUS_OUTPUT_INSUFFICIENT_SIZE      3 /* an output is too small; shapes are reported */
#define HY_STATUS_INVALID_ARGUMENT              4 /* the caller's mistake; a retry cannot help */
#define HY_STATUS_MISSED_DEADLINE_TRANSIENT     5 /* a retry soon may be in time */
#define HY_STATUS_MISSED_DEADLINE_PERSISTENT    6 /* a retry will miss the deadline as well */
#define HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT  7 /* too little memory; a retry soon may help */
#define HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT 8 /* too little memory; a retry cannot help */
#define HY_STATUS_DEAD_OBJECT                   9 /* the device is gone for good (a dead service) */

/* Kinds of devices, as DeviceTypeCode. */
#define HY_DEVICE_OTHER       1 /* none of the others */
#define HY_DEVICE_CPU         2 /* cores of a processor */
#define HY_DEVICE_GPU         3 /* a graphics processor */
#define HY_DEVICE_ACCELERATOR 4 /* hardware made for neural networks */

/* Optimization goals of a prepare, as PreferenceCode. */
#define HY_PREFER_LOW_POWER          0 /* least energy */
#define HY_PREFER_FAST_SINGLE_ANSWER 1 /* the shortest time to one result */
#define HY_PREFER_SUSTAINED_SPEED    2 /* the most results per second over a long time */

/* Priorities of prepared models, relative to other work of the same app on the same device. */
#define HY_PRIORITY_LOW    0 /* after everything else */
#define HY_PRIORITY_MEDIUM 1 /* ordinary work */
#define HY_PRIORITY_HIGH   2 /* before everything else */

/* Levels of hy_host.log. */
#define HY_LOG_ERROR   0 /* something failed */
#define HY_LOG_WARNING 1 /* something is wrong, and work goes on */
#define HY_LOG_INFO    2 /* events that an operator may want to see */
#define HY_LOG_DEBUG   3 /* details for developers */

#define HY_NO_DEADLINE ((int64_t)-1) /* a deadline that never comes */
#define HY_NO_TIME     UINT64_MAX    /* a duration that is unknown or was not asked for */

/* Limits. */
#define HY_MAX_RANK            16u    /* tensors of a higher rank never reach a driver */
#define HY_MAX_DEVICES         64u    /* devices of one instance */
#define HY_MAX_TEXT            255u   /* bytes of each string of hy_device_info, without the NUL */
#define HY_MAX_EXTENSIONS      256u   /* extensions of one device */
#define HY_MAX_EXTENSION_TYPES 65536u /* operand types of one extension */
#define HY_MAX_FIGURES         256u   /* entries of hy_capabilities.operands */
#define HY_MAX_CACHE_FILES     32u    /* files of each kind of one prepared model */
#define HY_MAX_BURST_DEPTH     64u    /* requests in the queue of one burst */
#define HY_MAX_AWAKE_NS        UINT64_C(1000000) /* a burst is idle after 1 ms without execution */
#define HY_TOKEN_SIZE          32u               /* bytes of a token of a prepared model */
#define HY_DIGEST_SIZE         32u               /* bytes of a digest of a model cache */
#define HY_MAX_BLOB_KEY        512u              /* bytes of the key of a blob */
#define HY_MAX_BLOB            (UINT64_C(256) << 20) /* bytes of a blob */

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Kinds of memory. Every driver decodes ASHMEM, MMAP_FD and HARDWARE_BUFFER_BLOB. The driver lists
 * the other kinds it decodes in hy_device_info.pool_kinds, and gets no kind outside of the list. A
 * driver may decode a kind in part (images of one format, say). The driver then refuses the rest,
 * preferably in supported_operations. Otherwise a constant in such memory fails prepare, and an
 * input or output fails the execution, both with HY_STATUS_GENERAL_FAILURE. */

/* Memory of this process, by address; never crosses processes. */
#define HY_POOL_HOST 1u
/* Anonymous shared memory (memfd): fd, size; map shared at offset 0. */
#define HY_POOL_ASHMEM 2u
/* Any descriptor for mmap: fd, offset, size, protection. */
#define HY_POOL_MMAP_FD 3u
/* AHardwareBuffer of format BLOB: fd (dma-buf or memfd), size. */
#define HY_POOL_HARDWARE_BUFFER_BLOB 4u
/* AHardwareBuffer of another format: see hy_image; arguments only. */
#define HY_POOL_HARDWARE_BUFFER 5u
/* Driver-managed memory: buffer_token; arguments only. */
#define HY_POOL_BUFFER 6u

/* Uses of a mapping, or-ed together. */
#define HY_PROTECT_READ  1u /* the driver reads the memory */
#define HY_PROTECT_WRITE 2u /* the driver writes to the memory */

/*
 * The layout of a HY_POOL_HARDWARE_BUFFER. Layers lie one behind the other, each with `height` rows
 * that are `stride` pixels apart; docs/hardware-buffers.md has the formats. An argument in an image
 * is the whole image: its location names the pool, and the other members are 0. In the process of
 * the host, hy_host.map maps all rows; a driver that maps the fd by itself reads the size of the fd
 * first.
 */
struct hy_image {
    uint32_t width;    /* pixels */
    uint32_t height;   /* pixels */
    uint32_t layers;   /* number of layers */
    uint32_t format;   /* AHARDWAREBUFFER_FORMAT_* */
    uint32_t stride;   /* pixels from one row to the next */
    uint32_t reserved; /* 0 */
    uint64_t usage;    /* AHARDWAREBUFFER_USAGE_* */
};

/*
 * A piece of memory that a model or a request refers to: a handle, not a pointer. hy_host.map gives
 * its address. The fd belongs to the caller; a driver that needs the fd after the call duplicates
 * it.
 */
struct hy_pool {
    /* HY_POOL_* */
    uint32_t kind;
    /* HY_PROTECT_*: the widest protection of a mapping */
    uint32_t protection;
    /* -1 for kinds without a descriptor */
    int32_t fd;
    /* HY_POOL_BUFFER only, else 0 */
    uint32_t buffer_token;
    /* Names the memory during its life; a process never reuses an id. 0: unnamed memory; cache
     * nothing under it. */
    uint64_t id;
    /* Bytes from the start of the fd to the first byte, a multiple of the page size */
    uint64_t offset;
    /* Bytes. Of an image: the bytes of all mapped rows. 0: unknown (HY_POOL_BUFFER; images from an
     * older host). */
    uint64_t size;
    /* HY_POOL_HOST: the bytes. Otherwise private to the host: use hy_host.map. */
    void *address;
    /* HY_POOL_HARDWARE_BUFFER only, else NULL */
    const struct hy_image *image;
};

/* Bytes inside a pool: [offset, offset + length), then `padding` bytes that may be read and written
 * but carry no data. offset + length + padding <= size of the pool. With a length of 0, pool and
 * offset are meaningless: do not map. A HY_POOL_BUFFER is always used as a whole: `pool` names the
 * buffer, and the other members are 0. */
struct hy_location {
    uint32_t pool;    /* index into the pools of the model or request */
    uint32_t padding; /* bytes */
    uint64_t offset;  /* bytes */
    uint64_t length;  /* bytes */
};

/* ---- Model ----------------------------------------------------------------------------------- */

/* An operand has at most one writer, which precedes its readers. */
#define HY_LIFETIME_TEMPORARY     0 /* written by one operation, read by others; location unused */
#define HY_LIFETIME_INPUT         1 /* input of its subgraph */
#define HY_LIFETIME_OUTPUT        2 /* output of its subgraph; later operations may read it too */
#define HY_LIFETIME_CONSTANT_COPY 3 /* location.offset/length inside hy_model.values */
#define HY_LIFETIME_CONSTANT_POOL 4 /* location inside hy_model.pools */
#define HY_LIFETIME_NO_VALUE      5 /* an omitted optional argument */
#define HY_LIFETIME_SUBGRAPH      6 /* location.offset = index into hy_model.referenced */

/* An operand: a tensor or a scalar. */
struct hy_operand {
    /* OperandCode, or an extension type: prefix << 16 | code */
    int32_t type;
    /* HY_LIFETIME_* */
    int32_t lifetime;
    /* 0: a scalar, or a tensor of unknown rank */
    uint32_t rank;
    /* Per-channel quantization: the dimension of the scales */
    uint32_t channel_dim;
    /* `rank` entries, in elements; 0 = unknown extent. NULL when rank is 0 */
    const uint32_t *dims;
    /* Quantized types: real = scale * (q - zero_point) */
    float scale;
    int32_t zero_point;
    /* Where a constant lies; see HY_LIFETIME_* */
    struct hy_location location;
    /* TENSOR_QUANT8_SYMM_PER_CHANNEL only, else NULL */
    const float *channel_scales;
    /* Extension types only, else NULL */
    const void *extension_data;
    /* Entries of channel_scales */
    uint32_t channel_count;
    /* Bytes of extension_data */
    uint32_t extension_length;
};

/* An operation. */
struct hy_operation {
    /* OperationCode, or an extension operation: prefix << 16 | code */
    int32_t type;
    /* Entries of `inputs` and `outputs` */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
    /* Operand indices of the same subgraph */
    const uint32_t *inputs;
    const uint32_t *outputs;
};

/* A subgraph: the main graph of a model, or a body of IF or WHILE. */
struct hy_subgraph {
    uint32_t struct_size;
    /* Entries of `operands`, `operations`, `inputs` and `outputs` */
    uint32_t operand_count;
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
    /* Operands, named by their index */
    const struct hy_operand *operands;
    /* In an order in which the operations can run */
    const struct hy_operation *operations;
    /* Operand indices */
    const uint32_t *inputs;
    const uint32_t *outputs;
};

/* A prefix of codes above 0xffff of operands, operations and hints: code & 0xffff belongs to the
 * named extension. A prefix has one name. */
struct hy_extension_prefix {
    /* The name of the extension: "com.acme.fft" */
    const char *name;
    /* code >> 16 of every code of the extension */
    uint32_t prefix;
    uint32_t reserved;
};

/* A model. */
struct hy_model {
    uint32_t struct_size;
    /* 1: float32 may be computed with the range and precision of float16 */
    uint32_t relaxed_float;
    /* The graph of the model */
    const struct hy_subgraph *main;
    /* Bodies of IF and WHILE; without cycles */
    const struct hy_subgraph *const *referenced;
    /* Small constants, each aligned to 4 bytes */
    const uint8_t *values;
    /* Memory of the other constants */
    const struct hy_pool *pools;
    /* The prefixes of the codes of the model */
    const struct hy_extension_prefix *extensions;
    /* Bytes of `values` */
    uint64_t values_size;
    /* Entries of `referenced`, `pools` and `extensions` */
    uint32_t referenced_count;
    uint32_t pool_count;
    uint32_t extension_count;
    /* 1..8: the lowest feature level that has every operation and type of the model */
    uint32_t feature_level;
};

/* ---- What a device is ------------------------------------------------------------------------ */

/* Time and energy of work relative to Halyard's own CPU device (= 1.0). Smaller is better; both are
 * above 0. */
struct hy_performance {
    /* Time */
    float exec_time;
    /* Energy */
    float power_usage;
};

/* Performance of operations by the type of their first operand. */
struct hy_operand_performance {
    /* OperandCode, or an extension type */
    int32_t type;
    /* Of operations with a first operand of the type */
    struct hy_performance performance;
};

/* What a device declares of its speed. */
struct hy_capabilities {
    uint32_t struct_size;
    /* Entries of `operands`, at most HY_MAX_FIGURES */
    uint32_t operand_count;
    /* Ascending by type; owned by the driver, constant. A type that is not listed counts as the
     * slowest possible. */
    const struct hy_operand_performance *operands;
    /* float32 scalars computed with the precision of float16 */
    struct hy_performance relaxed_scalar;
    /* The same for tensors */
    struct hy_performance relaxed_tensor;
    /* IF itself, without its branches */
    struct hy_performance if_overhead;
    /* WHILE itself, without its condition and body */
    struct hy_performance while_overhead;
    /* Fixed cost of starting one execution in ns; 0 = unknown */
    uint64_t launch_ns;
    /* Speed of moving tensors to and from the device, in bytes per second; 0 = no transfer */
    uint64_t bytes_per_second;
};

/* An operand type of an extension. */
struct hy_extension_operand_type {
    /* The code within the extension */
    uint16_t code;
    /* 1 or 0 */
    uint16_t is_tensor;
    /* Bytes of one element, above 0 */
    uint32_t byte_size;
};

/* An extension of a device. A device lists an extension if the device supports all of its
 * operations and operand types. Since 1.1 a device may also list an extension that it supports in
 * part: see hy_device_info.partial_extensions. */
struct hy_extension {
    /* Lower-case letters, digits, '.' and '_'; a reverse domain first: "com.acme.fft" */
    const char *name;
    /* The operand types of the extension, operand_type_count of them */
    const struct hy_extension_operand_type *operand_types;
    uint32_t operand_type_count;
    uint32_t reserved;
};

/* What a device is. */
struct hy_device_info {
    uint32_t struct_size;
    /* HY_DEVICE_* */
    int32_t type;
    /* "vendor-device", unique on the machine, not empty */
    const char *name;
    /* The version of the driver, not empty; changes whenever results or cache files may change */
    const char *version;
    /* Names the build exactly; part of every cache token; may be "" */
    const char *build_id;
    /* 1..8: the highest NNAPI feature level of the device */
    uint32_t feature_level;
    /* Files of each kind in the cache entry of one prepared model, at most HY_MAX_CACHE_FILES. Both
     * 0: the device does not cache. */
    uint32_t model_cache_files;
    uint32_t data_cache_files;
    /* Entries of `extensions`, at most HY_MAX_EXTENSIONS */
    uint32_t extension_count;
    /* Extensions of the device */
    const struct hy_extension *extensions;
    /* Kinds of pools that the device decodes: a bit 1 << HY_POOL_* for HOST, HARDWARE_BUFFER and
     * each of the three kinds of every driver. 0: HOST and the three. BUFFER has no bit: a device
     * with the buffer group decodes its own tokens. */
    uint32_t pool_kinds;
    /* For bursts over queues between processes: the number of requests of one prepared model that
     * may be in one queue at once, at most HY_MAX_BURST_DEPTH; 0 = 1. burst_execute calls still
     * follow one another (R7). A burst_serve with a depth above 1 may complete requests in any
     * order. */
    uint32_t burst_depth;
    /* Since 1.1: a byte for each of `extensions`, or NULL for zeros. 1: the device supports a part
     * of the extension. supported_operations tells which operations. The device lists the operand
     * types of the part, and is asked about no others. 0: the device supports the whole. */
    const uint8_t *partial_extensions;
};

/* ---- Asking and preparing -------------------------------------------------------------------- */

/* Receives a driver's reasons for refusing operations, and limits the time of the call. */
struct hy_refusals {
    uint32_t struct_size;
    uint32_t reserved;
    /* First argument of `refuse` */
    void *context;
    /* Reports that `operation`, an index of the main subgraph, is refused. `reason` is copied. */
    void (*refuse)(void *context, uint32_t operation, const char *reason);
    /* Since 1.1: for supported_operations, in ns of CLOCK_BOOTTIME; 0 and HY_NO_DEADLINE: none. A
     * missed deadline is an error of the call. */
    int64_t deadline;
    /* Since 1.1: HY_CANCELLED_WORD; valid until the call returns */
    const uint32_t *cancelled;
};

/* Vendor hint for one compilation or execution. A driver ignores unknown hints. */
struct hy_hint {
    /* Extension prefix << 16 | attribute code */
    uint32_t token;
    /* Bytes of `data` */
    uint32_t length;
    /* The value of the hint */
    const void *data;
};

/* Space for the text of an error. The driver writes at most `size` bytes, including the NUL. */
struct hy_message {
    /* The space of the caller */
    char *text;
    /* Bytes of `text` */
    uint64_t size;
};

/* Options of prepare and prepare_from_cache. */
struct hy_prepare_options {
    uint32_t struct_size;
    /* HY_PREFER_* */
    int32_t preference;
    /* HY_PRIORITY_*: relative to other work of the same app on the same device */
    int32_t priority;
    /* Entries of `hints` */
    uint32_t hint_count;
    /* ns of CLOCK_BOOTTIME, or HY_NO_DEADLINE */
    int64_t deadline;
    /* Hints of the app */
    const struct hy_hint *hints;
    /* Cache files, open for reading and writing, at any offset and of any length: truncate before
     * writing. Both counts are 0, or exactly those of hy_device_info. The descriptors belong to the
     * caller, who may close them after the call; dup() a descriptor for later use. An error of a
     * cache file never fails a prepare. Data cache: constants; a change there may at worst give
     * wrong numbers. Model cache: steers execution; the driver must detect any change before its
     * use (hy_host.digest_find helps). */
    const int32_t *model_cache;
    const int32_t *data_cache;
    /* Entries of `model_cache` and `data_cache` */
    uint32_t model_cache_count;
    uint32_t data_cache_count;
    /* HY_TOKEN_SIZE bytes that identify this prepared model; NULL without cache */
    const uint8_t *token;
    /* Prefixes of all extensions that the device lists: for the tokens of `hints`, here and in
     * hy_run_options. */
    const struct hy_extension_prefix *extensions;
    /* Entries of `extensions` */
    uint32_t extension_count;
    uint32_t reserved;
    /* Receives the text of an error; text may be NULL */
    struct hy_message message;
    /* Since 1.1: HY_CANCELLED_WORD; valid until the call returns */
    const uint32_t *cancelled;
};

/* ---- Requests and results -------------------------------------------------------------------- */

/* An omitted optional input or output; the other members are zero. */
#define HY_ARGUMENT_NO_VALUE 1u

/* An input or output of an execution. */
struct hy_argument {
    /* HY_ARGUMENT_* */
    uint32_t flags;
    /* Entries of `dims` */
    uint32_t rank;
    /* `rank` entries, in elements. NULL with rank 0: as in the model. Inputs: complete; an extent
     * of 0 with length 0 is a tensor without elements, written by another step. Outputs: 0 =
     * unknown. */
    const uint32_t *dims;
    /* Of an output with unknown shape, length is the capacity in bytes. */
    struct hy_location location;
};

/* The arguments of one execution. Inputs may share bytes; an output overlaps no other argument. A
 * shape that contradicts the model is INVALID_ARGUMENT, and so is an input of another length. An
 * output may be longer than its tensor. */
struct hy_request {
    uint32_t struct_size;
    /* Entries of `inputs`, `outputs` and `pools` */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t pool_count;
    /* In the order of the main subgraph's inputs */
    const struct hy_argument *inputs;
    /* In the order of the main subgraph's outputs */
    const struct hy_argument *outputs;
    /* Memory of the arguments */
    const struct hy_pool *pools;
};

/* Options of one execution. */
struct hy_run_options {
    uint32_t struct_size;
    /* 1: fill the times of hy_result */
    uint32_t measure;
    /* ns of CLOCK_BOOTTIME, or HY_NO_DEADLINE */
    int64_t deadline;
    /* ns for each WHILE from its start, at most 15 s */
    uint64_t loop_timeout;
    /* Fenced execution only: ns from the time when all fences are signalled; 0 = unlimited */
    uint64_t duration;
    /* Hints of the app, hint_count of them */
    const struct hy_hint *hints;
    uint32_t hint_count;
    uint32_t reserved;
    /* Receives the text of an error; text may be NULL */
    struct hy_message message;
    /* Memory for this execution alone, of any content. The driver may use it until the call
     * returns, or until the reusable made with these options is destroyed; fenced: until the fence
     * signals. NULL and 0 bytes: none. See scratch_needed. */
    void *scratch;
    uint64_t scratch_bytes;
    /* Since 1.1: HY_CANCELLED_WORD. The word is valid as long as the scratch memory is, whether or
     * not there is scratch memory. For a reusable execution the word holds for all runs. */
    const uint32_t *cancelled;
};

/* Scratch memory that an execution needs in addition to the memory of its request. */
struct hy_scratch {
    uint32_t struct_size;
    /* A power of two, at most 64; 0 with no bytes */
    uint32_t alignment;
    /* 0: none, or the size depends on the request */
    uint64_t bytes;
};

/* The shape of an output after an execution. */
struct hy_output_shape {
    /* Entries of `dims` */
    uint32_t rank;
    /* 1: the output was large enough */
    uint32_t sufficient;
    /* In elements */
    uint32_t dims[HY_MAX_RANK];
};

/*
 * The result of an execution. The caller sets struct_size, outputs and output_count (as in the
 * request). With HY_STATUS_OK and HY_STATUS_OUTPUT_INSUFFICIENT_SIZE the driver fills an element of
 * `outputs` for every output. The shape is the true one also of an output that was too small.
 */
struct hy_result {
    uint32_t struct_size;
    /* Entries of `outputs` */
    uint32_t output_count;
    /* Shapes of the outputs, in the order of the request */
    struct hy_output_shape *outputs;
    /* ns, HY_NO_TIME unless measured; time_on_device <= time_in_driver */
    uint64_t time_on_device;
    uint64_t time_in_driver;
};

/* The result of a fenced execution. */
struct hy_fenced_result {
    uint32_t struct_size;
    /* Final status of the execution */
    int32_t status;
    /* ns from the call to the end; HY_NO_TIME unless measured */
    uint64_t launched_on_device;
    uint64_t launched_in_driver;
    /* ns from the time when all fences were signalled to the end; HY_NO_TIME unless measured */
    uint64_t fenced_on_device;
    uint64_t fenced_in_driver;
};

/* ---- Driver-managed memory ------------------------------------------------------------------- */

/* One use of a buffer. */
struct hy_buffer_role {
    /* Index into hy_buffer_desc.prepared */
    uint32_t prepared;
    /* 0: input number `index`, 1: output number `index` */
    uint32_t is_output;
    /* Number of the input or output */
    uint32_t index;
    /* How likely an execution has this role, in (0, 1] */
    float frequency;
};

/* What a buffer is made for. */
struct hy_buffer_desc {
    uint32_t struct_size;
    /* 0 = unknown */
    uint32_t rank;
    /* `rank` extents on which all roles and the app agree, in elements; 0 = unknown */
    const uint32_t *dims;
    /* Prepared models of this device, each once; they outlive the buffer */
    void *const *prepared;
    /* Uses of the buffer */
    const struct hy_buffer_role *roles;
    /* Entries of `prepared` and `roles` */
    uint32_t prepared_count;
    uint32_t role_count;
};

/* ---- Bursts on raw queues -------------------------------------------------------------------- */

/*
 * The two rings of a burst between processes, for a driver that reads the rings itself:
 * docs/queue-format.md defines their bytes, and the checks of a reader. The host maps the rings;
 * the peer that shares them is not trusted. The serving thread calls the functions, with `context`
 * as first argument. `wait` and `wake` handle the futexes of the rings; the driver handles the
 * counters.
 */
struct hy_burst_queues {
    uint32_t struct_size;
    /* Of the queue format */
    uint32_t version;
    /* The first bytes of the rings */
    void *requests;
    void *results;
    /* The sizes of the rings */
    uint64_t request_bytes;
    uint64_t result_bytes;
    /* Polls hung up when the peer is gone; -1: none */
    int32_t peer_fd;
    uint32_t reserved;
    /* First argument of the functions */
    void *context;

    /* required
     * Call before resolving the slots of a request that carries a notice count, whatever the result
     * of the request will be. Processes the notices of the control channel up to that count. For
     * memory freed meanwhile the host calls burst_release of hy_device, on the same thread. An
     * error becomes the status of the request. */
    int32_t (*catch_up)(void *context, uint32_t notices);

    /* required
     * Gives the current memory of a slot. Map `pool` with hy_host.map; the mapping stays valid
     * until the result of the request is sent. INVALID_ARGUMENT: the slot is empty. */
    int32_t (*find_memory)(void *context, int32_t slot, struct hy_pool *pool);

    /* required
     * Returns when the count of written elements of `requests` differs from `read`. Spins for a
     * while, then sleeps. DEAD_OBJECT: the peer is gone or the host ends the burst; stop serving.
     */
    int32_t (*wait)(void *context, uint32_t read);

    /* required
     * Call after storing the count of written elements of `results`, or of read elements of
     * `requests`. Wakes the peer if the peer sleeps. */
    void (*wake)(void *context);

    /* Since 1.1: HY_CANCELLED_WORD of every request of the burst. Set when the peer is gone; valid
     * until burst_serve returns. */
    const uint32_t *cancelled;
};

/* ---- Cache files ----------------------------------------------------------------------------- */

/* Bytes that belong to the side that passes them. `data` may be NULL with a length of 0. */
struct hy_bytes {
    /* The first byte */
    const void *data;
    /* The number of bytes */
    uint64_t length;
};

/* The cache files of one prepared model: those of hy_prepare_options or cache_begin. Both counts
 * are those of hy_device_info. */
struct hy_cache_files {
    uint32_t struct_size;
    /* Entries of `model` and `data` */
    uint32_t model_count;
    uint32_t data_count;
    uint32_t reserved;
    /* HY_TOKEN_SIZE bytes */
    const uint8_t *token;
    /* Descriptors */
    const int32_t *model;
    const int32_t *data;
};

/* The content of cache files, given by cache_restore: one entry per file, read-only, aligned to 64
 * bytes, valid until cache_release. The driver sets struct_size, the host the other members. */
struct hy_restored {
    uint32_t struct_size;
    uint32_t reserved;
    /* Private and checked: no other process can change the bytes */
    const struct hy_bytes *model;
    /* Another process may change the bytes at any time */
    const struct hy_bytes *data;
    /* Private to the host */
    void *handle;
};

/* ---- What the host offers a driver ----------------------------------------------------------- */

/*
 * Functions of the host. The table is valid from create until destroy of the driver instance. Every
 * function may be called from any thread, with `context` as first argument. Each function is tagged
 * "required" or "optional: group"; an optional function may be NULL (HY_HAS), and the functions of
 * a group are NULL together.
 */
struct hy_host {
    uint32_t struct_size;
    /* HY_DRIVER_ABI of the host */
    uint32_t abi;
    /* First argument of the functions */
    void *context;

    /* required
     * Writes one line to the host's log, if the log shows `level` (HY_LOG_*). */
    void (*log)(void *context, int32_t level, const char *text);

    /* required
     * Gives the address of a pool. `protection` (HY_PROTECT_*) must lie within the pool's. The
     * address of a model's pool stays valid until the prepared model is destroyed. The address of a
     * request's pool stays valid until the call returns or its fence signals. Since 1.1 the address
     * of a pool with an id in a request of burst_execute stays valid until burst_release names the
     * id or the burst is closed, whichever comes first. There is no unmap. No system call is made
     * for memory that the host has mapped already. Errors: INVALID_ARGUMENT (kind, protection,
     * size), GENERAL_FAILURE (not mappable). */
    int32_t (*map)(void *context, const struct hy_pool *pool, uint32_t protection, void **address);

    /* required
     * The number of threads of `parallel`, including the caller; at least 1, constant. */
    uint32_t (*worker_count)(void *context);

    /* required
     * Calls task(argument, i) once for each i < count, on workers and on the caller, and returns
     * when all are done. The caller runs all of them when the workers are busy, and inside of a
     * task. */
    void (*parallel)(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument);

    /* optional: group digest
     * Stores a digest of HY_DIGEST_SIZE bytes in the persistent map from tokens to digests of model
     * caches. The map survives restarts. Each user, driver, version and build has its own map; the
     * host deletes the maps of the builds that are unused for the longest time. A driver that uses
     * cache_save and cache_restore needs neither function. */
    int32_t (*digest_store)(void *context, const uint8_t *token, const uint8_t *digest);
    /* optional: group digest
     * Finds the digest that digest_store has stored. GENERAL_FAILURE: the map has no digest of the
     * token. */
    int32_t (*digest_find)(void *context, const uint8_t *token, uint8_t *digest);

    /* optional: group blob
     * Stores a blob, or replaces the blob of the key: the cache engine for drivers that cache by
     * themselves, whether or not the app asks for caching. Blobs have keys of 1 to HY_MAX_BLOB_KEY
     * bytes and at most HY_MAX_BLOB bytes; otherwise INVALID_ARGUMENT. Each user, driver, version
     * and build has its own blobs. Processes share them, and the host checks their integrity. The
     * host evicts the least recently used blobs when their bytes exceed the limit, and the blobs of
     * builds that are long out of use. GENERAL_FAILURE: not stored. */
    int32_t (*blob_store)(void *context, const void *key, uint64_t key_length, const void *blob,
                          uint64_t blob_length);
    /* optional: group blob
     * Copies the blob if its length is at most `room` bytes. Always gives the length of the blob; 0
     * = no such blob. */
    int32_t (*blob_load)(void *context, const void *key, uint64_t key_length, void *blob,
                         uint64_t room, uint64_t *blob_length);

    /* optional: group update
     * A new cache entry that replaces the entry of a prepared model, after prepare has returned.
     * Until prepared_destroy, begin opens new empty files, as many as hy_device_info says. The
     * descriptors belong to the host and are valid until commit. The published entry is never
     * written again, so its readers are not disturbed. Errors: GENERAL_FAILURE (no caching for this
     * token, another update is under way, a full disk); do not commit then. */
    int32_t (*cache_begin)(void *context, const uint8_t *token, int32_t *model_cache,
                           int32_t *data_cache, void **update);
    /* optional: group update
     * Publishes all files of the update at once with `keep` 1, and drops them with `keep` 0. */
    int32_t (*cache_commit)(void *context, void *update, uint32_t keep);

    /* optional: group blob
     * Removes a blob that the driver no longer needs. OK also if there is no such blob. */
    int32_t (*blob_remove)(void *context, const void *key, uint64_t key_length);

    /* optional: group restore
     * Writes each cache file from memory of the driver, after recording a cryptographic digest of
     * the model cache under the token. Errors: GENERAL_FAILURE; the files are useless then. */
    int32_t (*cache_save)(void *context, const struct hy_cache_files *files,
                          const struct hy_bytes *model, const struct hy_bytes *data);
    /* optional: group restore
     * Reads the cache files of a token. The model cache is copied to private memory first, then
     * checked against its digest. The data cache is copied, or mapped if it is large. A thread of
     * the driver that reads mapped data leaves SIGBUS unblocked: by SIGBUS the host detects a file
     * that another process has truncated. Errors: GENERAL_FAILURE (no digest, another digest,
     * unreadable); the driver fails prepare_from_cache then. */
    int32_t (*cache_restore)(void *context, const struct hy_cache_files *files,
                             struct hy_restored *restored);
    /* optional: group restore
     * Ends the use of `restored`. */
    void (*cache_release)(void *context, struct hy_restored *restored);

    /* optional: group lock
     * For a driver that writes to the cache files after prepare has returned, through descriptors
     * that the driver has duplicated. The driver calls cache_keep_open during prepare. The files of
     * the token become the entry as they are at the end of prepare, without a digest of the host,
     * and the driver checks the content it reads. */
    int32_t (*cache_keep_open)(void *context, const uint8_t *token);
    /* optional: group lock
     * Begins an access to such a file, by any process: `exclusive` 1 to write, else 0. Waits until
     * `deadline`. */
    int32_t (*cache_lock)(void *context, int32_t fd, uint32_t exclusive, int64_t deadline);
    /* optional: group lock
     * Ends an access. */
    void (*cache_unlock)(void *context, int32_t fd);

    /* optional
     * Runs the task once in the background, on an idle thread of the host. The argument stays valid
     * until the task has run. A task may outlive its prepared model: prepared_destroy marks the
     * argument, and the task looks at the mark. Before destroy of the instance the host runs the
     * waiting tasks and waits for the running ones; the library is never unloaded under a task.
     * GENERAL_FAILURE: the task will not run. */
    int32_t (*later)(void *context, void (*task)(void *argument), void *argument);

    /* Since 1.1. optional: group quota
     * Reserves memory of the client's quota. A driver calls memory_reserve before it allocates
     * memory whose size a model, a buffer or a request decides: compiled weights, the tensors of an
     * execution, buffers, copies. The host charges the client of the call that the thread works
     * for, also inside of a task of `parallel` or of `later`. A thread of the driver's own works
     * for no client; the host charges the service as a whole then. OK gives a reservation, which
     * may be NULL. RESOURCE_EXHAUSTED_TRANSIENT: the client has too much memory at the moment.
     * RESOURCE_EXHAUSTED_PERSISTENT: `bytes` exceed the whole quota. After an error the driver
     * allocates nothing and fails the call with the same status; the host adds the numbers to the
     * error text. Returns without waiting. Without the group there is no limit. */
    int32_t (*memory_reserve)(void *context, uint64_t bytes, void **reservation);
    /* Since 1.1. optional: group quota
     * Returns a reservation after the memory has been freed: from any thread, at any time, also
     * after the end of the client. Returns without waiting. */
    void (*memory_release)(void *context, void *reservation);

    /* Since 1.1. optional
     * A burst has just executed, and its next execution is likely to follow soon. Idle workers of
     * `parallel` stay awake for `duration` ns from now, at most HY_MAX_AWAKE_NS, and sleep after
     * that. Later calls extend the time and never shorten it. Returns without waiting and without a
     * system call. */
    void (*keep_awake)(void *context, uint64_t duration);
};

/* ---- What a driver offers -------------------------------------------------------------------- */

/*
 * Functions of one device. Each function is tagged "required" or "optional: group"; the functions
 * of a group are NULL together. `device` is the value that hy_driver.device gave, valid as long as
 * the driver instance.
 */
struct hy_device {
    uint32_t struct_size;
    /* HY_DRIVER_ABI the driver was built with */
    uint32_t abi;

    /* required
     * Gives the properties of the device. They are constant; the strings and arrays belong to the
     * driver and live as long as the instance. The caller sets struct_size to the capacity, at
     * least that of 1.0. The driver fills as many members as fit and sets struct_size to the bytes
     * filled: hy_fill does both. */
    int32_t (*describe)(void *device, struct hy_device_info *info);
    /* required
     * Gives the declared speed of the device; constant, with struct_size as in describe. */
    int32_t (*capabilities)(void *device, struct hy_capabilities *capabilities);

    /* required
     * Writes 1 or 0 for each operation of the main subgraph: 0 whenever in doubt. IF and WHILE are
     * 1 only if the device supports their bodies in whole. The driver reports a reason for every 0.
     * The result for one model never changes, and a supported operation must prepare. Errors:
     * INVALID_ARGUMENT (an invalid model), MISSED_DEADLINE_*, DEVICE_UNAVAILABLE, GENERAL_FAILURE.
     */
    int32_t (*supported_operations)(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals);

    /* required
     * Compiles a model. All but the extents of tensors is known at this point. The model view ends
     * with the call; its pools, and the memory behind them, live until prepared_destroy. Errors:
     * INVALID_ARGUMENT, MISSED_DEADLINE_*, RESOURCE_EXHAUSTED_*, DEVICE_UNAVAILABLE,
     * GENERAL_FAILURE. */
    int32_t (*prepare)(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared);
    /* required
     * Frees a prepared model. No execution, burst or buffer of the model exists any more. */
    void (*prepared_destroy)(void *prepared);

    /* required
     * Runs a prepared model once and returns when it is done. Any number of threads may call it on
     * one prepared model. Inputs are not modified. With known shapes and legal inputs an execution
     * succeeds. Errors: all of HY_STATUS_*. */
    int32_t (*execute)(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

    /* optional
     * Compiles from cache files alone. After any error the host prepares from the model instead. */
    int32_t (*prepare_from_cache)(void *device, const struct hy_prepare_options *options,
                                  void **prepared);

    /* optional
     * Blocks until an unavailable device is available again, or until `deadline`. */
    int32_t (*wait)(void *device, int64_t deadline);

    /* optional: group fenced
     * Starts an execution when every fd of `wait_for` polls readable. An fd in error is
     * INVALID_ARGUMENT at once, or a failure of the execution. `*fence` becomes an fd that belongs
     * to the caller, or -1 if the work is done already. The fence polls readable when the work is
     * done, and in error when the work has failed. A sync_file polls readable in both cases: its
     * status, given by SYNC_IOC_FILE_INFO, is below 0 for an error. The request's memory stays
     * valid until the fence signals. */
    int32_t (*execute_fenced)(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **fenced);
    /* optional: group fenced
     * The result, once the fence has signalled; before: GENERAL_FAILURE. */
    int32_t (*fenced_result)(void *fenced, struct hy_fenced_result *result);
    /* optional: group fenced
     * Frees a fenced execution, after the end of its work: waits first if the work is running. */
    void (*fenced_destroy)(void *fenced);

    /* optional: group burst
     * Opens a burst. While a burst is open, executions follow quickly: stay in a high-performance
     * state. A burst is idle 1 ms after its last execution; an idle burst uses no processor time.
     */
    int32_t (*burst_open)(void *prepared, void **burst);
    /* optional: group burst
     * Runs the prepared model once, as execute. Pools with an id may stay mapped until
     * burst_release names the id. */
    int32_t (*burst_execute)(void *burst, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result);
    /* optional: group burst
     * The memory with this id is no longer used. May come from any thread, also during an execution
     * that uses other memory. Ignores an id that is unknown to the burst. */
    void (*burst_release)(void *burst, uint64_t pool_id);
    /* optional: group burst
     * Ends a burst. Its executions have ended before; the prepared model stays valid. */
    void (*burst_close)(void *burst);

    /* optional
     * Serves a burst directly on the two queues. Writes `*burst` before the first access to a
     * queue. Returns at the end of serving: the peer has closed the burst, broken the rules of the
     * queues, or is gone. burst_close follows; burst_release may come from queues->catch_up. After
     * an error without `*burst` the host serves with the other members. */
    int32_t (*burst_serve)(void *prepared, const struct hy_burst_queues *queues, void **burst);

    /* optional: group reusable
     * Checks and maps one request for many runs, one at a time. The request and its memory stay
     * valid until reusable_destroy; contents may change between runs. The options hold for all
     * runs, with three exceptions: deadline and duration come with each run, and the message is for
     * this call alone. Of the options only the scratch memory outlives the call. */
    int32_t (*reusable_create)(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **reusable);
    /* optional: group reusable
     * Runs a reusable execution once, as execute. */
    int32_t (*reusable_execute)(void *reusable, int64_t deadline, struct hy_result *result);
    /* optional: group reusable
     * Starts a run, as execute_fenced. `duration`: ns from the time when all fences are signalled;
     * 0 = unlimited.
     */
    int32_t (*reusable_execute_fenced)(void *reusable, int64_t deadline, uint64_t duration,
                                       const int32_t *wait_for, uint32_t wait_count, int32_t *fence,
                                       void **fenced);
    /* optional: group reusable
     * Frees a reusable execution. Its runs have ended before. */
    void (*reusable_destroy)(void *reusable);

    /* optional: group buffer
     * Creates memory of the driver for the roles of `desc`. `*token` > 0 names the buffer in
     * hy_pool.buffer_token, and is unique among the live buffers of the device. A buffer may be
     * read only after an execution or a copy has written it, and is unreadable again after a failed
     * write. Any number of requests may name a buffer at once, also during a copy; concurrent users
     * may see partial writes, but nothing else. */
    int32_t (*buffer_create)(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **buffer);
    /* optional: group buffer
     * Copies from a pool of exactly the buffer's bytes, of any kind that the device decodes. `dims`
     * is complete and becomes the shape of the buffer. The source may also be another buffer of the
     * device, a HY_POOL_BUFFER, whose bytes can stay on the device. INVALID_ARGUMENT: the driver
     * cannot copy so, and the host copies through shared memory. */
    int32_t (*buffer_copy_from)(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank);
    /* optional: group buffer
     * Copies to a pool of exactly the buffer's bytes, of any kind that the device decodes. */
    int32_t (*buffer_copy_to)(void *buffer, const struct hy_pool *destination);
    /* optional: group buffer
     * Frees a buffer. Its executions and copies have ended before. */
    void (*buffer_destroy)(void *buffer);

    /* optional
     * For drivers whose executions compute in memory of this process: the scratch memory of an
     * execution of the prepared model. Constant. The host may pass as much memory, with this
     * alignment, in hy_run_options, and share it between the steps of a plan. The host may also
     * pass less or none; the driver then uses its own memory, as without this member. */
    int32_t (*scratch_needed)(void *prepared, struct hy_scratch *scratch);

    /* optional
     * For a device that leaves memory mapped or registered under its id after a call: the memory is
     * gone, and its id is never reused. From any thread, at any time. */
    void (*memory_gone)(void *device, uint64_t pool_id);
};

/* A driver library: makes instances, each with one or more devices. All functions are required. */
struct hy_driver {
    uint32_t struct_size;
    /* HY_DRIVER_ABI the driver was built with */
    uint32_t abi;
    /* Of the library, static: "acme-npu" */
    const char *name;

    /* required
     * Makes an instance for one manifest. `arguments` is the manifest's "arguments" object as JSON
     * text, "{}" without one. `message` receives the text of an error. `*instance` must not be
     * NULL. Errors: INVALID_ARGUMENT (arguments), DEVICE_UNAVAILABLE (no such hardware here),
     * GENERAL_FAILURE. */
    int32_t (*create)(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance);
    /* required
     * Called after the destruction of all objects of the instance. */
    void (*destroy)(void *instance);

    /* required
     * The number of devices of the instance, at least 1. Constant. */
    uint32_t (*device_count)(void *instance);
    /* required
     * Device number `index`: its function table and its object; neither may be NULL. Constant. */
    int32_t (*device)(void *instance, uint32_t index, const struct hy_device **table,
                      void **device);
};

/* The name of hy_driver_query() for dlsym. */
#define HY_DRIVER_QUERY_SYMBOL "hy_driver_query"

/* The type of hy_driver_query(). */
typedef const struct hy_driver *(*hy_driver_query_fn)(uint32_t host_abi);

#if defined(__GNUC__)
#define HY_DRIVER_EXPORT __attribute__((visibility("default")))
#else
#define HY_DRIVER_EXPORT
#endif

/*
 * The one exported symbol. Pure: no side effects, may be called at any time. Gives the driver's
 * static table, or NULL if the driver cannot work with the host: `host_abi` has another major
 * number, or a minor number below the driver's need. A higher minor number is no reason for NULL.
 */
HY_DRIVER_EXPORT const struct hy_driver *hy_driver_query(uint32_t host_abi);

/* ---- Frozen layout --------------------------------------------------------------------------- */

/* Sizes and last members on every 64-bit ABI, also in version 1.0 for structs that have grown
 * later. A change here is a change of the ABI; docs/driver-abi.md has all members. */

#define HY_LAYOUT(name, size, last, offset) \
    HY_STATIC_ASSERT(sizeof(struct name) == (size) && offsetof(struct name, last) == (offset), \
                     "layout of struct " #name)
#define HY_LAYOUT_1_0(name, size, last, offset) \
    HY_STATIC_ASSERT(HY_SIZE_UP_TO(struct name, last) == (size) && \
                         offsetof(struct name, last) == (offset), \
                     "layout of struct " #name " in 1.0")
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
HY_LAYOUT_1_0(hy_device_info, 64, burst_depth, 60);
HY_LAYOUT(hy_device_info, 72, partial_extensions, 64);
HY_LAYOUT_1_0(hy_refusals, 24, refuse, 16);
HY_LAYOUT(hy_refusals, 40, cancelled, 32);
HY_LAYOUT(hy_hint, 16, data, 8);
HY_LAYOUT(hy_message, 16, size, 8);
HY_LAYOUT_1_0(hy_prepare_options, 96, message, 80);
HY_LAYOUT(hy_prepare_options, 104, cancelled, 96);
HY_LAYOUT(hy_argument, 40, location, 16);
HY_LAYOUT(hy_request, 40, pools, 32);
HY_LAYOUT_1_0(hy_run_options, 80, scratch_bytes, 72);
HY_LAYOUT(hy_run_options, 88, cancelled, 80);
HY_LAYOUT(hy_scratch, 16, bytes, 8);
HY_LAYOUT(hy_output_shape, 72, dims, 8);
HY_LAYOUT(hy_result, 32, time_in_driver, 24);
HY_LAYOUT(hy_fenced_result, 40, fenced_in_driver, 32);
HY_LAYOUT(hy_buffer_role, 16, frequency, 12);
HY_LAYOUT(hy_buffer_desc, 40, role_count, 36);
HY_LAYOUT_1_0(hy_burst_queues, 88, wake, 80);
HY_LAYOUT(hy_burst_queues, 96, cancelled, 88);
HY_LAYOUT(hy_bytes, 16, length, 8);
HY_LAYOUT(hy_cache_files, 40, data, 32);
HY_LAYOUT(hy_restored, 32, handle, 24);
HY_LAYOUT_1_0(hy_host, 160, later, 152);
HY_LAYOUT(hy_host, 184, keep_awake, 176);
HY_LAYOUT(hy_device, 216, memory_gone, 208);
HY_LAYOUT(hy_driver, 48, device, 40);
#endif

#ifdef __cplusplus
}
#endif

#endif
