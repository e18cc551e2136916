#ifndef HY_SERVICE_WIRE_MESSAGES_H
#define HY_SERVICE_WIRE_MESSAGES_H

#include "halyard/driver.h"

#include <stdint.h>

/*
 * The kinds of frames between runtime (client) and service (host), from messages.def.
 * docs/service-protocol.md specifies the bodies; each family of bodies has a header in this
 * directory.
 *
 * A reply's status is a HY_STATUS_*, or a HY_WIRE_STATUS_* below. With OK the reply has the body of
 * its kind. Otherwise the body starts with a text (reply.h); headers document any further content.
 */
#define HY_WIRE_VERSION 2u

#define HY_WIRE_REPLY \
    0x80000000u /* flag in the kind of a reply; the rest is the kind of the call */

/* A pool names memory unknown to the host, and nothing was done. The ids follow the text
 * (hy_unknown_memory_pack); the client adds the memory and repeats the call. */
#define HY_WIRE_STATUS_UNKNOWN_MEMORY 100

enum hy_wire_kind {
#define MESSAGE(number, NAME, label, sender, location, way, ...) HY_WIRE_##NAME = number,
#include "plugins/service/wire/messages.def"
#undef MESSAGE
};

/* Returns a kind's name as a static string: "memory add", "answer to memory add",
 * "prepare_from_cache", "unknown message". */
const char *hy_wire_kind_name(uint32_t kind);

#endif
