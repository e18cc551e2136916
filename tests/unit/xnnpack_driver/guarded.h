#ifndef HY_TESTS_XNNPACK_GUARDED_H
#define HY_TESTS_XNNPACK_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory with an inaccessible page behind the end. */
struct guarded {
    uint8_t *base;
    size_t capacity;
};

bool guarded_init(struct guarded *guarded, size_t capacity);
void guarded_finish(struct guarded *guarded);

/* The start of the last `length` bytes before the final `slack` bytes. */
uint8_t *guarded_end(const struct guarded *guarded, size_t length, size_t slack);

#endif
