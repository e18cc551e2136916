#include "last_error.h"

#include "common/printable.h"
#include "halyard/halyard.h"
#include "runtime/drivers/device_list.h"
#include "runtime/log.h"

#include <stdio.h>

#define TEXT_SIZE (HY_ERROR_TEXT_SIZE + 64)

static _Thread_local struct {
    int code;
    char text[TEXT_SIZE];
} last;

/* Logs the text of each failure, as clients print only a number. Without debug level each text is
 * logged once. */
static void log_text(const char *text)
{
    if (hy_log_enabled(HY_LOG_DEBUG, "api"))
        hy_log(HY_LOG_DEBUG, "api", "%s", text);
    else
        hy_log_once(HY_LOG_WARNING, "api", text);
}

static int record(const char *function, int code, const char *text)
{
    last.code = code;
    snprintf(last.text, sizeof last.text, "%s: %s", function, text);
    hy_text_clean(last.text); /* a cut may split a character */
    log_text(last.text);
    return code;
}

int hy_api_failure(const char *function, enum hy_code code, const struct hy_error *err)
{
    return record(function, (int)code, err->text);
}

int hy_api_null(const char *function, const char *argument)
{
    char text[64];
    snprintf(text, sizeof text, "%s is NULL", argument);
    return record(function, ANEURALNETWORKS_UNEXPECTED_NULL, text);
}

int hy_api_no_devices(const char *function)
{
    const enum hy_code code = hy_devices_failure();
    return record(function, (int)code,
                  code == HY_EXHAUSTED ? "no descriptors left for the list of devices"
                                       : "no memory for the list of devices");
}

void hy_api_note(const char *function, const struct hy_error *why)
{
    char line[TEXT_SIZE];

    snprintf(line, sizeof line, "%s: %s", function, why->text);
    log_text(line);
}

const char *halyard_last_error(void)
{
    return last.text;
}

int halyard_last_error_code(void)
{
    return last.code;
}

/* Does not log: the call that failed below has logged the text. */
void halyard_set_last_error(int code, const char *text)
{
    last.code = code;
    snprintf(last.text, sizeof last.text, "%s", text ? text : "");
    hy_text_clean(last.text);
}

void halyard_clear_last_error(void)
{
    last.code = ANEURALNETWORKS_NO_ERROR;
    last.text[0] = '\0';
}
