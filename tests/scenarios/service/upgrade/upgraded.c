#include "upgraded.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- Files ----------------------------------------------------------------------------------- */

static bool copy(const char *from_path, const char *to_path)
{
    const int from = open(from_path, O_RDONLY | O_CLOEXEC);
    const int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    struct stat info;

    bool good = from >= 0 && to >= 0 && fstat(from, &info) == 0;
    for (off_t at = 0; good && at < info.st_size;)
        good = sendfile(to, from, &at, (size_t)(info.st_size - at)) > 0;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return good;
}

bool upgraded_install(struct upgraded *upgraded, const char *build)
{
    char path[112];

    snprintf(path, sizeof path, "%s.new", upgraded->library);
    return copy(build, path) && rename(path, upgraded->library) == 0;
}

static bool write_manifest(const struct upgraded *upgraded)
{
    FILE *file = fopen(upgraded->manifest, "w");
    if (!file)
        return false;

    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"./libacme.so\","
            "\"abi\":\"1.0\",\"socket\":\"%s\",\"arguments\":{\"cache_files\":1}}}",
            upgraded->service.socket);
    return fclose(file) == 0;
}

/* ---- The socket ------------------------------------------------------------------------------ */

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, path);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(fd, 16) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- The whole ------------------------------------------------------------------------------- */

bool upgraded_init(struct upgraded *upgraded, const char *build, bool is_handed)
{
    *upgraded = (struct upgraded){.listening = -1};
    if (!shared_service_init(&upgraded->service))
        return false;
    const char *dir = upgraded->service.dir;
    snprintf(upgraded->library, sizeof upgraded->library, "%s/libacme.so", dir);
    snprintf(upgraded->manifest, sizeof upgraded->manifest, "%s/acme.json", dir);
    snprintf(upgraded->cache, sizeof upgraded->cache, "%s/cache", dir);
    snprintf(upgraded->state, sizeof upgraded->state, "%s/app_state", dir);
    setenv("HALYARD_DRIVER_FILES", upgraded->manifest, 1);
    setenv("HALYARD_STATE_DIR", upgraded->state, 1);
    if (is_handed)
        upgraded->listening = listen_at(upgraded->service.socket);
    return mkdir(upgraded->cache, 0700) == 0 && write_manifest(upgraded) &&
           upgraded_install(upgraded, build) && (!is_handed || upgraded->listening >= 0) &&
           upgraded_start(upgraded);
}

void upgraded_finish(struct upgraded *upgraded)
{
    shared_service_finish(&upgraded->service);
    if (upgraded->listening >= 0)
        close(upgraded->listening);
}

bool upgraded_start(struct upgraded *upgraded)
{
    static const char *const by_name[] = {"acme", NULL};
    int status;

    return upgraded->listening < 0
               ? shared_service_start(&upgraded->service, by_name, &status)
               : shared_service_activate(&upgraded->service, by_name, upgraded->listening, &status);
}

int upgraded_stop(struct upgraded *upgraded)
{
    return shared_service_end(&upgraded->service, SIGTERM);
}

static bool is_named(const char *tasks, const char *thread, const char *wanted)
{
    char path[512], name[32] = "";

    snprintf(path, sizeof path, "%s/%s/comm", tasks, thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool is_read = fgets(name, sizeof name, file);
    fclose(file);
    return is_read && strncmp(name, wanted, strlen(wanted)) == 0;
}

bool upgraded_is_executing(const struct upgraded *upgraded)
{
    char tasks[64];
    bool found = false;

    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)shared_service_host(&upgraded->service));
    for (int ms = 0; ms < TIMEOUT_MS && !found; ms++) {
        DIR *dir = opendir(tasks);
        for (struct dirent *entry; dir && !found && (entry = readdir(dir));)
            found = entry->d_name[0] != '.' && is_named(tasks, entry->d_name, "executing");
        if (dir)
            closedir(dir);
        poll(NULL, 0, found ? 0 : 1);
    }
    return found;
}
