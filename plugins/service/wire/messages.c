#include "plugins/service/wire/messages.h"

const char *hy_wire_kind_name(uint32_t kind)
{
    switch (kind) {
#define MESSAGE(number, NAME, label, sender, location, way, ...) \
    case number: \
        return label; \
    case number | HY_WIRE_REPLY: \
        return "answer to " label;
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    default:
        return "unknown message";
    }
}
