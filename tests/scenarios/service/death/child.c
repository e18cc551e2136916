#include "child.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CAPACITY = 512, TIMEOUT_S = 240 /* s; only a failing test takes so long */ };

static char *noted; /* shared with the child */

bool child_fail(const char *format, ...)
{
    va_list arguments;

    if (noted[0])
        return false;
    va_start(arguments, format);
    vsnprintf(noted, CAPACITY, format, arguments);
    va_end(arguments);
    return false;
}

/* Through exit(), so that a sanitizer looks for what was lost. */
static _Noreturn void be_the_child(bool (*act)(void *context), void *context)
{
    alarm(TIMEOUT_S);
    exit(act(context) && !noted[0] ? 0 : 1);
}

bool child_does(bool (*act)(void *context), void *context, const char **message)
{
    int status = -1;

    if (!noted)
        noted = mmap(NULL, CAPACITY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (noted == MAP_FAILED)
        abort();
    memset(noted, 0, CAPACITY);
    *message = noted;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        be_the_child(act, context);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (status != 0 && !noted[0])
        snprintf(noted, CAPACITY, "the child ended with status %#x", (unsigned)status);
    return status == 0;
}
