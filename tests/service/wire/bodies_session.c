#include "body_parts.h"

#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/session.h"

/* The connection, and what is told over it. */

MAKE(hello)
{
    const struct hy_hello hello = {.abi = HY_DRIVER_ABI,
                                   .pid = (int32_t)hy_wire_below(samples, 100000),
                                   .pidfd = hy_wire_below(samples, 2) ? hy_wire_fd(samples) : -1};

    hy_hello_pack(out, &hello);
}

ECHO(hello)
{
    struct hy_hello hello;

    hy_hello_unpack(in, &hello);
    END(in);
    hy_hello_pack(out, &hello);
    return out->code;
}

MAKE(opening)
{
    const struct hy_opening opening = hy_wire_opening(samples);

    hy_opening_pack(out, &opening);
}

ECHO(opening)
{
    struct hy_opening opening;

    hy_opening_unpack(in, &opening);
    END(in);
    hy_opening_pack(out, &opening);
    return out->code;
}

MAKE(opened)
{
    const struct hy_opened opened = {.driver = hy_wire_text(samples),
                                     .sandbox = hy_wire_text(samples),
                                     .abi = HY_DRIVER_ABI,
                                     .device_count = hy_wire_below(samples, 10)};

    hy_opened_pack(out, &opened);
}

ECHO(opened)
{
    struct hy_opened opened;

    hy_opened_unpack(in, &opened);
    END(in);
    hy_opened_pack(out, &opened);
    return out->code;
}

MAKE(description)
{
    const struct hy_description description = hy_wire_description(samples);

    hy_description_pack(out, &description);
}

ECHO(description)
{
    struct hy_description description;

    hy_unpack_keep(in);
    hy_description_unpack(in, &description);
    END(in);
    hy_description_pack(out, &description);
    return out->code;
}

/* One descriptor and nothing else: CHANNEL, BURST_OPEN, CACHE_REOPEN. */
MAKE(descriptor)
{
    hy_channel_pack(out, hy_wire_fd(samples));
}

ECHO(channel)
{
    int fd;

    hy_channel_unpack(in, &fd);
    END(in);
    hy_channel_pack(out, fd);
    return out->code;
}

MAKE(log_line)
{
    hy_log_line_pack(out, (int32_t)hy_wire_below(samples, 4), hy_wire_text(samples));
}

ECHO(log_line)
{
    int32_t level;
    const char *text;

    hy_log_line_unpack(in, &level, &text);
    END(in);
    hy_log_line_pack(out, level, text);
    return out->code;
}

MAKE(farewell)
{
    hy_farewell_pack(out, hy_wire_text(samples));
}

ECHO(farewell)
{
    const char *text;

    hy_farewell_unpack(in, &text);
    END(in);
    hy_farewell_pack(out, text);
    return out->code;
}

MAKE(nothing)
{
    (void)samples;
    (void)out;
}

ECHO(nothing)
{
    (void)out;
    return hy_unpack_end(in);
}

MAKE(deadline)
{
    hy_deadline_pack(out, hy_wire_below(samples, 2) ? HY_NO_DEADLINE : 12345);
}

ECHO(deadline)
{
    int64_t deadline;

    hy_deadline_unpack(in, &deadline);
    END(in);
    hy_deadline_pack(out, deadline);
    return out->code;
}

static const struct hy_wire_body bodies[] = {
    BODY(HELLO, "hello", hello, hello),
    ANSWER(HELLO, "hello of the host", hello, hello),
    BODY(OPEN, "open", opening, opening),
    ANSWER(OPEN, "opened", opened, opened),
    BODY(DESCRIBE, "describe", nothing, nothing),
    ANSWER(DESCRIBE, "description", description, description),
    BODY(CHANNEL, "channel", descriptor, channel),
    BODY(MEMORY_DROP, "memory drop", nothing, nothing),
    BODY(WAIT, "wait", deadline, deadline),
    ANSWER(WAIT, "waited", nothing, nothing),
    BODY(LOG, "log", log_line, log_line),
    BODY(BYE, "bye", farewell, farewell),
};
const struct hy_wire_family hy_wire_session_bodies = FAMILY(bodies);
