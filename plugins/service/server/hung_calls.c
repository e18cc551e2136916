#include "plugins/service/server/hung_calls.h"

#include "common/clock.h"
#include "plugins/service/server/clients/accept_channel.h"
#include "plugins/service/wire/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static struct hy_watchdog_rules rules;
static int accept_channel;

static void report(struct hy_watched_call call, int64_t age_ns, bool has_returned)
{
    char line[160];

    snprintf(line, sizeof line,
             has_returned ? "%s of the driver returned after more than %" PRId64 " s"
                          : "%s of the driver has not returned for %" PRId64 " s",
             call.function, age_ns / HY_SECOND);
    hy_serve_note(HY_LOG_WARNING, line);
}

static void end_round(struct hy_watched_call oldest, int64_t age_ns)
{
    char line[160];

    if (age_ns / HY_SERVER_HUNG_TIMEOUTS < rules.hang_timeout_ns) {
        hy_accept_channel_send_alive(accept_channel);
        return;
    }
    snprintf(line, sizeof line,
             "the service ends: %s of the driver has not returned for %" PRId64 " s",
             oldest.function, age_ns / HY_SECOND);
    hy_serve_note(HY_LOG_ERROR, line);
    _exit(HY_SERVER_HUNG_STATUS);
}

bool hy_server_watch_calls(const struct hy_serve *serve)
{
    accept_channel = serve->control;
    rules = (struct hy_watchdog_rules){
        .hang_timeout_ns = serve->hang_timeout_ns,
        .round_ns = serve->hang_timeout_ns / 4,
        .report = report,
        .end_round = end_round,
    };
    if (serve->alive_ns > 0 && serve->alive_ns < rules.round_ns)
        rules.round_ns = serve->alive_ns;
    return hy_watchdog_start(&rules);
}

struct hy_watched_call hy_server_call_begin(uint32_t kind)
{
    const bool waits = kind == HY_WIRE_WAIT || kind == HY_WIRE_FENCED_RESULT;

    return hy_watchdog_enter(NULL, waits ? NULL : hy_wire_kind_name(kind));
}
