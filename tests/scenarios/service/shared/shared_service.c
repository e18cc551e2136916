#include "shared_service.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 12, PAUSE_MS = 5 };

static int listen_for_notices(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, path);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool shared_service_init(struct shared_service *service)
{
    *service = (struct shared_service){.notified = -1};
    strcpy(service->dir, "/tmp/halyard-shared-XXXXXX");
    if (!mkdtemp(service->dir) || chmod(service->dir, 0755) != 0)
        return false;
    snprintf(service->socket, sizeof service->socket, "%s/service", service->dir);
    snprintf(service->log, sizeof service->log, "%s/log", service->dir);
    snprintf(service->state, sizeof service->state, "%s/state", service->dir);
    snprintf(service->notices, sizeof service->notices, "%s/notices", service->dir);
    service->notified = listen_for_notices(service->notices);
    return service->notified >= 0 && chmod(service->notices, 0666) == 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info;
    (void)kind;
    (void)position;
    return remove(path);
}

void shared_service_finish(struct shared_service *service)
{
    if (service->pid > 0)
        (void)shared_service_end(service, SIGTERM);
    close(service->notified);
    (void)nftw(service->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- The process ----------------------------------------------------------------------------- */

enum { TEXTS = 5 };

/* The last two are for who is handed its socket. */
static char **make_environment(const struct shared_service *service, bool is_handed,
                               char texts[TEXTS][128])
{
    size_t count = 0, retained = 0;
    while (environ[count])
        count++;
    char **all = calloc(count + TEXTS + 1, sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "HALYARD_LOG=", 12) != 0 &&
            strncmp(environ[i], "HALYARD_STATE_DIR=", 18) != 0)
            all[retained++] = environ[i];
    }
    snprintf(texts[0], 128, "NOTIFY_SOCKET=%s", service->notices);
    snprintf(texts[1], 128, "HALYARD_STATE_DIR=%s", service->state);
    snprintf(texts[2], 128, "HALYARD_LOG=info:service");
    snprintf(texts[3], 128, "LISTEN_FDS=1");
    snprintf(texts[4], 128, "LISTEN_PID=%d", (int)getpid());
    for (int i = 0; i < (is_handed ? TEXTS : TEXTS - 2); i++)
        all[retained++] = texts[i];
    return all;
}

static bool spawn(struct shared_service *service, const char *const *arguments)
{
    const char *all[MOST_ARGUMENTS + 5] = {"halyard-driverd", "--shared", "--socket",
                                           service->socket};
    char texts[TEXTS][128], **environment = make_environment(service, false, texts);
    posix_spawn_file_actions_t actions;
    size_t count = 4;

    for (; arguments && *arguments && count < MOST_ARGUMENTS; arguments++)
        all[count++] = *arguments;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, service->log,
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    const bool good = environment && posix_spawn(&service->pid, DRIVERD_PATH, &actions, NULL,
                                                 (char *const *)all, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return good;
}

/* In the child, whose number the environment has to name. */
static _Noreturn void become_activated(const struct shared_service *service,
                                       const char *const *arguments, int listening)
{
    const char *all[MOST_ARGUMENTS + 3] = {"halyard-driverd", "--shared"};
    char texts[TEXTS][128], **environment = make_environment(service, true, texts);
    const int log = open(service->log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    size_t count = 2;

    for (; arguments && *arguments && count < MOST_ARGUMENTS; arguments++)
        all[count++] = *arguments;
    if (!environment || dup2(log, STDERR_FILENO) < 0 || dup2(listening, 3) < 0 ||
        (listening == 3 && fcntl(3, F_SETFD, 0) != 0))
        _exit(99);
    execve(DRIVERD_PATH, (char *const *)all, environment);
    _exit(99);
}

static int await(struct shared_service *service)
{
    int status = 0;

    while (waitpid(service->pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1000;
    }
    service->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* True: it says that it is ready. Else it has ended, with this status. */
static bool await_ready(struct shared_service *service, int *status)
{
    char word[64];

    struct pollfd poll_fds[] = {
        {.fd = service->notified, .events = POLLIN},
        {.fd = (int)syscall(SYS_pidfd_open, service->pid, 0), .events = POLLIN}};
    (void)poll(poll_fds, 2, TIMEOUT_MS);
    const ssize_t got = recv(service->notified, word, sizeof word, MSG_DONTWAIT);
    const bool is_ready = got == 7 && memcmp(word, "READY=1", 7) == 0;
    if (!is_ready && poll(&poll_fds[1], 1, TIMEOUT_MS) == 1)
        *status = await(service);
    close(poll_fds[1].fd);
    return is_ready;
}

bool shared_service_start(struct shared_service *service, const char *const *arguments, int *status)
{
    *status = -1000;
    return spawn(service, arguments) && await_ready(service, status);
}

bool shared_service_activate(struct shared_service *service, const char *const *arguments,
                             int listening, int *status)
{
    *status = -1000;
    fflush(stdout);
    service->pid = fork();
    if (service->pid == 0)
        become_activated(service, arguments, listening);
    return service->pid > 0 && await_ready(service, status);
}

int shared_service_end(struct shared_service *service, int signal)
{
    char word[64];

    kill(service->pid, signal);
    const int status = await(service);
    while (recv(service->notified, word, sizeof word, MSG_DONTWAIT) > 0)
        ;
    return status;
}

pid_t shared_service_host(const struct shared_service *service)
{
    char path[64];
    int child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)service->pid, (int)service->pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &child) != 1)
        child = 0;
    if (file)
        fclose(file);
    return child;
}

/* ---- What it says ---------------------------------------------------------------------------- */

unsigned shared_service_count(const struct shared_service *service, const char *text)
{
    char line[1024];
    unsigned count = 0;

    FILE *file = fopen(service->log, "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return count;
}

bool shared_service_logs(const struct shared_service *service, const char *text, unsigned times)
{
    for (int waited = 0; waited < TIMEOUT_MS; waited += PAUSE_MS) {
        if (shared_service_count(service, text) >= times)
            return true;
        poll(NULL, 0, PAUSE_MS);
    }
    return false;
}

/* ---- What it holds --------------------------------------------------------------------------- */

static unsigned count_entries(pid_t process, const char *name)
{
    char path[64];
    unsigned count = 0;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return count;
}

/* What is remembered for a user is opened when it is first asked for, and then stays open. */
static bool is_of_records(int dir, const char *descriptor)
{
    char target[256];
    const ssize_t length = readlinkat(dir, descriptor, target, sizeof target - 1);

    target[length > 0 ? length : 0] = '\0';
    return strstr(target, "/records-") != NULL;
}

static unsigned count_descriptors(pid_t process)
{
    char path[64];
    unsigned count = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.' && !is_of_records(dirfd(dir), entry->d_name);
    if (dir)
        closedir(dir);
    return count;
}

/* Memory that other processes have, too; what malloc does is its own concern. */
static unsigned count_shared_maps(pid_t process)
{
    char path[64], line[512], protection[8];
    unsigned count = 0;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        count += sscanf(line, "%*s %7s", protection) == 1 && protection[3] == 's';
    if (file)
        fclose(file);
    return count;
}

bool holdings_of(pid_t process, struct holdings *holdings)
{
    *holdings = (struct holdings){
        .fds = count_descriptors(process),
        .threads = count_entries(process, "task"),
        .shared_maps = count_shared_maps(process),
    };
    return holdings->threads > 0;
}
