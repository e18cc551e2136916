#include "isolated.h"

#include "common/clock.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DEVICES = 8 };

ANeuralNetworksDevice *isolated_device(const char *name)
{
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *its = NULL;
        ANeuralNetworks_getDevice(i, &device);
        ANeuralNetworksDevice_getName(device, &its);
        if (strcmp(its, name) == 0)
            return device;
    }
    return NULL;
}

struct halyard_device_info isolated_info(const char *name)
{
    struct halyard_device_info info = {.struct_size = sizeof info};

    if (halyard_device_get_info(isolated_device(name), &info) != ANEURALNETWORKS_NO_ERROR)
        memset(&info, 0, sizeof info);
    return info;
}

pid_t isolated_pid(const char *name)
{
    return isolated_info(name).process_id;
}

ANeuralNetworksCompilation *isolated_compile(ANeuralNetworksModel *model, const char *const *names,
                                             uint32_t count)
{
    const ANeuralNetworksDevice *devices[MOST_DEVICES];
    ANeuralNetworksCompilation *compilation = NULL;

    for (uint32_t i = 0; i < count; i++)
        devices[i] = isolated_device(names[i]);
    if (ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksCompilation_finish(compilation) == ANEURALNETWORKS_NO_ERROR)
        return compilation;
    ANeuralNetworksCompilation_free(compilation);
    return NULL;
}

void isolated_signal(const char *name, int signal)
{
    const pid_t pid = isolated_pid(name);

    if (pid > 0)
        kill(pid, signal);
}

void isolated_kill(const char *name)
{
    const pid_t pid = isolated_pid(name);
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    if (pid <= 0 || end.fd < 0)
        return;

    kill(pid, SIGKILL);
    poll(&end, 1, -1);
    close(end.fd);
    while (isolated_pid(name) == pid)
        poll(NULL, 0, 1);
}

static bool stands_still(const char *tasks, const char *thread)
{
    char path[512], text[512] = "";

    snprintf(path, sizeof path, "%s/%s/stat", tasks, thread);
    FILE *file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    const char *state = strrchr(text, ')');
    return !state || state[2] == 'T';
}

void isolated_stop(pid_t pid)
{
    char tasks[64];
    bool all = pid <= 0; /* which would be this process and its like */

    if (!all)
        kill(pid, SIGSTOP);
    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)pid);
    while (!all) {
        DIR *dir = opendir(tasks);
        all = true;
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            all &= entry->d_name[0] == '.' || stands_still(tasks, entry->d_name);
        if (dir)
            closedir(dir);
    }
}

int64_t isolated_clock(void)
{
    return hy_clock_read(CLOCK_MONOTONIC) / HY_MILLISECOND;
}
