#include "tests/scenarios/caching/forked.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 1
#define SIGNAL 100 /* added to the number of the signal that ended a part */

bool forked_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "  %s:%d: %s\n", file, line, condition);
    return false;
}

void forked_give_up(void)
{
    _exit(FORKED_NOT_HERE);
}

pid_t forked_start(bool (*function)(void *context), void *context)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool good = function(context);
    fflush(NULL);
    _exit(good ? 0 : FAILED);
}

int forked_end(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL + WTERMSIG(status);
}

int forked_run(bool (*function)(void *context), void *context)
{
    return forked_end(forked_start(function, context));
}

void *forked_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
