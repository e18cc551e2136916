#include "tools/shape_option.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/api_result.h"

void hy_shape_text(const struct halyard_tensor_info *info, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s[", halyard_network_type_name(info->type));

    for (uint32_t i = 0; i < info->rank && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s", i ? "," : "");
        if (used < size && info->extents[i] == HALYARD_UNKNOWN_EXTENT)
            used += (size_t)snprintf(text + used, size - used, "?");
        else if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%d", (int)info->extents[i]);
    }
    if (used < size)
        snprintf(text + used, size - used, "]");
}

/* "a, b, c" for messages. */
static void list_inputs(const struct halyard_session *session, char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (uint32_t i = 0; i < halyard_session_input_count(session) && used < size; i++) {
        struct halyard_tensor_info info = {.struct_size = sizeof info};
        if (halyard_session_get_input(session, i, &info) == ANEURALNETWORKS_NO_ERROR)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", info.name);
    }
}

static bool find_by_name(const struct halyard_session *session, const char *name, size_t length,
                         uint32_t *index)
{
    for (uint32_t i = 0; i < halyard_session_input_count(session); i++) {
        struct halyard_tensor_info info = {.struct_size = sizeof info};
        if (halyard_session_get_input(session, i, &info) == ANEURALNETWORKS_NO_ERROR &&
            strlen(info.name) == length && memcmp(info.name, name, length) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool find_by_index(const struct halyard_session *session, const char *name, size_t length,
                          uint32_t *index)
{
    char *end;
    const unsigned long value = strtoul(name, &end, 10);

    if (length == 0 || *name < '0' || *name > '9' || end != name + length ||
        value >= halyard_session_input_count(session))
        return false;
    *index = (uint32_t)value;
    return true;
}

/* "1x224x224x3"; "" is a scalar. */
static bool parse_extents(const char *text, uint32_t *rank, int32_t extents[HY_SHAPE_MAX_RANK])
{
    *rank = 0;
    while (*text) {
        char *end;
        const unsigned long value = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || value > INT32_MAX || *rank == HY_SHAPE_MAX_RANK)
            return false;
        extents[(*rank)++] = (int32_t)value;
        if (*end == '\0')
            return true;
        if (*end != 'x' || end[1] == '\0')
            return false;
        text = end + 1;
    }
    return true;
}

enum hy_code hy_shape_option_apply(const char *option, struct halyard_session *session,
                                   struct hy_error *err)
{
    const char *equals = strrchr(option, '='); /* names may have some, extents have none */
    int32_t extents[HY_SHAPE_MAX_RANK];
    uint32_t input, rank;

    if (!equals || !parse_extents(equals + 1, &rank, extents))
        return hy_fail(err, HY_BAD_DATA, "--shape %s: not of the form NAME=1x224x224x3", option);
    const size_t length = (size_t)(equals - option);
    if (!find_by_name(session, option, length, &input) &&
        !find_by_index(session, option, length, &input)) {
        char names[HY_ERROR_TEXT_SIZE / 2];
        list_inputs(session, names, sizeof names);
        return hy_fail(err, HY_BAD_DATA, "--shape %s: unknown input; known: %s", option, names);
    }
    const enum hy_code code =
        hy_api_result(halyard_session_resize(session, input, rank, extents), "session_resize", err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "--shape %s", option);
}
