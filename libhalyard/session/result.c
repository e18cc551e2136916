#include "libhalyard/session/result.h"

#include "halyard/halyard.h"

#include <stdio.h>
#include <string.h>

int hy_public_failure(enum hy_code code, const struct hy_error *err)
{
    halyard_set_last_error((int)code, err->text);
    return (int)code;
}

int hy_public_null(const char *function, const char *argument)
{
    char text[96];

    snprintf(text, sizeof text, "%s: %s is NULL", function, argument);
    halyard_set_last_error(ANEURALNETWORKS_UNEXPECTED_NULL, text);
    return ANEURALNETWORKS_UNEXPECTED_NULL;
}

enum hy_code hy_nnapi_result(int result, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;
    return hy_fail(err, (enum hy_code)result, "%s", halyard_last_error());
}

static enum hy_code check_size(size_t size, struct hy_error *err)
{
    if (size > sizeof size)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "struct_size is %zu, set it to sizeof the struct", size);
}

enum hy_code hy_public_struct_read(const void *from, void *full, size_t size, struct hy_error *err)
{
    size_t given;
    memcpy(&given, from, sizeof given);
    const enum hy_code code = check_size(given, err);
    if (code != HY_OK)
        return code;
    memset(full, 0, size);
    memcpy(full, from, given < size ? given : size);
    return HY_OK;
}

enum hy_code hy_public_struct_write(const void *full, size_t size, void *to, struct hy_error *err)
{
    size_t capacity;
    memcpy(&capacity, to, sizeof capacity);
    const enum hy_code code = check_size(capacity, err);
    if (code != HY_OK)
        return code;
    memcpy((char *)to + sizeof capacity, (const char *)full + sizeof capacity,
           (capacity < size ? capacity : size) - sizeof capacity);
    return HY_OK;
}
