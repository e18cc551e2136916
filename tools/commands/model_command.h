#ifndef HY_TOOLS_COMMANDS_MODEL_COMMAND_H
#define HY_TOOLS_COMMANDS_MODEL_COMMAND_H

#include "tools/session.h"

/* What commands on a model have in common: reading the devices, the model and the inputs, and
 * telling what is wrong with them. Each returns an enum hy_exit after it spoke on stderr. */

/* `isolate`: the devices are to be in processes of their own, and those that cannot be are wrong.
 * Before the first call of the API. */
int hy_model_choose_devices(const char *command, const struct hy_option_list *names, bool isolate,
                            struct hy_device_choice *choice);

/* What a compilation is of, and how, as rows of struct hy_option: an entry of a cache is of all
 * that. */
#define HY_COMPILATION_OPTIONS(settings) \
    {"signature", HY_OPTION_TEXT, "NAME", "the entry of the network to use (the first)", \
     &(settings)->signature}, \
        {"shape", HY_OPTION_LIST, "NAME=1x224x224x3", \
         "the shape of an input, by name or index; may be repeated", &(settings)->shapes}, \
        {"preference", HY_OPTION_CHOICE, HY_PREFERENCES, \
         "what to compile for: single answers (default), many, or little power", \
         &(settings)->preference}, \
        {"priority", HY_OPTION_CHOICE, HY_PRIORITIES, "of the work among that of other apps", \
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
        "deadline", HY_OPTION_COUNT, "MS", "give up a run after so many milliseconds", \
            &(settings)->deadline_ms \
    }

/* Loads as many inputs as there are paths; notes about them, and about the model's metadata, go to
 * stderr. `image` says how pictures become inputs, may be NULL. */
int hy_model_load_inputs(const char *command, struct hy_session *session,
                         const struct hy_option_list *paths,
                         const struct halyard_image_options *image);

/* Whether there is a cache: the folder of --cache, or that of HALYARD_CACHE_DIR for a NULL. */
int hy_model_choose_cache(const char *command, const char *folder);

/* Parses --mode. */
int hy_model_choose_mode(const char *command, const char *name, enum hy_run_mode *mode);

#endif
