#include "tests/unit/tools/kit/command_run.h"

#include <fts.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kit/test.h"

extern char **environ;

static char *read_all(FILE *file, size_t *length)
{
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *bytes = calloc(1, (size_t)size + 1);
    *length = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    return bytes;
}

static int wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

struct command_run command_run(const char *const *arguments)
{
    char *argv[COMMAND_ARGUMENTS_MAX + 2] = {getenv("HALYARD_COMMAND")};
    for (size_t i = 0; i < COMMAND_ARGUMENTS_MAX && arguments[i]; i++)
        argv[i + 1] = (char *)arguments[i];

    struct command_run run = {.status = -1};
    FILE *out = tmpfile(), *err = tmpfile();
    if (!argv[0] || !out || !err) {
        hy_test_fail(__FILE__, __LINE__, "HALYARD_COMMAND is not set, or there is no /tmp");
        return run;
    }

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
    pid_t child;
    if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) == 0)
        run.status = wait_for(child);
    posix_spawn_file_actions_destroy(&actions);

    size_t length;
    run.out = read_all(out, &length);
    run.err = read_all(err, &length);
    fclose(out);
    fclose(err);
    return run;
}

void command_run_finish(struct command_run *run)
{
    free(run->out);
    free(run->err);
}

json_t *command_run_json(const struct command_run *run)
{
    json_error_t problem;
    json_t *json = json_loads(run->out ? run->out : "", 0, &problem);
    if (!json)
        hy_test_fail(__FILE__, __LINE__, "no JSON: line %d: %s; stderr: %s", problem.line,
                     problem.text, run->err);
    return json;
}

const char *example_path(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    const char *dir = getenv("HALYARD_EXAMPLES_DIR");
    snprintf(path, sizeof paths[0], "%s/%s", dir ? dir : ".", name);
    return path;
}

void make_dir(char path[64])
{
    strcpy(path, "/tmp/halyard-test-XXXXXX");
    if (!mkdtemp(path))
        hy_test_fail(__FILE__, __LINE__, "cannot make a folder in /tmp");
}

void remove_dir(const char *path)
{
    char *roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_path);
    if (walk)
        fts_close(walk);
}

char *read_whole_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *bytes = read_all(file, length);
    fclose(file);
    return bytes;
}

void write_whole_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        hy_test_fail(__FILE__, __LINE__, "cannot write %s", path);
}
