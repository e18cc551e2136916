#ifndef HY_TESTS_UNIT_TOOLS_KIT_COMMAND_RUN_H
#define HY_TESTS_UNIT_TOOLS_KIT_COMMAND_RUN_H

#include <jansson.h>

/* The result of the `halyard` command in a child process. */
struct command_run {
    int status; /* exit status; -1: not started, or ended by a signal */
    char *out;
    char *err;
};

#define COMMAND_ARGUMENTS_MAX 16

/* Runs HALYARD_COMMAND with the given arguments, terminated by NULL. */
struct command_run command_run(const char *const *arguments);
void command_run_finish(struct command_run *run);

#define RUN(...) command_run((const char *const[]){__VA_ARGS__, NULL})

/* Parses the output as JSON. On failure records a test failure and returns NULL. */
json_t *command_run_json(const struct command_run *run);

/* examples/NAME in the source tree. Valid for the next three calls. */
const char *example_path(const char *name);

/* Creates a directory for the test; remove_dir removes a directory with its contents. */
void make_dir(char path[64]);
void remove_dir(const char *path);

/* Reads a whole file, freed by the caller. Returns NULL if the file is missing. */
char *read_whole_file(const char *path, size_t *length);
void write_whole_file(const char *path, const char *text);

#endif
