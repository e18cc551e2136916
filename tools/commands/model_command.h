#ifndef HY_TOOLS_COMMANDS_MODEL_COMMAND_H
#define HY_TOOLS_COMMANDS_MODEL_COMMAND_H

#include "tools/session.h"

/* Shared parts of commands on a model: reading the devices, the model and the inputs, and error
 * messages. Each function returns an enum hy_exit, after a message on stderr for a failure. */

/* `isolate`: the devices must run in separate processes; a device that cannot is an error. Must be
 * called before the first call of the API. */
int hy_model_choose_devices(const char *command, const struct hy_option_list *names, bool isolate,
                            struct hy_device_selection *selection);

/* The options that determine a compilation, and thereby a cache entry, as rows of struct
 * hy_option. */
#define HY_COMPILATION_OPTIONS(settings) \
    {"signature", HY_OPTION_TEXT, "NAME", "the signature of the network to use (the first)", \
     &(settings)->signature}, \
        {"shape", HY_OPTION_LIST, "NAME=1x224x224x3", \
         "the shape of an input, by name or index; may be repeated", &(settings)->shapes}, \
        {"preference", HY_OPTION_ENUM, HY_PREFERENCES, \
         "goal of the compilation: fast single runs (default), throughput, or low power", \
         &(settings)->preference}, \
        {"priority", HY_OPTION_ENUM, HY_PRIORITIES, "priority of the work against other apps", \
         &(settings)->priority}, \
    { \
        "relaxed", HY_OPTION_FLAG, NULL, "float32 may be computed with the precision of float16", \
            &(settings)->relaxed \
    }

/* The options of all commands that run a session. */
#define HY_SESSION_OPTIONS(settings) \
    HY_COMPILATION_OPTIONS(settings), \
        {"threads", HY_OPTION_COUNT, "N", "threads that share an inference on the CPU backend", \
         &(settings)->threads}, \
    { \
        "deadline", HY_OPTION_COUNT, "MS", "time limit of a run in milliseconds", \
            &(settings)->deadline_ms \
    }

/* Loads as many inputs as `paths` has; notes about the inputs and about the model's metadata go to
 * stderr. `image` has the options for pictures, and may be NULL. */
int hy_model_load_inputs(const char *command, struct hy_session *session,
                         const struct hy_option_list *paths,
                         const struct halyard_image_options *image);

/* Checks that a cache exists: the directory of --cache, or for NULL the directory of
 * HALYARD_CACHE_DIR. */
int hy_model_choose_cache(const char *command, const char *dir);

/* Parses --mode. */
int hy_model_choose_mode(const char *command, const char *name, enum hy_run_mode *mode);

#endif
