/*
 * The model that is being compiled, and the constants in it. Nobody vouches for either: every index
 * and length is checked before it is used.
 */
#ifndef XD_SOURCE_H
#define XD_SOURCE_H

#include <halyard/driver.h>

#include <stdbool.h>

#define XD_REASON_SIZE 256u

struct xd_source {
    const struct hy_host *host;
    const struct hy_model *model;
    const uint8_t *values; /* copy of the model's, for what is to outlive it */
    char reason[XD_REASON_SIZE];
    bool is_exhausted; /* the reason is want of memory */
};

/* Writes the reason of a refusal; always false. */
bool xd_refuse(struct xd_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for want of memory. */
bool xd_run_out(struct xd_source *source);

/* Puts a name before the reason. Always false. */
bool xd_refuse_as(struct xd_source *source, const char *name);

bool xd_is_constant(const struct hy_operand *operand);

/*
 * The bytes of a constant operand, or NULL with a reason. They stay where they are until the
 * prepared model is destroyed, at any alignment, and may change at any time if the app misbehaves.
 */
const uint8_t *xd_constant(struct xd_source *source, const struct hy_operand *operand,
                           uint64_t length);

#endif
