#ifndef HY_TESTS_TOOLS_KIT_COMMAND_RUN_H
#define HY_TESTS_TOOLS_KIT_COMMAND_RUN_H

#include <jansson.h>

/* What the `halyard` command did, run as a process of its own. */
struct command_run {
    int status; /* of exit; -1: it was not started, or a signal ended it */
    char *out;
    char *err;
};

#define COMMAND_ARGUMENTS_MAX 16

/* Runs HALYARD_COMMAND with these arguments, NULL at the end. */
struct command_run command_run(const char *const *arguments);
void command_run_finish(struct command_run *run);

#define RUN(...) command_run((const char *const[]){__VA_ARGS__, NULL})

/* Its output as JSON; NULL, and a failure on record, when it is none. */
json_t *command_run_json(const struct command_run *run);

/* examples/NAME of the source tree. Valid until the fourth call after it. */
const char *example_path(const char *name);

/* A folder of its own for the test; removed with everything in it by remove_folder. */
void make_folder(char path[64]);
void remove_folder(const char *path);

/* A whole file, which the caller frees; NULL when there is none. */
char *read_whole_file(const char *path, size_t *length);
void write_whole_file(const char *path, const char *text);

#endif
