/* HALYARD_REPORT: a line per compilation, at the end of a file that several processes may share. */
#include "runtime/report/report.h"

#include "common/clock.h"
#include "runtime/environment.h"
#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hy_report_is_wanted(void)
{
    const struct hy_environment *environment = hy_environment();
    return environment && environment->report;
}

static void complain(const char *path, const char *what, int error)
{
    static atomic_flag has_complained = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&has_complained))
        hy_log(HY_LOG_WARNING, "report", "HALYARD_REPORT %s: %s: %s; reports are lost", path, what,
               strerror(error));
}

/* One write, so that lines of several writers do not mix. */
static void append(const char *path, char *line, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                        S_IRUSR | S_IWUSR);
    if (fd < 0) {
        complain(path, "cannot be opened", errno);
        return;
    }
    line[length] = '\n'; /* replaces the NUL */
    const ssize_t written = write(fd, line, length + 1);
    if (written != (ssize_t)length + 1)
        complain(path, "a line was written incompletely", written < 0 ? errno : ENOSPC);
    close(fd);
}

void hy_report_append(const struct hy_compilation *compilation, const char *event)
{
    if (!hy_report_is_wanted())
        return;

    const struct hy_report_occasion occasion = {
        .event = event,
        .compilation = compilation->id,
        .process = getpid(),
        .program = program_invocation_short_name,
        .time = hy_clock_read(CLOCK_REALTIME),
    };
    char *line;
    size_t length;
    struct hy_error err;
    if (hy_report_json(compilation, &occasion, &line, &length, &err) != HY_OK) {
        hy_log(HY_LOG_WARNING, "report", "%s", err.text);
        return;
    }
    append(hy_environment()->report, line, length);
    free(line);
}
