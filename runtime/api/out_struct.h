#ifndef HY_RUNTIME_API_OUT_STRUCT_H
#define HY_RUNTIME_API_OUT_STRUCT_H

#include "common/error.h"

#include <stddef.h>
#include <string.h>

/*
 * Copies `full` to a caller's struct of halyard.h, up to the struct_size of the caller. The
 * caller's struct may be shorter or longer than `full`. Both structs start with `size_t
 * struct_size`.
 */
static inline enum hy_code hy_out_struct_copy(void *out, const void *full, size_t full_size,
                                              struct hy_error *err)
{
    size_t size;
    memcpy(&size, out, sizeof size);
    if (size <= sizeof size)
        return hy_fail(err, HY_BAD_DATA, "struct_size is %zu, set it to sizeof the struct", size);

    size_t copied = size < full_size ? size : full_size;
    memcpy((char *)out + sizeof size, (const char *)full + sizeof size, copied - sizeof size);
    return HY_OK;
}

#endif
