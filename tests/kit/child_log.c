#include "tests/kit/child_log.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kit/test.h"

void hy_child_log(const char *setting, const char *format, void (*act)(void), char *text,
                  size_t size)
{
    int status = 1, file = memfd_create("halyard-test-log", MFD_CLOEXEC);

    text[0] = '\0';
    REQUIRE(file >= 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(file, STDERR_FILENO);
        setenv("HALYARD_LOG", setting, 1);
        setenv("HALYARD_LOG_FORMAT", format, 1);
        act();
        fflush(stderr);
        _exit(0);
    }
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    const ssize_t length = pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(file);
}
