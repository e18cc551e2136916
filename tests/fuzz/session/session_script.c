#include "session_script.h"

#include "plugins/service/wire/transport/body_file.h"
#include "plugins/service/wire/transport/frame.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

bool session_next(struct session_script *script, struct session_step *step, const uint8_t **content)
{
    if (script->left < sizeof *step)
        return false;
    memcpy(step, script->bytes, sizeof *step);
    script->bytes += sizeof *step;
    script->left -= sizeof *step;
    step->kind %= SESSION_KINDS;
    step->fd_count %= SESSION_FDS + 1;
    for (uint32_t i = 0; i < SESSION_FDS; i++)
        step->fds[i] %= SESSION_FD_KINDS;
    if (step->bytes > script->left)
        step->bytes = (uint32_t)script->left;
    *content = script->bytes;
    script->bytes += step->bytes;
    script->left -= step->bytes;
    return true;
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static int make_memory(off_t size, int seals)
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (ftruncate(fd, size) != 0 || (seals && fcntl(fd, F_ADD_SEALS, seals) != 0)))
        abort();
    return fd;
}

/* One end stays, the other one is closed. */
static int make_half(int result, const int ends[2], int which)
{
    if (result != 0)
        return -1;
    close(ends[1 - which]);
    return ends[which];
}

static int make_full_pipe(void)
{
    static const char bytes[4096];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    while (write(ends[1], bytes, sizeof bytes) > 0)
        ;
    const int full = fcntl(ends[1], F_DUPFD_CLOEXEC, 0);
    close(ends[0]);
    close(ends[1]);
    return full;
}

/* Memory, opened once more. */
static int make_memory_for(int flags)
{
    const int fd = make_memory(SESSION_MEMORY, 0);
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int other = open(path, flags | O_CLOEXEC);
    close(fd);
    return other;
}

static int make_listening(void)
{
    const struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (fd >= 0 && (bind(fd, (const struct sockaddr *)&address, sizeof address.sun_family) != 0 ||
                    listen(fd, 1) != 0))
        abort();
    return fd;
}

static int make_signal_fd(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* What is no memory and no socket that anybody uses. */
static int open_odd(enum session_fd kind)
{
    switch (kind) {
    case SESSION_FD_ZERO:
        return open("/dev/zero", O_RDWR | O_CLOEXEC);
    case SESSION_FD_PATH:
        return open("/", O_PATH | O_CLOEXEC);
    case SESSION_FD_EPOLL:
        return epoll_create1(EPOLL_CLOEXEC);
    case SESSION_FD_TIMER:
        return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    case SESSION_FD_SIGNAL:
        return make_signal_fd();
    case SESSION_FD_PROCESS:
        return (int)syscall(SYS_pidfd_open, getpid(), 0);
    case SESSION_FD_PROC:
        return open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    case SESSION_FD_LISTENING:
        return make_listening();
    default:
        return open("/dev/null", O_RDWR | O_CLOEXEC);
    }
}

static int open_kind(enum session_fd kind)
{
    int ends[2];

    switch (kind) {
    case SESSION_FD_READ_ONLY:
        return make_memory_for(O_RDONLY);
    case SESSION_FD_WRITE_ONLY:
        return make_memory_for(O_WRONLY);
    case SESSION_FD_APPEND:
        return make_memory_for(O_RDWR | O_APPEND);
    case SESSION_FD_SPARSE:
        return make_memory((off_t)64 << 30, 0);
    case SESSION_FD_SEALED_LENGTH:
        return make_memory(SESSION_MEMORY, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    case SESSION_FD_SEALED_FUTURE:
        return make_memory(SESSION_MEMORY, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE);
    case SESSION_FD_SMALL:
        return make_memory(4096, 0);
    case SESSION_FD_EMPTY:
        return make_memory(0, 0);
    case SESSION_FD_SEALED:
        return make_memory(SESSION_MEMORY, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    case SESSION_FD_FILE:
        return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    case SESSION_FD_DIR:
        return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    case SESSION_FD_PIPE_READ:
        return make_half(pipe2(ends, O_CLOEXEC), ends, 0);
    case SESSION_FD_PIPE_WRITE:
        return make_half(pipe2(ends, O_CLOEXEC), ends, 1);
    case SESSION_FD_PIPE_FULL:
        return make_full_pipe();
    case SESSION_FD_EVENT:
    case SESSION_FD_EVENT_READY:
        return eventfd(kind == SESSION_FD_EVENT_READY, EFD_CLOEXEC);
    case SESSION_FD_STREAM:
        return make_half(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ends, 0);
    case SESSION_FD_LONELY:
        return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    case SESSION_FD_CHANNEL:
    case SESSION_FD_RINGS:
    case SESSION_FD_MEMORY:
        return make_memory(SESSION_MEMORY, 0);
    default:
        return open_odd(kind);
    }
}

int session_fd_open(enum session_fd kind)
{
    const int fd = open_kind(kind);

    if (fd < 0) {
        perror("fuzz: no descriptor");
        abort();
    }
    return fd;
}

int session_free_fd(void)
{
    const int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

    close(fd);
    return fd;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void send_bytes(int socket, const void *bytes, size_t size, const int *fds, uint32_t count)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE((SESSION_FDS + 1) * sizeof(int))] = {0};
    struct iovec part = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
    }
    (void)!sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void session_send(int socket, const struct session_step *step, const uint8_t *content,
                  const int *fds)
{
    struct hy_frame_header header = {0};
    const size_t head = step->bytes < sizeof header ? step->bytes : sizeof header;
    const size_t body = step->bytes - head;
    int all[SESSION_FDS + 1], file = -1;
    uint32_t count = 0;

    if ((step->flags & SESSION_LONG || body > HY_FRAME_INLINE) &&
        hy_body_file_make(content + head, body, &file, NULL) == HY_OK)
        all[count++] = file;
    for (uint32_t i = 0; i < step->fd_count; i++)
        all[count++] = fds[i];
    uint8_t *bytes = calloc(sizeof header + body, 1);
    if (!bytes)
        abort();
    memcpy(&header, content, head);
    if (!(step->flags & SESSION_RAW)) {
        header.body_bytes = (uint32_t)body;
        header.fd_count = count;
    }
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, content + head, body);
    send_bytes(socket, bytes, file >= 0 ? sizeof header : head + body, all, count);
    free(bytes);
    if (file >= 0)
        close(file);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static uint8_t *read_whole(const char *path, size_t *length)
{
    enum { CAPACITY = 1 << 16 };
    uint8_t *bytes = malloc(CAPACITY);
    FILE *file = fopen(path, "rb");

    if (!file || !bytes) {
        perror(path);
        abort();
    }
    *length = fread(bytes, 1, CAPACITY, file);
    fclose(file);
    return bytes;
}

uint8_t *session_file(const char *dir, unsigned index, size_t *length)
{
    struct dirent **entries = NULL;
    const int count = scandir(dir, &entries, is_visible, alphasort);
    uint8_t *bytes = NULL;
    char path[4096];

    if (count > 0 && index < (unsigned)count) {
        snprintf(path, sizeof path, "%s/%s", dir, entries[index]->d_name);
        bytes = read_whole(path, length);
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return bytes;
}
