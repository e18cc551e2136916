/* HALYARD_SERVICE_PATIENCE: which values are taken, and what is said of others. */
#include "child.h"
#include "runtime/drivers/isolation.h"
#include "runtime/log.h"
#include "tests/kit/test.h"

#include <stdlib.h>

struct value {
    const char *text; /* NULL: not set */
    uint32_t seconds;
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
        setenv("HALYARD_SERVICE_PATIENCE", value->text, 1);
    else
        unsetenv("HALYARD_SERVICE_PATIENCE");
    setenv("HALYARD_LOG", "warning", 1);
    hy_log_lead_to(receive_line);
    const struct hy_service_settings *settings = hy_isolation_settings();
    if (!settings || settings->hang_timeout_seconds != value->seconds)
        return child_fail("%u seconds", settings ? settings->hang_timeout_seconds : 0);
    if (value->is_bad &&
        !(strstr(logged, "HALYARD_SERVICE_PATIENCE") && strstr(logged, value->text)))
        return child_fail("the log says: %s", logged);
    return value->is_bad || !logged[0] || child_fail("the log says: %s", logged);
}

TEST(service_patience, value_that_is_no_number_of_seconds_is_named_and_left_out)
{
    static const struct value values[] = {
        {NULL, 60, false},       {"1", 1, false},
        {"86400", 86400, false}, {"0", 60, true},
        {"86401", 60, true},     {"-5", 60, true},
        {"soon", 60, true},      {"5s", 60, true},
        {"1.5", 60, true},       {"99999999999999999999", 60, true},
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
