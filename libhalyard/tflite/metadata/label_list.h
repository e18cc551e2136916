#ifndef HY_LIBHALYARD_TFLITE_METADATA_LABEL_LIST_H
#define HY_LIBHALYARD_TFLITE_METADATA_LABEL_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/memory/arena.h"

/* Names of classes, in the order of the classes. */
struct hy_label_list {
    uint32_t count;
    const char *const *names; /* printable (common/printable.h); "" for an empty line */
};

/* The largest label file in bytes. */
enum { HY_LABEL_LIST_MAX_BYTES = 1 << 24 };

/*
 * Splits the text of a label file, one name a line; lines end in LF or CRLF; the last line may lack
 * its end. Empty lines at the end do not count; other empty lines count, because the number of a
 * line is a class. A byte order mark at the start is skipped. The names are memory of the arena.
 * Errors: HY_OUT_OF_MEMORY; HY_BAD_DATA for more than HY_LABEL_LIST_MAX_BYTES.
 */
HY_MUST_CHECK enum hy_code hy_label_list_make(struct hy_arena *arena, const void *text,
                                              size_t length, struct hy_label_list *out,
                                              struct hy_error *err);

#endif
