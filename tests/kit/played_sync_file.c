#include "tests/kit/played_sync_file.h"

#include <linux/sync_file.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool is_played;
static atomic_int played_status;

void play_sync_files(int status)
{
    atomic_store(&played_status, status);
    atomic_store(&is_played, true);
}

void play_no_sync_files(void)
{
    atomic_store(&is_played, false);
}

__attribute__((constructor)) static void play_from_environment(void)
{
    const char *status = getenv("HALYARD_TEST_SYNC_STATUS");
    if (status)
        play_sync_files(atoi(status));
}

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
    struct sync_file_info *info = argument;

    if (request != SYNC_IOC_FILE_INFO || !atomic_load(&is_played))
        return __real_ioctl(fd, request, argument);
    info->status = atomic_load(&played_status);
    return 0;
}
