#ifndef HY_PLUGINS_SERVICE_QUEUE_LAYOUT_H
#define HY_PLUGINS_SERVICE_QUEUE_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What lies in the memory that two processes share: docs/queue-format.md, byte by byte. A change
 * here is a new HY_QUEUE_VERSION.
 */
#define HY_QUEUE_MAGIC   0x51594c48u /* "HLYQ" */
#define HY_QUEUE_VERSION 1u

#define HY_RING_LEAST_CAPACITY 8u
#define HY_RING_MOST_CAPACITY  65536u

/* The start of a ring; the elements follow. What one side writes often lies apart from what the
 * other side writes. */
struct hy_ring_header {
    uint32_t magic;
    uint32_t version;
    uint32_t capacity; /* elements, a power of two */
    uint32_t element_bytes;
    uint8_t reserved0[48];
    _Atomic uint32_t written;       /* elements ever written, modulo 2^32; the writer's */
    _Atomic uint32_t reader_sleeps; /* futex: 1 while the reader waits in the kernel */
    uint8_t reserved1[56];
    _Atomic uint32_t read;          /* elements ever read, modulo 2^32; the reader's */
    _Atomic uint32_t writer_sleeps; /* futex: 1 while the writer waits in the kernel for room */
    _Atomic uint32_t reader_cpu;    /* on which it was when it read last, plus 1; 0: not told */
    uint8_t reserved2[116];
};

static_assert(sizeof(struct hy_ring_header) == 256, "the elements start at 256");
static_assert(offsetof(struct hy_ring_header, written) == 64, "docs/queue-format.md");
static_assert(offsetof(struct hy_ring_header, read) == 128, "docs/queue-format.md");
static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2,
              "atomics in shared memory must not need a lock");

/* Tags of elements. Where they stand in a packet: docs/queue-format.md. */
enum hy_request_tag {
    HY_REQUEST_PACKET = 0,
    HY_REQUEST_INPUT = 1,
    HY_REQUEST_INPUT_DIMENSION = 2,
    HY_REQUEST_OUTPUT = 3,
    HY_REQUEST_OUTPUT_DIMENSION = 4,
    HY_REQUEST_SLOT = 5,
    HY_REQUEST_MEASURE = 6,
    /* Halyard's own */
    HY_REQUEST_REST = 7,    /* behind an INPUT or OUTPUT */
    HY_REQUEST_BUFFER = 8,  /* in the place of a SLOT */
    HY_REQUEST_LIMITS = 9,  /* behind MEASURE */
    HY_REQUEST_NOTICES = 10 /* behind LIMITS */
};

enum hy_result_tag {
    HY_RESULT_PACKET = 0,
    HY_RESULT_OUTPUT = 1,
    HY_RESULT_DIMENSION = 2,
    HY_RESULT_TIMES = 3,
    /* Halyard's own */
    HY_RESULT_WORDS = 4 /* behind TIMES, any number */
};

struct hy_request_datum {
    uint8_t tag;
    uint8_t zero[3];
    union {
        struct {
            uint32_t elements; /* of the packet, this one included; 0 = the burst is closed */
            uint32_t inputs, outputs, pools;
            uint32_t number; /* of the request, which its result repeats */
        } packet;
        struct {
            uint8_t no_value; /* 1: all else is 0 */
            uint8_t zero[3];
            uint32_t pool, offset, length;
            uint32_t rank;
        } operand;
        struct {
            uint32_t offset_high, length_high; /* the upper halves of offset and length */
            uint32_t padding;
        } rest;
        struct {
            uint32_t deadline_low, deadline_high;         /* ns of CLOCK_BOOTTIME; all ones: none */
            uint32_t loop_timeout_low, loop_timeout_high; /* ns */
        } limits;
        uint32_t dimension;
        int32_t slot;
        int32_t measure; /* 0 or 1 */
        uint32_t buffer_token;
        uint32_t notices;
    };
};

struct hy_result_datum {
    uint8_t tag;
    uint8_t zero[7];
    union {
        struct {
            uint32_t elements; /* as in a request */
            int32_t status;    /* HY_STATUS_* */
            uint32_t outputs;
            uint32_t number; /* of the request */
        } packet;
        struct {
            uint8_t sufficient;
            uint8_t zero[3];
            uint32_t rank;
        } output;
        uint32_t dimension;
        struct {
            uint64_t on_device, in_driver; /* ns; all ones: unknown */
        } times;
        char words[16]; /* UTF-8, padded with NUL */
    };
};

/* One place of a ring. Rings move the words, whatever they mean. */
union hy_element {
    uint64_t words[3];
    struct hy_request_datum request;
    struct hy_result_datum result;
};

static_assert(sizeof(struct hy_request_datum) == 24, "docs/queue-format.md");
static_assert(offsetof(struct hy_request_datum, packet) == 4, "docs/queue-format.md");
static_assert(offsetof(struct hy_request_datum, packet.number) == 20, "docs/queue-format.md");
static_assert(sizeof(((struct hy_request_datum *)0)->operand) == 20, "docs/queue-format.md");
static_assert(sizeof(struct hy_result_datum) == 24, "docs/queue-format.md");
static_assert(offsetof(struct hy_result_datum, packet) == 8, "docs/queue-format.md");
static_assert(offsetof(struct hy_result_datum, packet.number) == 20, "docs/queue-format.md");
static_assert(sizeof(union hy_element) == 24, "docs/queue-format.md");

#endif
