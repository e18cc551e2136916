#ifndef HY_PLUGINS_SERVICE_QUEUE_LAYOUT_H
#define HY_PLUGINS_SERVICE_QUEUE_LAYOUT_H

#include "plugins/service/wire/number_types.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Layout of the memory that two processes share; docs/queue-format.md describes every byte. Any
 * change needs a new HY_QUEUE_VERSION.
 */
#define HY_QUEUE_MAGIC   0x51594c48u /* "HLYQ" */
#define HY_QUEUE_VERSION 1u

#define HY_RING_LEAST_CAPACITY 8u
#define HY_RING_MOST_CAPACITY  65536u

/* Header of a ring, followed by the elements. The words of the writer and the words of the reader
 * are in different cache lines. */
struct hy_ring_header {
    uint32_t magic;
    uint32_t version;
    uint32_t capacity; /* elements, a power of two */
    uint32_t element_bytes;
    uint8_t reserved0[48];
    _Atomic uint32_t written;       /* elements ever written, modulo 2^32; the writer's */
    _Atomic uint32_t reader_sleeps; /* futex: 1 while the reader waits in the kernel */
    uint8_t reserved1[56];
    _Atomic uint32_t read; /* elements ever read, modulo 2^32; the reader's */
    _Atomic uint32_t
        writer_sleeps;           /* futex: 1 while the writer waits in the kernel for free space */
    _Atomic uint32_t reader_cpu; /* CPU of the last read, plus 1; 0: unknown */
    uint8_t reserved2[116];
};

static_assert(sizeof(struct hy_ring_header) == 256, "the elements start at 256");
static_assert(offsetof(struct hy_ring_header, written) == 64, "docs/queue-format.md");
static_assert(offsetof(struct hy_ring_header, read) == 128, "docs/queue-format.md");
static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2,
              "atomics in shared memory must not need a lock");

/* Element tags of requests and results, see elements.def. */
#define TAG(NAME, tag, member, note) NAME = tag,
enum hy_request_tag {
#define REQUEST_TAGS
#include "plugins/service/queue/elements.def"
};

enum hy_result_tag {
#define RESULT_TAGS
#include "plugins/service/queue/elements.def"
};
#undef TAG

/* clang-format off */
#define BEGIN(member)                        struct {
#define END(member)                          } member;
#define NUMBER(type, m, note)                HY_TYPE_##type m;
#define LIMIT(type, m, least, most, note)    HY_TYPE_##type m;
#define ZERO(m, count)                       uint8_t m[count];
#define ONE(type, member, least, most, note) HY_TYPE_##type member;
#define TEXT(member, size, note)             char member[size];
/* clang-format on */
struct hy_request_datum {
    uint8_t tag;
    uint8_t zero[3];
    union {
#define REQUEST_MEMBERS
#include "plugins/service/queue/elements.def"
    };
};

struct hy_result_datum {
    uint8_t tag;
    uint8_t zero[7];
    union {
#define RESULT_MEMBERS
#include "plugins/service/queue/elements.def"
    };
};
#undef BEGIN
#undef END
#undef NUMBER
#undef LIMIT
#undef ZERO
#undef ONE
#undef TEXT

/* One element of a ring. Rings copy the words and do not interpret them. */
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
