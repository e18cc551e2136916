/*
 * Halyard's additions to the Neural Networks API: why a call failed, the properties of devices, and
 * the device of each operation of a compilation with the reason for it. Tools need nothing else.
 *
 * Structs start with struct_size, which the caller sets to sizeof before the call; members beyond
 * the size that the library knows stay unchanged. Strings given to the caller belong to the
 * library; their lifetime stands at each function or struct. Functions that return int return an
 * ANEURALNETWORKS_ result code. All functions may be called from any thread.
 */
#ifndef HALYARD_HALYARD_H
#define HALYARD_HALYARD_H

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

/* ---- The library ----------------------------------------------------------------------------- */

/* The version of the library: "0.1.0". Static. */
const char *halyard_version(void);

/* ---- Why a call failed ----------------------------------------------------------------------- */

/*
 * The error text of the last failed call of this thread: "Compilation_finish: operation 3 LSTM: no
 * device supports it: …". "" before the first failure. Successful calls do not change the text. The
 * text is valid until the next failed call of this thread. ANeuralNetworksEvent_wait sets the error
 * text of the execution in the waiting thread.
 */
const char *halyard_last_error(void);

/* The result code of the call of halyard_last_error; ANEURALNETWORKS_NO_ERROR before the first
 * failure. */
int halyard_last_error_code(void);

/* Resets both to their values before the first failure. */
void halyard_clear_last_error(void);

/* Sets the result code and the text of the last failed call of this thread, so that libraries on
 * top of Halyard report failures in the same way. The text is cut to one printable line of 447
 * bytes. NULL counts as "". */
void halyard_set_last_error(int code, const char *text);

/* ---- Devices --------------------------------------------------------------------------------- */

/* Where the code of a device runs. */
enum {
    HALYARD_DEVICE_BUILT_IN = 0,   /* the CPU backend */
    HALYARD_DEVICE_IN_PROCESS = 1, /* a driver plugin inside this process */
    HALYARD_DEVICE_SERVICE = 2,    /* a driver in a process of its own */
};

/* Properties of a device. All strings live as long as the process. */
struct halyard_device_info {
    size_t struct_size;
    /* Unique on this machine */
    const char *name;
    /* The version of the driver */
    const char *version;
    /* The build of the driver; "" if the driver has none */
    const char *build_id;
    /* Paths of the manifest and of the driver library; "" for a built-in device */
    const char *manifest;
    const char *library;
    /* ANEURALNETWORKS_DEVICE_* */
    int32_t type;
    /* HALYARD_DEVICE_* */
    int32_t kind;
    /* ANEURALNETWORKS_FEATURE_LEVEL_* */
    int64_t feature_level;
    /* The version of the driver ABI that the driver library was built with */
    uint32_t driver_abi_major;
    uint32_t driver_abi_minor;

    /* Work of the device in this process so far. Each step of an execution that ended on the device
     * without an error counts as one execution, with all operations of the step. The counts tell an
     * app whether it really used the device. Compilations do not count. */
    uint64_t execution_count;
    uint64_t operation_count;

    /* HALYARD_DEVICE_SERVICE only, else 0 and "". Devices of one driver share a process. */

    /* The process of the driver; 0 also after its end, until the driver is needed again */
    int32_t process_id;
    /* How often a new process has replaced an ended one */
    uint32_t restart_count;
    /* The confinement of the process: "seccomp+landlock 7", "none: reason" */
    const char *sandbox;
    /* The socket of a service that is shared with other apps; "" for a private process */
    const char *socket;

    /* Declared by the driver. */

    /* See halyard_device_get_extension */
    uint32_t extension_count;
    /* Files of a cache entry; both 0: the device does not cache */
    uint32_t model_cache_files;
    uint32_t data_cache_files;
    /* Supported kinds of memory, a bit 1 << HY_POOL_* (driver.h) each */
    uint32_t pool_kinds;
    /* The number of requests in one queue of a burst; 0: the device has no bursts of its own */
    uint32_t burst_depth;
    /* 1: memory from descriptors may lie on the device */
    uint32_t has_buffers;
    /* Cost of starting an execution in ns; 0: unknown */
    uint64_t launch_ns;
    /* Speed of moving tensors to and from the device; 0: it moves none */
    uint64_t bytes_per_second;

    /* HALYARD_DEVICE_BUILT_IN only, else "". */

    /* Features of the processor that the device does not use, with the reason. Compiling a model
     * may change the text. */
    const char *note;
};

/* Gives the properties of a device. UNEXPECTED_NULL for a NULL; BAD_DATA for an unknown handle or a
 * struct_size of 0. */
int halyard_device_get_info(const ANeuralNetworksDevice *device, struct halyard_device_info *info);

/* An extension of a device. Strings live as long as the process. */
struct halyard_device_extension {
    size_t struct_size;
    /* "com.acme.fft" */
    const char *name;
    /* 1: the device supports a part of the extension's operations */
    uint32_t is_partial;
    uint32_t reserved;
};

/* Gives an extension of a device by its index. UNEXPECTED_NULL for a NULL; BAD_DATA for an unknown
 * handle, a struct_size of 0, or an index that is not below the device's extension_count. */
int halyard_device_get_extension(const ANeuralNetworksDevice *device, uint32_t index,
                                 struct halyard_device_extension *extension);

/* A searched directory of driver manifests, or a manifest named by an environment variable. Strings
 * live as long as the process. docs/manifest.md has the order of the directories. */
struct halyard_driver_dir {
    size_t struct_size;
    /* The path of the directory or manifest */
    const char *path;
    /* The variable that names the path: "HALYARD_ADD_DRIVER_FILES", …; "" for a directory of the
     * search path */
    const char *setting;
    /* Names of the manifests in use, manifest_count of them */
    const char *const *manifests;
    /* Names of the manifests that an earlier directory overrides, masked_count of them */
    const char *const *masked;
    /* Entries of `manifests` and `masked` */
    uint32_t manifest_count;
    uint32_t masked_count;
    /* 0: the directory does not exist */
    uint32_t is_there;
    uint32_t reserved;
};

/* The number of searched directories and named manifests. 0 also when memory has run out;
 * halyard_last_error then has the reason. */
uint32_t halyard_driver_dir_count(void);

/* Gives a searched directory or named manifest by its index. UNEXPECTED_NULL for a NULL; BAD_DATA
 * when index >= halyard_driver_dir_count(). */
int halyard_get_driver_dir(uint32_t index, struct halyard_driver_dir *folder);

/* Reads a manifest (docs/manifest.md) as the loader does, without opening the driver. BAD_DATA: the
 * manifest is wrong, and halyard_last_error names the fault; UNMAPPABLE: the file cannot be read.
 * An unknown member is a warning in the log. */
int halyard_check_manifest(const char *path);

/* A driver without a usable device, or a setting that names no driver. Strings live as long as the
 * process. */
struct halyard_refused_driver {
    size_t struct_size;
    /* The path of the manifest, or of the directory or file that cannot be read; "halyard-cpu": the
     * built-in driver, if its own process could not be started; or the environment variable:
     * "HALYARD_ISOLATE" */
    const char *manifest;
    /* One line: the fault, with the text of the dynamic loader if there is one */
    const char *reason;
};

/* The number of refused drivers. 0 also when memory has run out; halyard_last_error then has the
 * reason. */
uint32_t halyard_refused_driver_count(void);

/* Gives a refused driver by its index. BAD_DATA when index >= halyard_refused_driver_count(). */
int halyard_get_refused_driver(uint32_t index, struct halyard_refused_driver *refused);

/*
 * Opens the in-process drivers in a child process first. A driver that crashes or exits in the
 * child, or whose call lasts longer than `hang_timeout` nanoseconds, becomes a refused driver in
 * this process; the reason names the call and the end of the child. The function forks: call it
 * before starting threads. BAD_STATE: the devices have been listed before; OP_FAILED: the child
 * could not be started, or has ended outside of the drivers' calls.
 */
int halyard_try_drivers(uint64_t hang_timeout);

/*
 * Removes the crash records of a driver (docs/environment.md); the next process opens the driver
 * again. `name` is the file name of the manifest without ".json". BAD_DATA: the driver has no
 * record; OP_FAILED: a record cannot be removed.
 */
int halyard_retry_driver(const char *name);

/*
 * Turns off the search for drivers in this process: its devices are the built-in ones. Halyard
 * calls this function in a second Halyard that is loaded as a support library; the second Halyard
 * would otherwise load the drivers of the machine, and itself, again. BAD_STATE: the devices have
 * been listed before.
 */
int halyard_disable_drivers(void);

/* ---- The plan of a compilation --------------------------------------------------------------- */

#define HALYARD_NO_COST    (-1.0) /* the cost on a device that does not exist */
#define HALYARD_TOKEN_SIZE 32     /* bytes of the token of a prepared model */

/* The plan of a compilation as a whole. Strings live as long as the compilation. All calls:
 * BAD_STATE before a successful finish. */
struct halyard_plan {
    size_t struct_size;
    /* Operations of the main model, in the order of addOperation */
    uint32_t operation_count;
    /* Steps that the operations form */
    uint32_t step_count;
    /* Devices that the compilation could choose from */
    uint32_t device_count;
    /* Operations that run on the CPU because every other device refused them */
    uint32_t fallback_count;
    /* Time of planning and preparing, from the cache or not */
    uint64_t compile_ns;
    /* Bytes of the tensors between steps in one execution, as far as known */
    uint64_t boundary_bytes;
    /* Executions that have ended so far */
    uint64_t execution_count;
    /* Predicted time of an execution: the sum over the steps */
    uint64_t predicted_ns;
    /* Tensor bytes that the runtime has copied in the ended executions. 0 unless a fallback device
     * ran a step, a WHILE result was copied out, a device cannot use host pointers, or a device
     * buffer had to be read back. */
    uint64_t copied_bytes;
    /* The part of boundary_bytes that stays in memory of a device */
    uint64_t device_boundary_bytes;
};

/* The use of the cache when a step was compiled. */
enum {
    HALYARD_CACHE_OFF = 0,        /* caching was not requested */
    HALYARD_CACHE_UNUSED = 1,     /* requested, but the device has no cache files */
    HALYARD_CACHE_HIT = 2,        /* the step comes from the cache */
    HALYARD_CACHE_STORED = 3,     /* no good entry was found; a new one has been stored */
    HALYARD_CACHE_NOT_STORED = 4, /* no good entry was found; none has been stored until now */
};

/* One step of a plan. */
struct halyard_plan_step {
    size_t struct_size;
    /* The device that runs the step */
    const ANeuralNetworksDevice *device;
    /* Operations of the step */
    uint32_t operation_count;
    uint32_t reserved;
    /* Bytes from other steps or the app; 0 for unknown shapes */
    uint64_t input_bytes;
    /* Bytes to other steps or the app; 0 for unknown shapes */
    uint64_t output_bytes;
    /* Time of preparing the step */
    uint64_t prepare_ns;
    /* Measured runs, and their total time in ns: see halyard_compilation_measure_steps */
    uint64_t run_count;
    uint64_t total_ns;
    /* Identity of the prepared model: same token, same result. Computing the token may read all
     * constants of the step; a caller without need for it sets struct_size to its offset. */
    uint8_t token[HALYARD_TOKEN_SIZE];
    /* Predicted time of a run: launch, operations, and the transfer of inputs and outputs */
    uint64_t predicted_ns;
    /* HALYARD_CACHE_*; NOT_STORED may become STORED later */
    int32_t cache;
    /* One line: the reason; never NULL */
    const char *cache_reason;
    /* Bytes of the cache entry that was read or stored; else 0 */
    uint64_t cache_bytes;
    /* Runs on another device after a failure of this one */
    uint64_t fallback_run_count;
};

/* One operation of a plan. */
struct halyard_plan_operation {
    size_t struct_size;
    /* ANEURALNETWORKS_ operation code */
    int32_t type;
    /* The step that runs the operation */
    uint32_t step;
    /* "CONV_2D"; "com.acme.fft#3" of an extension */
    const char *name;
    /* The device that runs the operation */
    const ANeuralNetworksDevice *device;
    /* The next best device that supports the operation, or NULL */
    const ANeuralNetworksDevice *runner_up;
    /* Predicted time on `device` in ns; with PREFER_LOW_POWER in ns of halyard-cpu's power */
    double cost;
    /* The same on `runner_up`; HALYARD_NO_COST without a runner-up */
    double runner_up_cost;
    /* One line: why this device */
    const char *reason;
};

/* Gives the plan as a whole. BAD_DATA for a struct_size of 0. */
int halyard_compilation_get_plan(const ANeuralNetworksCompilation *compilation,
                                 struct halyard_plan *plan);

/* Gives a step of the plan by its index. BAD_DATA: the index is not below step_count, or
 * struct_size is 0. */
int halyard_compilation_get_step(const ANeuralNetworksCompilation *compilation, uint32_t step,
                                 struct halyard_plan_step *out);

/* Gives an operation by its index in the main model. BAD_DATA: the index is not below
 * operation_count, or struct_size is 0. */
int halyard_compilation_get_operation(const ANeuralNetworksCompilation *compilation,
                                      uint32_t operation, struct halyard_plan_operation *out);

/* Gives the reason why `device` refused an operation; "" if the device supports the operation.
 * BAD_DATA for a device that the compilation could not choose from. */
int halyard_compilation_get_refusal(const ANeuralNetworksCompilation *compilation,
                                    uint32_t operation, const ANeuralNetworksDevice *device,
                                    const char **reason);

/* Formats of a report. */
enum {
    HALYARD_REPORT_JSON = 0, /* all of the above in one object, specified in docs/explain.md */
    HALYARD_REPORT_DOT = 1,  /* a graph for Graphviz */
};

/*
 * Writes the whole plan, with its current figures, as text: at most `capacity` bytes, including the
 * NUL. `length` is always the full length without the NUL; `text` may be NULL with a `capacity` of
 * 0. BAD_DATA for another format; OUT_OF_MEMORY. The variable HALYARD_REPORT=FILE writes a line of
 * the same JSON for every compilation of a process.
 */
int halyard_compilation_write_report(const ANeuralNetworksCompilation *compilation, int32_t format,
                                     char *text, size_t capacity, size_t *length);

/*
 * Turns the clock per step on or off (off by default) for executions that start from now on. A
 * measured step costs two readings of the clock. halyard_compilation_get_step gives the figures.
 */
int halyard_compilation_measure_steps(ANeuralNetworksCompilation *compilation, bool measure);

/*
 * Call before finish. On: every operation becomes a step of its own, on the first of the
 * compilation's devices that supports it, at any cost. Measuring steps then measures operations.
 * BAD_STATE after finish.
 */
int halyard_compilation_split_operations(ANeuralNetworksCompilation *compilation, bool split);

/* ---- Limits of compilations and executions --------------------------------------------------- */

/*
 * Call before finish. Sets the number of threads of one execution on in-process devices, including
 * the calling thread; 0, the default: all. All executions of a process share one pool of threads,
 * which computes on no more processors than the process may use. Devices in processes of their own
 * have threads of their own. BAD_STATE after finish.
 */
int halyard_compilation_set_threads(ANeuralNetworksCompilation *compilation, uint32_t threads);

/*
 * Call before finish. Sets the memory limit of the compilation's executions on in-process devices,
 * in bytes; 0, the default: none. The limit matters most for tensors with shapes known only in a
 * run. A run above the limit returns OUT_OF_MEMORY. The reservations of drivers
 * (hy_host.memory_reserve) count, including those of halyard-cpu. Devices in processes of their own
 * have the limits of their service. BAD_STATE after finish.
 */
int halyard_compilation_set_memory_limit(ANeuralNetworksCompilation *compilation, uint64_t bytes);

/*
 * Call before finish. On: finish loads every step from the cache of the compilation, and compiles
 * none. A missing step fails finish with OP_FAILED: "step 0 on halyard-cpu: not in the cache: there
 * is none". A step on a device that does not cache fails in the same way, with that reason. A
 * device without a call for loading from a cache, such as a support library's, gets the entry with
 * a compilation; if the device compiles, finish fails, too. Bodies of IF and WHILE that the runtime
 * runs come from the cache as well. The setting ends with finish: a fallback step of a later
 * failure is compiled. BAD_STATE after finish.
 */
int halyard_compilation_only_from_cache(ANeuralNetworksCompilation *compilation, bool only);

/* ANeuralNetworksCompilation_setTimeout and ANeuralNetworksExecution_setTimeout for compilations of
 * any number of devices; NNAPI allows exactly one. `duration` is in ns; 0: none. Otherwise the same
 * errors. */
int halyard_compilation_set_timeout(ANeuralNetworksCompilation *compilation, uint64_t duration);
int halyard_execution_set_timeout(ANeuralNetworksExecution *execution, uint64_t duration);

/*
 * Cancels the current run early, and later runs at once, until a call with false. A run is
 * cancelled between two steps, and inside of a step on in-process devices that check the
 * `cancelled` word of halyard/driver.h; halyard-cpu checks the word inside of operations. A
 * cancelled run returns BAD_STATE with the text "cancelled", and its outputs are undefined; a run
 * may also complete first. Call from any thread while the execution exists. Returns at once.
 */
int halyard_execution_cancel(ANeuralNetworksExecution *execution, bool cancel);

/* ---- Threads of Halyard ---------------------------------------------------------------------- */

/* Work for a thread of the pool of asynchronous executions. The struct belongs to the caller; from
 * halyard_task_start until the call of `run` it belongs to the library. Nothing is allocated. */
struct halyard_task {
    size_t struct_size;
    /* ANEURALNETWORKS_PRIORITY_*; 0: medium */
    int32_t priority;
    /* The work, called once */
    void (*run)(struct halyard_task *task);
    /* Private to the library */
    void *reserved[4];
};

/* Starts a task, and returns. UNEXPECTED_NULL; BAD_DATA: struct_size, priority;
 * RESOURCE_EXHAUSTED_TRANSIENT: the pool has no thread, and none can be started. */
int halyard_task_start(struct halyard_task *task);

/* ---- Measured times -------------------------------------------------------------------------- */

/*
 * Measured times of one device of this machine. The planner prefers measured times to the times
 * that a driver declares. A profile is stored in the state folder for one version and build of the
 * driver and one processor. Processes use a stored profile if they list their devices later.
 * `halyard bench --profile` measures with these calls. A profile is for one thread.
 */
struct halyard_profile;

/* Makes a profile that starts with the stored times of the device. UNEXPECTED_NULL; BAD_DATA for an
 * unknown device; OUT_OF_MEMORY. */
int halyard_profile_create(const ANeuralNetworksDevice *device, struct halyard_profile **profile);
/* Frees a profile without storing it. NULL is allowed. */
void halyard_profile_free(struct halyard_profile *profile);

/* Sets the time of a step with almost no work, in ns. Call first: the launch time is subtracted
 * from times of operations. 0: the declared time. */
int halyard_profile_set_launch(struct halyard_profile *profile, uint64_t ns);

/*
 * Adds `ns`, the time of the step that runs this operation alone on the profile's device: see
 * halyard_compilation_split_operations. Operations of one kind and similar size count with their
 * mean. BAD_DATA for a step with other operations, and for extension operations and control flow.
 */
int halyard_profile_add(struct halyard_profile *profile,
                        const ANeuralNetworksCompilation *compilation, uint32_t operation,
                        uint64_t ns);

/* Stores the profile and replaces the former one. `path`, the path of the file, lives as long as
 * the profile and may be NULL. OP_FAILED, with a text: the file cannot be written. */
int halyard_profile_save(struct halyard_profile *profile, const char **path);

/* ---- Hardware buffers ------------------------------------------------------------------------ */

/*
 * Makes a hardware buffer of memory that a camera, a display or another device has exported as a
 * dma-buf (V4L2, DRM), without copying. Memory from memfd_create is accepted, too, if it is sealed
 * against shrinking.
 *   fd    duplicated. Open for reading, and for writing if the usage has a CPU_WRITE value.
 *   desc  the layout of the pixels from the first byte on; `stride` is the distance from row to row
 *         in pixels, 0: the stride of AHardwareBuffer_allocate. docs/hardware-buffers.md has the
 *         layout of the planes of Y8Cb8Cr8_420.
 * Release the buffer with AHardwareBuffer_release. BAD_DATA: another kind of file, a description
 * that AHardwareBuffer_isSupported refuses, or more pixels than bytes; UNMAPPABLE: the device does
 * not let the CPU map the memory; OP_FAILED; OUT_OF_MEMORY.
 */
int halyard_hardware_buffer_wrap(int fd, const AHardwareBuffer_Desc *desc,
                                 AHardwareBuffer **buffer);

/* ---- The cache ------------------------------------------------------------------------------- */

/*
 * Inspection of a cache directory of any app, as `halyard cache` does. `dir` is the directory
 * given to ANeuralNetworksCompilation_setCaching; NULL: the directory of HALYARD_CACHE_DIR. Any
 * number of processes may use the directory meanwhile: entries are created and removed atomically,
 * and an open entry stays readable after removal. docs/cache.md describes the files.
 *
 * All calls: BAD_DATA for a NULL without the variable, and for a struct_size of 0; OP_FAILED, with
 * a text: the directory does not exist, is not ours or cannot be used; OUT_OF_MEMORY.
 */

/* A cache entry: the files of one prepared model. Strings live during the call of the visitor. The
 * members from `device` to `data_files` are "" or 0 if the entry is too damaged. */
struct halyard_cache_entry {
    /* The size that the library knows */
    size_t struct_size;
    /* As in halyard_plan_step */
    uint8_t token[HALYARD_TOKEN_SIZE];
    /* Name of the device */
    const char *device;
    /* Version and build of the driver */
    const char *version;
    const char *build_id;
    /* Operations of the step */
    uint32_t operation_count;
    /* ANEURALNETWORKS_PREFER_* */
    int32_t preference;
    /* ANEURALNETWORKS_PRIORITY_* */
    int32_t priority;
    /* Files that steer execution */
    uint32_t model_files;
    /* Files of constants and weights */
    uint32_t data_files;
    /* 1: the driver may still write to the files, so only the driver can check them */
    int32_t kept_open;
    /* Bytes of all files of the entry */
    uint64_t bytes;
    /* The time of creation, in seconds since 1970 */
    int64_t created;
    /* The time of the last use, in seconds since 1970 */
    int64_t used;
    /* The fault of the entry, one line; "" if there is none */
    const char *fault;
};

/* Totals of a cache directory. */
struct halyard_cache_summary {
    size_t struct_size;
    /* Entries at the end of the call, and their bytes */
    uint64_t entries;
    uint64_t bytes;
    /* Faulty entries found */
    uint64_t faulty;
    /* Removed entries, and their bytes */
    uint64_t removed;
    uint64_t removed_bytes;
    /* Removed files of processes that died while writing */
    uint64_t leftovers;
};

/* Called with each entry, with `context` as first argument, before the call of the caller returns.
 */
typedef void (*halyard_cache_visitor)(void *context, const struct halyard_cache_entry *entry);

/* Visits all entries in order of their tokens. `visit` and `summary` may be NULL. Reads only the
 * metadata of the entries. */
int halyard_cache_list(const char *dir, halyard_cache_visitor visit, void *context,
                       struct halyard_cache_summary *summary);

/* As halyard_cache_list, but reads and checks every byte. Removes nothing. */
int halyard_cache_verify(const char *dir, halyard_cache_visitor visit, void *context,
                         struct halyard_cache_summary *summary);

/* The limit of HALYARD_CACHE_LIMIT, for halyard_cache_collect. */
#define HALYARD_CACHE_LIMIT_IN_FORCE UINT64_MAX

/* Removes faulty entries and files of dead processes, then the least recently used entries until at
 * most `limit` bytes remain; 0: all. Visits the removed entries. */
int halyard_cache_collect(const char *dir, uint64_t limit, halyard_cache_visitor visit,
                          void *context, struct halyard_cache_summary *summary);

/* Removes one entry. Succeeds also if the entry does not exist. */
int halyard_cache_remove(const char *dir, const uint8_t token[HALYARD_TOKEN_SIZE]);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
