#include "tools/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"

int hy_exit_failed(const char *command, const struct hy_error *err)
{
    fflush(stdout); /* what came before stays before */
    fprintf(stderr, "halyard %s: %s\n", command, err->text);
    return HY_EXIT_FAILED;
}

int hy_exit_wrong(const char *command, const char *format, ...)
{
    struct hy_line line;

    fflush(stdout);
    va_list args;
    va_start(args, format);
    vsnprintf(line.text, sizeof line.text, format, args);
    va_end(args);
    hy_text_clean(line.text); /* arguments may be names of files */
    fprintf(stderr, "halyard %s: %s\nTry 'halyard %s --help'.\n", command, line.text, command);
    return HY_EXIT_WRONG;
}

void hy_command_isolate(void)
{
    setenv("HALYARD_ISOLATE", "all", 1);
}

int hy_exit_written(const char *command)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return HY_EXIT_OK;
    struct hy_error err;
    hy_fail(&err, HY_FAILED, "cannot write to standard output: %s", strerror(errno));
    return hy_exit_failed(command, &err);
}
