#ifndef HY_TOOLS_SESSION_H
#define HY_TOOLS_SESSION_H

#include <halyard/session.h>

#include "tools/device_selection.h"
#include "tools/run_mode.h"

/*
 * Operations of commands on a network file: open the file, fill its inputs, compile, run. A layer
 * over halyard/session.h with the behaviour of commands: inputs that survive another compilation,
 * results as enum hy_code, progress on terminals. One thread.
 */
struct hy_session;

/* Words of options, the default first. */
#define HY_PREFERENCES "fast|sustained|low-power"
#define HY_PRIORITIES  "medium|low|high"

/* Settings from the options of a command; all zeros but the devices are the defaults. */
struct hy_session_settings {
    const struct hy_device_selection *selection;
    enum hy_run_mode mode;
    const char *signature;        /* NULL: the first signature */
    struct hy_option_list shapes; /* "NAME=1x224x224x3" or "INDEX=..." */
    int32_t preference;           /* of HY_PREFERENCES */
    int32_t priority;             /* of HY_PRIORITIES */
    bool relaxed;                 /* float32 may be computed as float16 */
    uint32_t threads;             /* 0: all */
    uint32_t deadline_ms;         /* of each run; 0: none */
    const char *cache_dir;        /* NULL: none */
    bool split_operations;        /* each operation is a separate step */
};

/* An input or output, and its contents. */
struct hy_session_tensor {
    struct halyard_tensor_info info;
    void *bytes;
    size_t length;
};

/* `settings` outlives the session. Errors name the path; HY_BAD_DATA also for an unknown signature,
 * or a shape that the network does not support. */
HY_MUST_CHECK enum hy_code hy_session_open(const char *path,
                                           const struct hy_session_settings *settings,
                                           struct hy_session **out, struct hy_error *err);
/* NULL is ignored. */
void hy_session_close(struct hy_session *session);

/* The parts of the file's metadata that the library ignores, with the reason; "": none. */
const char *hy_session_metadata_note(const struct hy_session *session);

uint32_t hy_session_input_count(const struct hy_session *session);
uint32_t hy_session_output_count(const struct hy_session *session);
struct hy_session_tensor hy_session_input(const struct hy_session *session, uint32_t index);

/* The output of the last run. */
struct hy_session_tensor hy_session_output(const struct hy_session *session, uint32_t index);

/* Reads an input from a file; an input with open extents may get another shape. `options` may be
 * NULL; `note` gets a sentence about the conversion of the data, or "". */
HY_MUST_CHECK enum hy_code hy_session_read_input(struct hy_session *session, uint32_t index,
                                                 const char *path,
                                                 const struct halyard_image_options *options,
                                                 char *note, size_t note_size,
                                                 struct hy_error *err);

/* Replaces the class names of an output by the names of a file. The names are valid until the next
 * compilation. */
HY_MUST_CHECK enum hy_code hy_session_read_labels(struct hy_session *session, uint32_t output,
                                                  const char *path, struct hy_error *err);

#define HY_NOISE_SEED 1

/* Fills inputs from `first` on with noise, the same noise for a seed at every call: floats around
 * 0, integers of 32 and 64 bits from 0 to 7, because they may be indices of tables, and arbitrary
 * bytes for other types. */
void hy_session_fill_inputs(struct hy_session *session, uint32_t first, uint32_t seed);

/* Sets the cache directory of later compilations, a path that outlives the session; NULL: no
 * cache. */
void hy_session_use_cache(struct hy_session *session, const char *dir);

/* Compiles, and replaces an existing compilation. The inputs stay. */
HY_MUST_CHECK enum hy_code hy_session_compile(struct hy_session *session, struct hy_error *err);
/* Does nothing without a compilation. */
void hy_session_drop_compilation(struct hy_session *session);
ANeuralNetworksCompilation *hy_session_compilation(const struct hy_session *session);

/* The session of libhalyard inside `session`, with the same inputs. */
struct halyard_session *hy_session_handle(const struct hy_session *session);

/* Runs the compiled model once. */
HY_MUST_CHECK enum hy_code hy_session_run(struct hy_session *session, struct hy_error *err);

#endif
