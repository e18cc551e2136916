#include "bench/service/remote_subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct hy_remote_subject {
    const char *name; /* for messages */
    pid_t process;
    int orders;  /* uint64_t: how often to run */
    int replies; /* first the facts, then a double per request: duration in seconds */
    struct hy_remote_info info;
};

static bool read_whole(int fd, void *data, size_t size)
{
    ssize_t length;
    do
        length = read(fd, data, size);
    while (length < 0 && errno == EINTR);
    return length == (ssize_t)size; /* short messages arrive in one piece */
}

static bool write_whole(int fd, const void *data, size_t size)
{
    ssize_t length;
    do
        length = write(fd, data, size);
    while (length < 0 && errno == EINTR);
    return length == (ssize_t)size;
}

/* ---- This end -------------------------------------------------------------------------------- */

/* In the new process; the ends of pipes become its stdin and stdout. */
static void become(const char *const *arguments, const struct hy_remote_variable *variables,
                   uint32_t variable_count, int orders, int replies)
{
    for (uint32_t i = 0; i < variable_count; i++)
        setenv(variables[i].name, variables[i].value, 1);
    if (dup2(orders, STDIN_FILENO) >= 0 && dup2(replies, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static enum hy_code spawn(struct hy_remote_subject *remote, const char *const *arguments,
                          const struct hy_remote_variable *variables, uint32_t variable_count,
                          struct hy_error *err)
{
    int there[2], back[2];
    if (pipe2(there, O_CLOEXEC) != 0)
        return hy_fail(err, HY_FAILED, "%s: no pipe: %s", remote->name, strerror(errno));
    if (pipe2(back, O_CLOEXEC) != 0) {
        close(there[0]);
        close(there[1]);
        return hy_fail(err, HY_FAILED, "%s: no pipe: %s", remote->name, strerror(errno));
    }
    remote->orders = there[1];
    remote->replies = back[0];
    remote->process = fork();
    if (remote->process == 0)
        become(arguments, variables, variable_count, there[0], back[1]);
    close(there[0]);
    close(back[1]);
    if (remote->process < 0)
        return hy_fail(err, HY_FAILED, "%s: no process: %s", remote->name, strerror(errno));
    return HY_OK;
}

enum hy_code hy_remote_subject_start(const char *const *arguments,
                                     const struct hy_remote_variable *variables,
                                     uint32_t variable_count, struct hy_remote_subject **out,
                                     struct hy_error *err)
{
    struct hy_remote_subject *remote = calloc(1, sizeof *remote);
    if (!remote)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s", arguments[0]);
    *remote = (struct hy_remote_subject){
        .name = arguments[0], .process = -1, .orders = -1, .replies = -1};
    enum hy_code code = spawn(remote, arguments, variables, variable_count, err);
    if (code == HY_OK && !read_whole(remote->replies, &remote->info, sizeof remote->info))
        code = hy_fail(err, HY_FAILED, "%s does not get ready", remote->name);
    if (code != HY_OK) {
        hy_remote_subject_stop(remote);
        return code;
    }
    *out = remote;
    return HY_OK;
}

void hy_remote_subject_stop(struct hy_remote_subject *remote)
{
    if (!remote)
        return;
    if (remote->orders >= 0)
        close(remote->orders);
    if (remote->replies >= 0)
        close(remote->replies);
    if (remote->process > 0)
        waitpid(remote->process, NULL, 0);
    free(remote);
}

struct hy_remote_info hy_remote_subject_info(const struct hy_remote_subject *remote)
{
    return remote->info;
}

enum hy_code hy_remote_subject_time_runs(void *self, uint64_t repeats, double *seconds,
                                         struct hy_error *err)
{
    const struct hy_remote_subject *remote = self;
    if (write_whole(remote->orders, &repeats, sizeof repeats) &&
        read_whole(remote->replies, seconds, sizeof *seconds))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "%s: it is gone", remote->name);
}

/* ---- The other end --------------------------------------------------------------------------- */

enum hy_code hy_remote_subject_serve(const struct hy_bench_subject *subject,
                                     const struct hy_remote_info *info, struct hy_error *err)
{
    const struct hy_remote_info ready = info ? *info : (struct hy_remote_info){0};
    double seconds;
    uint64_t repeats;
    enum hy_code code = HY_OK;
    bool wanted = write_whole(STDOUT_FILENO, &ready, sizeof ready);

    while (wanted && read_whole(STDIN_FILENO, &repeats, sizeof repeats)) {
        code = hy_bench_subject_time_runs(subject, repeats, &seconds, err);
        wanted = code == HY_OK && write_whole(STDOUT_FILENO, &seconds, sizeof seconds);
    }
    return code;
}
