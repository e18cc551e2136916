#include "plugins/service/wire/messages.h"

const char *hy_wire_kind_name(uint32_t kind)
{
    switch (kind) {
#define MESSAGE(number, NAME, words, sender, location, way, ...) \
    case number: \
        return words; \
    case number | HY_WIRE_REPLY: \
        return "answer to " words;
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    default:
        return "unknown message";
    }
}
