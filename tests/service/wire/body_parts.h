#ifndef HY_TESTS_WIRE_BODY_PARTS_H
#define HY_TESTS_WIRE_BODY_PARTS_H

#include "bodies.h"
#include "plugins/service/wire/messages.h"

/* How the bodies of one family are listed: functions that make and echo them, and a table. */

#define MAKE(name_) static void make_##name_(struct hy_wire_samples *samples, struct hy_pack *out)
#define ECHO(name_) static enum hy_code echo_##name_(struct hy_unpack *in, struct hy_pack *out)

/* The end of reading, with a return where the body is not well-formed. */
#define END(in) \
    do { \
        const enum hy_code code_ = hy_unpack_end(in); \
        if (code_ != HY_OK) \
            return code_; \
    } while (0)

#define BODY(KIND, name_, make_name, echo_name) \
    { \
        name_, HY_WIRE_##KIND, make_##make_name, echo_##echo_name \
    }
#define ANSWER(KIND, name_, make_name, echo_name) \
    { \
        name_, HY_WIRE_##KIND | HY_WIRE_ANSWER, make_##make_name, echo_##echo_name \
    }
#define FAMILY(table_) \
    { \
        table_, sizeof(table_) / sizeof((table_)[0]) \
    }

struct hy_wire_family {
    const struct hy_wire_body *bodies;
    uint32_t count;
};

extern const struct hy_wire_family hy_wire_session_bodies;
extern const struct hy_wire_family hy_wire_model_bodies;
extern const struct hy_wire_family hy_wire_run_bodies;
extern const struct hy_wire_family hy_wire_buffer_bodies;
extern const struct hy_wire_family hy_wire_cache_bodies;

#endif
