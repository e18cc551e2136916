#include "runtime/drivers/process_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the start of a /proc file as text. False: no such file. */
static bool read_text(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Fields 1, 3 and 22 of stat in proc(5). Field 2 is a name that may have blanks and brackets. */
struct stat_fields {
    int process;
    char state;
    uint64_t start;
};

static bool read_stat(const char *path, struct stat_fields *ret)
{
    char text[1024];
    if (!read_text(path, text, sizeof text))
        return false;

    const char *after_name = strrchr(text, ')');
    return after_name && sscanf(text, "%d", &ret->process) == 1 &&
           sscanf(after_name + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%" SCNu64,
                  &ret->state, &ret->start) == 2;
}

bool hy_process_identity_read(struct hy_process_identity *ret)
{
    char boot[40];
    struct stat names;
    struct stat_fields fields;

    memset(ret, 0, sizeof *ret);
    ret->process = (int32_t)getpid();
    if (!read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
        stat("/proc/self/ns/pid", &names) != 0 || !read_stat("/proc/self/stat", &fields) ||
        fields.process != ret->process)
        return false;
    ret->start = fields.start;
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(ret->position, sizeof ret->position, "%s %ju", boot, (uintmax_t)names.st_ino);
    return true;
}

enum hy_process_state hy_process_identity_state(const struct hy_process_identity *identity,
                                                const struct hy_process_identity *own)
{
    char path[32];
    struct stat_fields fields;

    if (strcmp(identity->position, own->position) != 0)
        return HY_PROCESS_IS_ELSEWHERE;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)identity->process);
    errno = 0;
    if (!read_stat(path, &fields))
        return errno == ENOENT || errno == ESRCH ? HY_PROCESS_HAS_ENDED : HY_PROCESS_LIVES;
    return fields.start != identity->start || fields.state == 'Z' || fields.state == 'X'
               ? HY_PROCESS_HAS_ENDED
               : HY_PROCESS_LIVES;
}
