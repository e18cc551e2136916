#include "contract.h"

#include <stddef.h>

char contract_old_value[sizeof(max_align_t)];

static const char *const code_names[] = {
    "NO_ERROR",
    "OUT_OF_MEMORY",
    "INCOMPLETE",
    "UNEXPECTED_NULL",
    "BAD_DATA",
    "OP_FAILED",
    "BAD_STATE",
    "UNMAPPABLE",
    "OUTPUT_INSUFFICIENT_SIZE",
    "UNAVAILABLE_DEVICE",
    "MISSED_DEADLINE_TRANSIENT",
    "MISSED_DEADLINE_PERSISTENT",
    "RESOURCE_EXHAUSTED_TRANSIENT",
    "RESOURCE_EXHAUSTED_PERSISTENT",
    "DEAD_OBJECT",
};

const char *contract_code_name(int code)
{
    return code >= 0 && code < (int)COUNT_OF(code_names) ? code_names[code] : "an undefined code";
}

const char *contract_short_name(const char *call)
{
    static const char prefix[] = "ANeuralNetworks";

    if (strncmp(call, prefix, sizeof prefix - 1) == 0)
        call += sizeof prefix - 1;
    return *call == '_' ? call + 1 : call; /* getDevice and the like belong to no object */
}

/* A success has to leave this alone. */
static char earlier_failure[256];

void contract_before(int expected)
{
    halyard_clear_last_error();
    if (expected != ANEURALNETWORKS_NO_ERROR)
        return;
    (void)ANeuralNetworks_getDeviceCount(NULL);
    snprintf(earlier_failure, sizeof earlier_failure, "%s", halyard_last_error());
}

static void check_error_unchanged(const char *file, int line, const char *call)
{
    if (strcmp(halyard_last_error(), earlier_failure) == 0 &&
        halyard_last_error_code() == ANEURALNETWORKS_UNEXPECTED_NULL)
        hy_test_pass(file, line);
    else
        hy_test_fail(file, line, "%s succeeded, but changed the last error to %d, \"%s\"", call,
                     halyard_last_error_code(), halyard_last_error());
}

static void check_error_set(const char *file, int line, const char *call, int actual)
{
    const char *name = contract_short_name(call), *message = halyard_last_error();
    const size_t length = strcspn(name, "(");

    if (halyard_last_error_code() != actual)
        hy_test_fail(file, line, "%s gave %s, but left the last error code %d", call,
                     contract_code_name(actual), halyard_last_error_code());
    else if (strncmp(message, name, length) != 0 || strncmp(message + length, ": ", 2) != 0 ||
             message[length + 2] == '\0')
        hy_test_fail(file, line, "%s left the words \"%s\"", call, message);
    else
        hy_test_pass(file, line);
}

bool contract_after(const char *file, int line, const char *call, int expected, int actual)
{
    if (actual != expected)
        hy_test_fail(file, line, "%s gave %s, expected %s (\"%s\")", call,
                     contract_code_name(actual), contract_code_name(expected),
                     halyard_last_error());
    else if (actual == ANEURALNETWORKS_NO_ERROR)
        check_error_unchanged(file, line, call);
    else
        check_error_set(file, line, call, actual);
    return actual == expected;
}
