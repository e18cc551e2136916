#include "tests/conformance/run_command.h"

#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kit/test.h"

extern char **environ;

/* Starts the program with its stdout in a pipe; returns the end to read from, or -1. */
static int start(const char *const *arguments, pid_t *pid)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    /* The strings are not changed; the type is a relic. */
    const int error =
        posix_spawn(pid, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

json_t *hy_run_command(const char *const *arguments, int *status)
{
    pid_t pid = 0;
    const int output = start(arguments, &pid);
    FILE *file = output < 0 ? NULL : fdopen(output, "r");
    if (!file) {
        hy_test_fail(__FILE__, __LINE__, "%s: cannot be started", arguments[0]);
        return NULL;
    }
    json_error_t error;
    json_t *report = json_loadf(file, 0, &error);
    fclose(file);
    int ended = 0;
    waitpid(pid, &ended, 0);
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (!report)
        hy_test_fail(__FILE__, __LINE__, "%s: exit status %d, %s", arguments[0], *status,
                     error.text);
    return report;
}

/* Of several modes each has a member of the one object; of one mode the object is it. */
static json_t *list_modes(json_t *report, const char *const *modes, size_t mode_count)
{
    json_t *reports = json_array();
    json_t *members = json_object_get(report, "modes");

    for (size_t i = 0; i < mode_count; i++) {
        json_t *of_mode = mode_count == 1 ? report : json_object_get(members, modes[i]);
        if (of_mode)
            json_array_append(reports, of_mode);
    }
    return reports;
}

json_t *hy_run_conformance(const char *path, const char *device, const char *const *modes,
                           size_t mode_count)
{
    const char *arguments[7 + 2 * HY_CONFORMANCE_MODES] = {getenv("HALYARD_COMMAND"), "conformance",
                                                           "--json", path};
    size_t count = 4;
    int status = -1;

    if (!arguments[0] || mode_count > HY_CONFORMANCE_MODES) {
        hy_test_fail(__FILE__, __LINE__, "%s in %zu modes",
                     arguments[0] ? arguments[0] : "a command that HALYARD_COMMAND does not name",
                     mode_count);
        return NULL;
    }
    for (size_t i = 0; i < mode_count; i++) {
        arguments[count++] = "--mode";
        arguments[count++] = modes[i];
    }
    if (device) {
        arguments[count++] = "--device";
        arguments[count++] = device;
    }
    json_t *report = hy_run_command(arguments, &status);
    json_t *reports = list_modes(report, modes, mode_count);
    EXPECT_INT(status, 0);
    EXPECT_INT(json_array_size(reports), mode_count);
    json_decref(report);
    return reports;
}
