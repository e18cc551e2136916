#ifndef HY_SERVICE_WIRE_MESSAGES_H
#define HY_SERVICE_WIRE_MESSAGES_H

#include "halyard/driver.h"

#include <stdint.h>

/*
 * The kinds of frames between runtime (client) and service (host), from messages.def. How each body
 * is written: docs/service-protocol.md; one header of this folder for each family of bodies.
 *
 * An answer's status is a HY_STATUS_*, or one of those below. With OK its body is that of its kind;
 * else it starts with a text (answer.h), and more follows only where a header says so.
 */
#define HY_WIRE_VERSION 2u

#define HY_WIRE_ANSWER 0x80000000u /* added to the kind of a call: the frame that answers it */

/* A pool names memory that the host does not know (any more): nothing was done. After the text
 * come the ids (hy_unknown_memory_pack); add them and call again. */
#define HY_WIRE_STATUS_UNKNOWN_MEMORY 100

enum hy_wire_kind {
#define MESSAGE(number, NAME, words, sender, place, way, ...) HY_WIRE_##NAME = number,
#include "plugins/service/wire/messages.def"
#undef MESSAGE
};

/* "memory add", "answer to memory add", "prepare_from_cache", "unknown message". Static. */
const char *hy_wire_kind_name(uint32_t kind);

#endif
