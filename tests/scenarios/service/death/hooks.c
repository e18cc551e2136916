/*
 * Hooks at every message of a host process: the linker puts these functions in the place of those
 * that receive and send (-Wl,--wrap=...), so that the program itself has none. What they do says
 * the file of death_trigger.h.
 */
#include "death_trigger.h"

#include "plugins/service/queue/packet.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct death_trigger *trigger;

/* Before the sandbox closes: nothing is opened later. The descriptor stays for its lock. */
__attribute__((constructor)) static void map_trigger(void)
{
    const char *path = getenv(DEATH_TRIGGER_VARIABLE);
    const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;

    void *memory = mmap(NULL, sizeof *trigger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED && flock(fd, LOCK_SH) == 0)
        trigger = memory;
}

/* ---- The deed -------------------------------------------------------------------------------- */

static void do_it(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&trigger->moment, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    atomic_store(&trigger->pid, getpid());
    atomic_fetch_add(&trigger->done, 1);
    raise(atomic_load(&trigger->signal)); /* in this thread, so that a stop comes at once */
}

static void come_to(uint32_t kind, enum death_point point)
{
    if (!trigger || atomic_load(&trigger->kind) != (kind & ~HY_WIRE_REPLY) ||
        atomic_load(&trigger->point) != point)
        return;
    unsigned left = atomic_load(&trigger->left);
    while (left > 0 && !atomic_compare_exchange_weak(&trigger->left, &left, left - 1))
        ;
    if (left == 1)
        do_it();
}

/* ---- Sockets --------------------------------------------------------------------------------- */

enum hy_code __real_hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                     int64_t deadline, struct hy_error *err);
enum hy_code __real_hy_frame_send(struct hy_socket *socket, struct hy_outgoing *frame,
                                  int64_t deadline, struct hy_error *err);
enum hy_code __wrap_hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                     int64_t deadline, struct hy_error *err);
enum hy_code __wrap_hy_frame_send(struct hy_socket *socket, struct hy_outgoing *frame,
                                  int64_t deadline, struct hy_error *err);

/* Waits for a frame, and leaves it where it is. */
static void meet(const struct hy_socket *socket)
{
    struct hy_frame_header header;
    struct iovec part = {.iov_base = &header, .iov_len = sizeof header};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t got;

    do {
        got = recvmsg(socket->fd, &message, MSG_PEEK);
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof header)
        come_to(header.kind, DEATH_UNREAD);
}

enum hy_code __wrap_hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                     int64_t deadline, struct hy_error *err)
{
    if (trigger)
        meet(socket);
    enum hy_code code = __real_hy_frame_receive(socket, frame, deadline, err);
    if (code == HY_OK)
        come_to(frame->header.kind, DEATH_READ);
    return code;
}

enum hy_code __wrap_hy_frame_send(struct hy_socket *socket, struct hy_outgoing *frame,
                                  int64_t deadline, struct hy_error *err)
{
    const uint32_t kind = frame->header.kind;

    come_to(kind, DEATH_UNREPLIED);
    enum hy_code code = __real_hy_frame_send(socket, frame, deadline, err);
    come_to(kind, DEATH_REPLIED);
    return code;
}

/* ---- Rings ----------------------------------------------------------------------------------- */

enum hy_packet __real_hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                            uint32_t *count);
enum hy_ring_state __real_hy_ring_write(struct hy_ring *ring, const union hy_element *elements,
                                        uint32_t count);
enum hy_packet __wrap_hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                            uint32_t *count);
enum hy_ring_state __wrap_hy_ring_write(struct hy_ring *ring, const union hy_element *elements,
                                        uint32_t count);

enum hy_packet __wrap_hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                            uint32_t *count)
{
    come_to(DEATH_PACKET, DEATH_UNREAD);
    const enum hy_packet packet = __real_hy_request_packet_pop(ring, elements, count);
    come_to(DEATH_PACKET, DEATH_READ);
    return packet;
}

enum hy_ring_state __wrap_hy_ring_write(struct hy_ring *ring, const union hy_element *elements,
                                        uint32_t count)
{
    come_to(DEATH_PACKET, DEATH_UNREPLIED);
    const enum hy_ring_state state = __real_hy_ring_write(ring, elements, count);
    come_to(DEATH_PACKET, DEATH_REPLIED);
    return state;
}
