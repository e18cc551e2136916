/*
 * Writes the corpus of the fuzzers of services: what both sides of real sessions say, as scripts
 * (session_script.h). Client and server are in this process; the linker puts the functions here
 * where they receive.
 *
 *     record_sessions FOLDER NAME
 *
 * makes FOLDER/calls/NAME-* and FOLDER/answers/NAME-*.
 */
#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/result_packet.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"
#include "session_app.h"
#include "session_launch.h"
#include "session_script.h"
#include "session_server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SOCKETS = 64, MOST_BYTES = 1 << 16 };

struct record {
    const struct hy_socket *sockets[MOST_SOCKETS]; /* in the order in which they were first used */
    uint8_t socket_count;
    uint8_t bytes[MOST_BYTES];
    size_t size;
};

static struct {
    pthread_mutex_t lock;
    struct record calls, replies;
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Steps ----------------------------------------------------------------------------------- */

static void put(struct record *record, const void *bytes, size_t size)
{
    if (record->size + size > sizeof record->bytes) {
        fprintf(stderr, "record_sessions: a session of more than %d bytes\n", MOST_BYTES);
        abort();
    }
    if (size > 0)
        memcpy(record->bytes + record->size, bytes, size);
    record->size += size;
}

static uint8_t number_of(struct record *record, const struct hy_socket *socket)
{
    for (uint8_t i = 0; i < record->socket_count; i++) {
        if (record->sockets[i] == socket)
            return i;
    }
    if (record->socket_count == MOST_SOCKETS)
        abort();
    record->sockets[record->socket_count] = socket;
    return record->socket_count++;
}

static uint8_t kind_of(int fd, uint32_t frame)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        abort();
    if (frame == HY_WIRE_BURST_OPEN)
        return SESSION_FD_RINGS;
    if (S_ISSOCK(info.st_mode))
        return SESSION_FD_CHANNEL;
    if (S_ISFIFO(info.st_mode))
        return SESSION_FD_PIPE_WRITE;
    return S_ISREG(info.st_mode) ? SESSION_FD_MEMORY : SESSION_FD_EVENT;
}

static void record_frame(struct record *record, const struct hy_socket *socket,
                         const struct hy_incoming *frame)
{
    struct session_step step = {
        .kind = SESSION_FRAME,
        .fd_count = (uint8_t)(frame->fd_count < SESSION_FDS ? frame->fd_count : SESSION_FDS),
        .bytes = (uint32_t)(sizeof frame->header + frame->header.body_bytes),
    };

    pthread_mutex_lock(&recorder.lock);
    step.socket = number_of(record, socket);
    for (uint32_t i = 0; i < step.fd_count; i++)
        step.fds[i] = kind_of(frame->fds[i], frame->header.kind);
    put(record, &step, sizeof step);
    put(record, &frame->header, sizeof frame->header);
    put(record, frame->body, frame->header.body_bytes);
    pthread_mutex_unlock(&recorder.lock);
}

static void record_elements(struct record *record, const union hy_element *elements, uint32_t count)
{
    const struct session_step step = {.kind = SESSION_ELEMENTS,
                                      .bytes = (uint32_t)(count * sizeof *elements)};

    pthread_mutex_lock(&recorder.lock);
    put(record, &step, sizeof step);
    put(record, elements, step.bytes);
    pthread_mutex_unlock(&recorder.lock);
}

/* ---- What the linker puts between ------------------------------------------------------------ */

enum hy_code __real_hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                     int64_t deadline, struct hy_error *err);
enum hy_code __wrap_hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                     int64_t deadline, struct hy_error *err);
enum hy_packet __real_hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                            uint32_t *count);
enum hy_packet __wrap_hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                            uint32_t *count);
enum hy_packet __real_hy_result_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                           uint32_t *count);
enum hy_packet __wrap_hy_result_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                           uint32_t *count);

static bool comes_from_client(uint32_t kind)
{
    enum { CLIENT, HOST } sender = HOST;

    switch (kind & ~HY_WIRE_REPLY) {
#define MESSAGE(number, NAME, label, sender_, position, way, ...) \
    case number: \
        sender = sender_; \
        break;
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    default:
        break;
    }
    return (sender == CLIENT) == !(kind & HY_WIRE_REPLY);
}

enum hy_code __wrap_hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                     int64_t deadline, struct hy_error *err)
{
    const enum hy_code code = __real_hy_frame_receive(socket, frame, deadline, err);

    if (code == HY_OK)
        record_frame(comes_from_client(frame->header.kind) ? &recorder.calls : &recorder.replies,
                     socket, frame);
    return code;
}

enum hy_packet __wrap_hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                            uint32_t *count)
{
    const enum hy_packet packet = __real_hy_request_packet_pop(ring, elements, count);

    if (packet == HY_PACKET_WHOLE)
        record_elements(&recorder.calls, elements, *count);
    return packet;
}

enum hy_packet __wrap_hy_result_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                           uint32_t *count)
{
    const enum hy_packet packet = __real_hy_result_packet_pop(ring, elements, count);

    if (packet == HY_PACKET_WHOLE)
        record_elements(&recorder.replies, elements, *count);
    return packet;
}

void session_launched(int control)
{
    session_server_start(control);
}

void session_killed(void)
{
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void write_record(const struct record *record, const char *dir, const char *side,
                         const char *name, unsigned index)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", dir, side);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        perror(path);
    snprintf(path, sizeof path, "%s/%s/%s-%u", dir, side, name, index);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(record->bytes, 1, record->size, file) != record->size) {
        perror(path);
        exit(1);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    const struct hy_service_settings settings = {.program = "/none", .hang_timeout_seconds = 60};
    const struct hy_service_launch launch = {.library = "", .arguments = "{}"};

    if (argc != 3) {
        fputs("usage: record_sessions FOLDER NAME\n", stderr);
        return 2;
    }
    for (unsigned i = 0; i < SESSION_APPS; i++) {
        const struct session_step app = {.kind = SESSION_APP, .socket = (uint8_t)i};
        struct hy_service *service = NULL;
        struct hy_error err;
        recorder.calls.size = recorder.replies.size = 0;
        recorder.calls.socket_count = recorder.replies.socket_count = 0;
        put(&recorder.replies, &app, sizeof app);
        if (hy_service_open(&launch, &settings, session_app_host(), &service, &err) != HY_OK) {
            fprintf(stderr, "record_sessions: %s\n", err.text);
            return 1;
        }
        session_app_run(service, i);
        hy_service_driver()->destroy(service);
        session_server_join();
        write_record(&recorder.calls, argv[1], "calls", argv[2], i);
        write_record(&recorder.replies, argv[1], "answers", argv[2], i);
    }
    return 0;
}
