/* HALYARD_BURST_WAIT: which values are taken, and what is said of others. */
#include "child.h"
#include "runtime/drivers/isolation.h"
#include "runtime/log.h"
#include "tests/kit/test.h"

#include <stdlib.h>

struct value {
    const char *text; /* NULL: not set */
    enum hy_burst_wait wait;
    bool is_bad;
};

static char logged[1024];

static void receive_line(int32_t level, const char *text)
{
    (void)level;
    snprintf(logged, sizeof logged, "%s", text);
}

/* The environment is read once, so each value has a process of its own. */
static bool read_it(void *context)
{
    const struct value *value = context;

    if (value->text)
        setenv("HALYARD_BURST_WAIT", value->text, 1);
    else
        unsetenv("HALYARD_BURST_WAIT");
    setenv("HALYARD_LOG", "warning", 1);
    hy_log_lead_to(receive_line);
    const struct hy_service_settings *settings = hy_isolation_settings();
    if (!settings || settings->burst_wait != value->wait)
        return child_fail("wait %u", settings ? settings->burst_wait : 99u);
    if (value->is_bad && !(strstr(logged, "HALYARD_BURST_WAIT") && strstr(logged, value->text)))
        return child_fail("the log says: %s", logged);
    return value->is_bad || !logged[0] || child_fail("the log says: %s", logged);
}

TEST(burst_wait_setting, value_that_is_no_way_to_wait_is_named_and_left_out)
{
    static const struct value values[] = {
        {NULL, HY_BURST_WAIT_ADAPTIVE, false},  {"adaptive", HY_BURST_WAIT_ADAPTIVE, false},
        {"block", HY_BURST_WAIT_BLOCK, false},  {"poll", HY_BURST_WAIT_POLL, false},
        {"spin", HY_BURST_WAIT_ADAPTIVE, true}, {"Poll", HY_BURST_WAIT_ADAPTIVE, true},
        {"1", HY_BURST_WAIT_ADAPTIVE, true},
    };
    const char *message;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct value value = values[i];
        if (!child_does(read_it, &value, &message))
            hy_test_fail(__FILE__, __LINE__, "\"%s\": %s", value.text ? value.text : "", message);
        else
            hy_test_pass(__FILE__, __LINE__);
    }
}
