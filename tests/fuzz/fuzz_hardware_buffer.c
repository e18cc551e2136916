#include "tests/fuzz/fuzz.h"

#include "hardware_buffer/lock.h"
#include "hardware_buffer/message.h"
#include "hardware_buffer/transfer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A peer that sends any bytes at all with any descriptors: either no buffer comes of it, and
 * nothing stays open, or one whose every byte can be reached. The first three bytes of an input
 * choose the socket, the memory and where the message is cut; the message follows the fourth.
 */
#define MEMORY_SIZE  (1u << 16)
#define HEADER_BYTES 4u

static void stop(const char *message)
{
    fprintf(stderr, "fuzz_hardware_buffer: %s\n", message);
    abort();
}

static int open_memory(unsigned variant)
{
    static const int seals[] = {F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW,
                                F_SEAL_SHRINK | F_SEAL_WRITE, 0};
    if (variant % 8 == 7)
        return open("/dev/zero", O_RDWR | O_CLOEXEC);
    const int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, MEMORY_SIZE) != 0 ||
        (seals[variant % 4] != 0 && fcntl(fd, F_ADD_SEALS, seals[variant % 4]) != 0))
        stop("no memory to send");
    return fd;
}

static void send_part(int socket, const uint8_t *bytes, size_t length, int fd, unsigned count)
{
    _Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(4 * sizeof(int))] = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    const int fds[4] = {fd, fd, fd, fd};

    if (count > 0) {
        header.msg_control = control;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *item = CMSG_FIRSTHDR(&header);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(item), fds, count * sizeof(int));
    }
    (void)sendmsg(socket, &header, MSG_NOSIGNAL);
}

/* The number that the next descriptor would have. */
static int next_descriptor(void)
{
    const int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

static void use(AHardwareBuffer *buffer)
{
    const uint64_t cpu = buffer->desc.usage & (AHARDWAREBUFFER_USAGE_CPU_READ_MASK |
                                               AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK);

    if (buffer->layout.bytes > MEMORY_SIZE || buffer->layout.bytes == 0)
        stop("a buffer that is larger than its memory");
    if (hy_description_check(&buffer->desc, NULL) != 0)
        stop("a buffer with a description that is refused");
    const int result = hy_hardware_buffer_lock(buffer, cpu, -1, NULL);
    if ((result == 0) != (cpu != 0 && buffer->desc.layers == 1))
        stop("a buffer that cannot be locked, or one that should not be");
    if (result != 0)
        return;
    volatile uint8_t *bytes = buffer->address;
    uint8_t sum = bytes[0] ^ bytes[buffer->layout.bytes - 1];
    if (cpu & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)
        bytes[buffer->layout.bytes - 1] = sum;
    if (hy_hardware_buffer_unlock(buffer) != 0)
        stop("a lock without an end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
    const int before = next_descriptor();
    AHardwareBuffer *buffer = NULL;
    struct hy_error err = {0};
    int ends[2];

    if (size < HEADER_BYTES || size > 4096)
        return 0;
    const int type = types[data[0] % 3];
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
        return 0;
    const int memory = open_memory(data[1] >> 2);
    const uint8_t *message = data + HEADER_BYTES;
    const size_t length = size - HEADER_BYTES,
                 cut = type == SOCK_STREAM ? data[2] % (length + 1) : 0;
    if (cut > 0)
        send_part(ends[0], message, cut, memory, data[1] % 4);
    if (length > cut)
        send_part(ends[0], message + cut, length - cut, memory, cut > 0 ? 0 : data[1] % 4);
    shutdown(ends[0], SHUT_RDWR);
    close(ends[0]);

    /* A datagram of nothing, and a peer that is gone, are the same; but nobody waits for it. */
    const struct timeval moment = {.tv_usec = 1000};
    (void)setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
    const int result = hy_hardware_buffer_receive(ends[1], &buffer, &err);
    if ((result == 0) != (buffer != NULL) || result > 0)
        stop("a result that does not go with the buffer");
    if (result != 0 && !err.text[0])
        stop("refused without words");
    if (buffer)
        use(buffer);
    hy_hardware_buffer_release(buffer);
    close(memory);
    close(ends[1]);
    if (next_descriptor() != before)
        stop("a descriptor stays open");
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const AHardwareBuffer_Desc descs[] = {
        {.width = 1000, .height = 1, .layers = 1, .format = AHARDWAREBUFFER_FORMAT_BLOB},
        {.width = 30, .height = 20, .layers = 1, .format = AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM},
        {.width = 31, .height = 21, .layers = 1, .format = AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420},
        {.width = 3, .height = 2, .layers = 4, .format = AHARDWAREBUFFER_FORMAT_R8_UNORM},
    };
    struct hy_buffer_message message;
    struct hy_image_layout layout;

    if (index >= 3 * sizeof descs / sizeof *descs)
        return NULL;
    AHardwareBuffer_Desc desc = descs[index / 3];
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY;
    uint8_t *seed = calloc(1, HEADER_BYTES + sizeof message);
    if (!seed || hy_layout_of(&desc, 0, &layout, NULL) != 0)
        abort();
    desc.stride = layout.stride;
    hy_buffer_message_fill(&desc, layout.bytes, &message);
    seed[0] = (uint8_t)index;
    seed[1] = 1; /* one descriptor */
    seed[2] = (uint8_t)(index * 17);
    memcpy(seed + HEADER_BYTES, &message, sizeof message);
    *length = HEADER_BYTES + sizeof message;
    return seed;
}
