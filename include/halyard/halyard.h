/*
 * What Halyard offers beside the Neural Networks API: why a call failed, what the devices are,
 * where each operation of a compilation went and why. Tools need nothing else.
 *
 * Structs start with struct_size, which the caller sets to sizeof before the call; members beyond
 * the size the library knows stay untouched. Strings given back belong to the library; how long
 * they live stands beside each. Functions that return int return an ANEURALNETWORKS_ result code.
 * All functions may be called from any thread.
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

/* "0.1.0". Static. */
const char *halyard_version(void);

/* ---- Why a call failed ----------------------------------------------------------------------- */

/*
 * The words of the last failing call of this thread: "Compilation_finish: operation 3 LSTM: no
 * device supports it: …". "" if none has failed yet. Successful calls leave it as it is. Valid
 * until the next failing call of this thread. For an event, the text of the execution is set in the
 * waiting thread by ANeuralNetworksEvent_wait.
 */
const char *halyard_last_error(void);

/* The result code that went with halyard_last_error; ANEURALNETWORKS_NO_ERROR if none has failed.
 */
int halyard_last_error_code(void);

/* Forgets both. */
void halyard_clear_last_error(void);

/* Sets the result code and the text of the last failing call of this thread, so that libraries on
 * top of Halyard report failures in the same place. The text is cut to one printable line of 447
 * bytes. NULL counts as "". */
void halyard_set_last_error(int code, const char *text);

/* ---- Devices --------------------------------------------------------------------------------- */

enum {
    HALYARD_DEVICE_BUILT_IN = 0,   /* the CPU backend */
    HALYARD_DEVICE_IN_PROCESS = 1, /* a driver plugin inside this process */
    HALYARD_DEVICE_SERVICE = 2,    /* a driver in a process of its own */
};

/* Facts of a device; all strings live as long as the process. */
struct halyard_device_info {
    size_t struct_size;
    const char *name;
    const char *version;
    const char *build_id;      /* "" if the driver has none */
    const char *manifest;      /* path, or "" for a built-in device */
    const char *library;       /* path, or "" for a built-in device */
    int32_t type;              /* ANEURALNETWORKS_DEVICE_* */
    int32_t kind;              /* HALYARD_DEVICE_* */
    int64_t feature_level;     /* ANEURALNETWORKS_FEATURE_LEVEL_* */
    uint32_t driver_abi_major; /* of the driver library */
    uint32_t driver_abi_minor;

    /* What it has done in this process so far: an execution counts once for each of its steps that
     * ended here without an error, with all operations of the step. So an app can tell whether the
     * device worked for it or stood by. Only runs count, not compilations. */
    uint64_t execution_count;
    uint64_t operation_count;

    /* HALYARD_DEVICE_SERVICE only, else 0 and "". Devices of one driver share a process. */
    int32_t process_id;     /* 0 also while there is none: it has ended, and nobody has needed it */
    uint32_t restart_count; /* how often another process took the place of one that had ended */
    const char *sandbox;    /* what confines the process: "seccomp+landlock 7", "none: reason" */
    const char *socket;     /* where the process listens that serves other apps, too; "": it serves
                               this one alone */

    /* What the driver has said of the device. */
    uint32_t extension_count;   /* halyard_device_get_extension has them */
    uint32_t model_cache_files; /* files of a cache entry; 0 of both: the device does not cache */
    uint32_t data_cache_files;
    uint32_t pool_kinds;  /* kinds of memory that it reads, a bit 1 << HY_POOL_* (driver.h) each */
    uint32_t burst_depth; /* requests that one queue of a burst holds at most; 0: the device has no
                             bursts of its own */
    uint32_t has_buffers; /* 1: memory from descriptors may lie on the device */
    uint64_t launch_ns;   /* declared cost of starting an execution; 0: unknown */
    uint64_t bytes_per_second; /* declared, of moving tensors to and from it; 0: it moves none */

    /* HALYARD_DEVICE_BUILT_IN only, else "": what the processor has and the device does without,
     * and why. It may become something when a model is compiled. */
    const char *note;
};

/* UNEXPECTED_NULL for a NULL; BAD_DATA for an unknown handle or a struct_size of 0. */
int halyard_device_get_info(const ANeuralNetworksDevice *device, struct halyard_device_info *info);

/* An extension of a device. Strings live as long as the process. */
struct halyard_device_extension {
    size_t struct_size;
    const char *name;    /* "com.acme.fft" */
    uint32_t is_partial; /* 1: the device supports a part of its operations */
    uint32_t reserved;
};

/* UNEXPECTED_NULL for a NULL; BAD_DATA for an unknown handle, a struct_size of 0, or an index that
 * is not below the device's extension_count. */
int halyard_device_get_extension(const ANeuralNetworksDevice *device, uint32_t index,
                                 struct halyard_device_extension *extension);

/* Where manifests of drivers were looked for: a folder, or a file that a variable names. Strings
 * live as long as the process. docs/manifest.md has the order of the folders. */
struct halyard_driver_folder {
    size_t struct_size;
    const char *path;
    const char *setting; /* "HALYARD_ADD_DRIVER_FILES", …; "" for a folder of the search */
    const char *const *manifests; /* names of the files that count, manifest_count of them */
    const char *const *masked;    /* names of files that count for nothing, since an earlier folder
                                     has a file of the name */
    uint32_t manifest_count;
    uint32_t masked_count;
    uint32_t is_there; /* 0: there is no such folder */
    uint32_t reserved;
};

/* 0 also where there is no memory to look for drivers; halyard_last_error then says so. */
uint32_t halyard_driver_folder_count(void);

/* UNEXPECTED_NULL for a NULL; BAD_DATA when index >= halyard_driver_folder_count(). */
int halyard_get_driver_folder(uint32_t index, struct halyard_driver_folder *folder);

/* Reads a manifest (docs/manifest.md) as the loader does, and opens nothing. BAD_DATA: it is wrong,
 * and halyard_last_error says in what; UNMAPPABLE: the file cannot be read. Members that are
 * unknown are warnings in the log. */
int halyard_check_manifest(const char *path);

/* A driver that gave no device, or none in a process of its own as was asked, or a setting that
 * names no driver, and why. Strings live as long as the process. */
struct halyard_refused_driver {
    size_t struct_size;
    const char *manifest; /* path of the manifest, or of the folder or file that could not be read;
                             "halyard-cpu": the built-in driver, which got no process of its own;
                             or the variable of the environment: "HALYARD_ISOLATE" */
    const char *reason; /* one line: what is wrong, with the loader's own words if there are any */
};

/* 0 also where there is no memory to look for drivers; halyard_last_error then says so. */
uint32_t halyard_refused_driver_count(void);

/* BAD_DATA when index >= halyard_refused_driver_count(). */
int halyard_get_refused_driver(uint32_t index, struct halyard_refused_driver *refused);

/*
 * Opens the drivers that live in the app's process in another process first, a child of this one. A
 * driver that crashes or exits there, or keeps one call for longer than `patience` nanoseconds, is
 * among the refused drivers here, with the call and what became of the process. It forks: call it
 * before there are threads. BAD_STATE: the devices have been asked for before; OP_FAILED: there is
 * no process, or it has ended outside of the drivers' calls.
 */
int halyard_try_drivers(uint64_t patience);

/*
 * Forgets the records of processes that a driver has ended (docs/environment.md); the next process
 * opens the driver again. `name` is the name of the manifest's file without ".json". BAD_DATA:
 * there is no record against the driver; OP_FAILED: a record cannot be removed.
 */
int halyard_retry_driver(const char *name);

/*
 * Looks for no drivers in this process: its devices are the built-in ones. Halyard calls it in a
 * second Halyard that it loads as a support library, which would find the drivers of this machine
 * once more, and itself among them. BAD_STATE: the devices have been asked for before.
 */
int halyard_disable_drivers(void);

/* ---- The plan of a compilation --------------------------------------------------------------- */

#define HALYARD_NO_COST    (-1.0)
#define HALYARD_TOKEN_SIZE 32

/* Strings live as long as the compilation. All calls: BAD_STATE before a successful finish. */
struct halyard_plan {
    size_t struct_size;
    uint32_t operation_count; /* of the main model, in the order of addOperation */
    uint32_t step_count;
    uint32_t device_count; /* devices that the compilation could choose from */
    uint32_t
        fallback_count;    /* operations on the CPU that another device was there for but refused */
    uint64_t compile_ns;   /* planning and preparing, from the cache or not */
    uint64_t border_bytes; /* bytes that cross from step to step in one execution, where known */
    uint64_t execution_count; /* executions that have ended so far */
    uint64_t predicted_ns;    /* of an execution: the sum over the steps */
    uint64_t copied_bytes;    /* of tensors, that the runtime itself has copied in those executions:
                                 0 unless something stands in for a device, loops end, a device takes
                                 no memory by address, or another reads what lies on it */
    uint64_t device_border_bytes; /* of border_bytes, those that stay in memory of a device */
};

/* What became of the cache when a step was compiled. */
enum {
    HALYARD_CACHE_OFF = 0,        /* nobody asked for caching */
    HALYARD_CACHE_UNUSED = 1,     /* asked for, but the device has no cache files */
    HALYARD_CACHE_HIT = 2,        /* the step comes from the cache */
    HALYARD_CACHE_STORED = 3,     /* there was no good entry; now there is one */
    HALYARD_CACHE_NOT_STORED = 4, /* there was no good entry, and none has been made until now */
};

struct halyard_plan_step {
    size_t struct_size;
    const ANeuralNetworksDevice *device;
    uint32_t operation_count;
    uint32_t reserved;
    uint64_t input_bytes;  /* that it takes from other steps or the app; 0 for unknown shapes */
    uint64_t output_bytes; /* that it gives to other steps or the app */
    uint64_t prepare_ns;
    uint64_t run_count; /* runs measured so far, see halyard_compilation_measure_steps */
    uint64_t total_ns;  /* of those */
    uint8_t token[HALYARD_TOKEN_SIZE]; /* identity of this prepared model: same token, same result;
                                          may take reading all its constants, so a caller who does
                                          without it sets struct_size to its offset */
    uint64_t predicted_ns;       /* of a run: launch, operations, and what crosses its borders */
    int32_t cache;               /* HALYARD_CACHE_*: NOT_STORED may become STORED later */
    const char *cache_reason;    /* one line: why so; never NULL; as long as the compilation */
    uint64_t cache_bytes;        /* of the entry that was read or made; else 0 */
    uint64_t fallback_run_count; /* runs that another device has done, as this one failed */
};

struct halyard_plan_operation {
    size_t struct_size;
    int32_t type; /* ANEURALNETWORKS_ operation code */
    uint32_t step;
    const char *name;                       /* "CONV_2D"; "com.acme.fft#3" of an extension */
    const ANeuralNetworksDevice *device;    /* that runs it */
    const ANeuralNetworksDevice *runner_up; /* next best that could, or NULL */
    double cost;           /* of this operation there, in predicted nanoseconds; with
                              PREFER_LOW_POWER in nanoseconds of halyard-cpu's power */
    double runner_up_cost; /* the same; HALYARD_NO_COST without a runner-up */
    const char *reason;    /* one line: why this device */
};

int halyard_compilation_get_plan(const ANeuralNetworksCompilation *compilation,
                                 struct halyard_plan *plan);
int halyard_compilation_get_step(const ANeuralNetworksCompilation *compilation, uint32_t step,
                                 struct halyard_plan_step *out);
int halyard_compilation_get_operation(const ANeuralNetworksCompilation *compilation,
                                      uint32_t operation, struct halyard_plan_operation *out);

/* Why `device` refused an operation; "" if it supports it. BAD_DATA for a device that the
 * compilation could not choose from. */
int halyard_compilation_get_refusal(const ANeuralNetworksCompilation *compilation,
                                    uint32_t operation, const ANeuralNetworksDevice *device,
                                    const char **reason);

/* What a report may be written as. */
enum {
    HALYARD_REPORT_JSON = 0, /* all of the above in one object, specified in docs/explain.md */
    HALYARD_REPORT_DOT = 1,  /* a graph for Graphviz */
};

/*
 * The whole plan as a text, with the figures as they are now. Writes at most `room` bytes, NUL
 * included, and always the length that the whole has without it; `text` may be NULL with a room of
 * 0. BAD_DATA for another format; OUT_OF_MEMORY. HALYARD_REPORT=FILE has the same, a line of JSON
 * for every compilation of a process, without a call.
 */
int halyard_compilation_write_report(const ANeuralNetworksCompilation *compilation, int32_t format,
                                     char *text, size_t room, size_t *length);

/*
 * Turns the clock per step on or off (off at first) for executions that start from now on. On,
 * every step costs two readings of the clock. Figures are found by halyard_compilation_get_step.
 */
int halyard_compilation_measure_steps(ANeuralNetworksCompilation *compilation, bool measure);

/*
 * On, before finish: every operation becomes a step of its own, on the first of the compilation's
 * devices that takes it, whatever it costs; measuring steps then measures operations. BAD_STATE
 * after finish.
 */
int halyard_compilation_split_operations(ANeuralNetworksCompilation *compilation, bool split);

/* ---- Limits of compilations and executions ----------------------------------------------------
 */

/*
 * Before finish: how many threads share one execution on devices inside of this process, the
 * calling thread among them; 0, as at first: all. All executions of a process share one pool of
 * threads, of which no more compute than the process may keep processors busy.
 * Devices in processes of their own have threads of their own. BAD_STATE after finish.
 */
int halyard_compilation_set_threads(ANeuralNetworksCompilation *compilation, uint32_t threads);

/*
 * Before finish: how many bytes devices inside of this process may take for the executions of the
 * compilation, above all for tensors whose shapes only a run can tell; 0, as at first: what there
 * is. A run that needs more gives OUT_OF_MEMORY. Counted is what drivers ask for before they
 * allocate it (hy_host.memory_reserve), as halyard-cpu does; devices in processes of their own have
 * the limits of their service. BAD_STATE after finish.
 */
int halyard_compilation_set_memory_limit(ANeuralNetworksCompilation *compilation, uint64_t bytes);

/*
 * On, before finish: finish takes every step from the cache of the compilation, and compiles none.
 * A step that is not there fails it with OP_FAILED: "step 0 on halyard-cpu: not in the cache: there
 * is none", a step on a device that does not cache with that reason. A device that has no call for
 * what it finds in a cache, as those of support libraries, is given the entry and may compile; that
 * fails, too. Bodies of IF and WHILE that the runtime runs itself are taken from the cache as well.
 * The setting ends with finish: what stands in for a device that fails later is compiled.
 * BAD_STATE after finish.
 */
int halyard_compilation_only_from_cache(ANeuralNetworksCompilation *compilation, bool only);

/* ANeuralNetworksCompilation_setTimeout and ANeuralNetworksExecution_setTimeout for compilations of
 * any devices, where NNAPI wants exactly one. Nanoseconds; 0: none. The same errors otherwise. */
int halyard_compilation_set_timeout(ANeuralNetworksCompilation *compilation, uint64_t duration);
int halyard_execution_set_timeout(ANeuralNetworksExecution *execution, uint64_t duration);

/*
 * Ends the run in hand early, and later runs at once, until the same is called with false: between
 * two steps; inside of a step on devices in this process that look at the `cancelled` word of
 * halyard/driver.h, as halyard-cpu does inside of operations. The run gives BAD_STATE with the word
 * "cancelled", and the contents of outputs are undefined; a run may also end with its own result
 * first. From any thread while the execution exists. Returns at once.
 */
int halyard_execution_cancel(ANeuralNetworksExecution *execution, bool cancel);

/* ---- Threads of Halyard ---------------------------------------------------------------------- */

/* Work for a thread of the pool that runs asynchronous executions. The struct belongs to the
 * caller, and to the library from the start until `run` is called with it; nothing is allocated. */
struct halyard_task {
    size_t struct_size;
    int32_t priority; /* ANEURALNETWORKS_PRIORITY_*; 0: medium */
    void (*run)(struct halyard_task *task);
    void *reserved[4]; /* of the library */
};

/* UNEXPECTED_NULL; BAD_DATA: struct_size, priority; RESOURCE_EXHAUSTED_TRANSIENT: there is no
 * thread, and none can be made. */
int halyard_task_start(struct halyard_task *task);

/* ---- Measured times -------------------------------------------------------------------------- */

/*
 * The times that were measured on one device of this machine. The planner believes them before it
 * believes what a driver declares. They are kept in the state folder, for one version and build of
 * the driver and one processor, and count in processes that ask for their devices later.
 * `halyard bench --profile` measures with these calls. A profile is for one thread.
 */
struct halyard_profile;

/* Starts from what is kept for the device as it is now. UNEXPECTED_NULL; BAD_DATA for an unknown
 * device; OUT_OF_MEMORY. */
int halyard_profile_create(const ANeuralNetworksDevice *device, struct halyard_profile **profile);
void halyard_profile_free(struct halyard_profile *profile); /* takes NULL */

/* The time of a step with next to nothing to do. Comes first: times of operations are taken without
 * it. 0: what the driver declares. */
int halyard_profile_set_launch(struct halyard_profile *profile, uint64_t ns);

/*
 * Takes `ns` as the time of the step that runs this operation, alone and on the profile's device:
 * see halyard_compilation_split_operations. Several operations of one kind and about one size count
 * as their mean. BAD_DATA for another step, and for extension operations and control flow.
 */
int halyard_profile_add(struct halyard_profile *profile,
                        const ANeuralNetworksCompilation *compilation, uint32_t operation,
                        uint64_t ns);

/* Stores it in the place of what there was. `path`, of the file, lives as long as the profile and
 * may be NULL. OP_FAILED where it cannot be stored, in words. */
int halyard_profile_save(struct halyard_profile *profile, const char **path);

/* ---- Hardware buffers ------------------------------------------------------------------------ */

/*
 * Makes a hardware buffer of memory that a camera, a display or another device has given as a
 * dma-buf (V4L2, DRM): no byte is copied. Memory from memfd_create serves, too, if it is sealed
 * against shrinking.
 *   fd    duplicated. Open for reading, and for writing if the usage has a CPU_WRITE value.
 *   desc  how the pixels lie from the first byte on; `stride` is their distance from row to row in
 *         pixels, 0: as AHardwareBuffer_allocate would have it. docs/hardware-buffers.md says where
 *         the planes of Y8Cb8Cr8_420 must be.
 * The buffer goes back with AHardwareBuffer_release. BAD_DATA: another kind of file, a description
 * that AHardwareBuffer_isSupported refuses, or more pixels than bytes; UNMAPPABLE: the device does
 * not let the CPU see the memory; OP_FAILED; OUT_OF_MEMORY.
 */
int halyard_hardware_buffer_wrap(int fd, const AHardwareBuffer_Desc *desc,
                                 AHardwareBuffer **buffer);

/* ---- The cache ------------------------------------------------------------------------------- */

/*
 * Looking over a cache directory, of any app: what `halyard cache` does. `folder` is what the app
 * gave to ANeuralNetworksCompilation_setCaching; NULL: the one that HALYARD_CACHE_DIR names. It may
 * be in use meanwhile, by any number of processes: entries appear and go whole, and the contents of
 * an open entry do not change for its readers. docs/cache.md says what lies there.
 *
 * All calls: BAD_DATA for a NULL where that variable is not set, and for a struct_size of 0;
 * OP_FAILED, in words, where the folder cannot be used (it is not there, it is not ours);
 * OUT_OF_MEMORY.
 */

/* An entry: what one prepared model keeps. Strings live during the call of the visitor. */
struct halyard_cache_entry {
    size_t struct_size;                /* that the library knows */
    uint8_t token[HALYARD_TOKEN_SIZE]; /* as in halyard_plan_step */
    const char *device;                /* its name; this and what follows is "" or 0 where the */
    const char *version;               /* entry is too damaged to tell */
    const char *build_id;
    uint32_t operation_count; /* of the step */
    int32_t preference;       /* ANEURALNETWORKS_PREFER_* */
    int32_t priority;         /* ANEURALNETWORKS_PRIORITY_* */
    uint32_t model_files;     /* files that steer execution */
    uint32_t data_files;      /* files of constants and weights */
    int32_t kept_open;        /* 1: its driver may go on writing, so nobody but it can check it */
    uint64_t bytes;           /* of all its files */
    int64_t created;          /* seconds since 1970 */
    int64_t used;             /* the same, of the last use */
    const char *fault;        /* what is wrong with it, one line; "" if nothing is */
};

struct halyard_cache_summary {
    size_t struct_size;
    uint64_t entries; /* that are there, in the end */
    uint64_t bytes;   /* of those */
    uint64_t faulty;  /* that were found */
    uint64_t removed;
    uint64_t removed_bytes;
    uint64_t leftovers; /* of processes that died: removed */
};

typedef void (*halyard_cache_visitor)(void *context, const struct halyard_cache_entry *entry);

/* Visits all entries in order of their tokens, and sums up. `summary` may be NULL, as `visit`. Only
 * what their descriptions say is looked at. */
int halyard_cache_list(const char *folder, halyard_cache_visitor visit, void *context,
                       struct halyard_cache_summary *summary);

/* The same, and reads and checks every byte. Removes nothing. */
int halyard_cache_verify(const char *folder, halyard_cache_visitor visit, void *context,
                         struct halyard_cache_summary *summary);

#define HALYARD_CACHE_LIMIT_IN_FORCE UINT64_MAX /* of HALYARD_CACHE_LIMIT */

/* Removes faulty entries and what processes have left that died, then the least recently used ones
 * until no more than `limit` bytes are there; 0: all. Visits what it removes. */
int halyard_cache_collect(const char *folder, uint64_t limit, halyard_cache_visitor visit,
                          void *context, struct halyard_cache_summary *summary);

/* Removes one entry. There is none any more afterwards, whether there was one or not. */
int halyard_cache_remove(const char *folder, const uint8_t token[HALYARD_TOKEN_SIZE]);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
