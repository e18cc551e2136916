#ifndef HY_RUNTIME_DOMAIN_H
#define HY_RUNTIME_DOMAIN_H

#include "common/error.h"
#include "common/shape.h"

#include <stdatomic.h>

struct hy_app_model;

/*
 * One use that memory made from a descriptor may be put to. Compilations are told apart by their
 * number, which is never given twice: a new one at the address of an old one is another.
 */
struct hy_memory_role {
    uint64_t compilation;
    uint32_t index;
    bool is_output;
};

bool hy_memory_role_is_listed(const struct hy_memory_role *roles, uint32_t count,
                              const struct hy_memory_role *role);

/*
 * What such memory is for, and whether it holds anything yet. All but `initialised` is constant.
 * The extents are all known, as the memory was given out for them; so the shape never changes.
 */
struct hy_domain {
    struct hy_memory_role *roles; /* owned */
    uint32_t role_count;
    struct hy_shape shape;
    const struct hy_operand *operand; /* type and quantisation of what it holds */
    struct hy_app_model *model;       /* that the operand belongs to, counted */
    atomic_bool initialised;          /* the last execution or copy that wrote it succeeded */
};

void hy_domain_destroy(struct hy_domain *domain); /* takes NULL */

/*
 * Whether the memory may serve as an argument.
 *   offset, length  as the app gave them: both 0, the memory is used as a whole
 *   shape           what model and app say of the argument; written: what the memory says as well
 * Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_domain_check_use(const struct hy_domain *domain,
                                               const struct hy_memory_role *role, uint64_t offset,
                                               uint64_t length, struct hy_shape *shape,
                                               struct hy_error *err);

/* Whether a value of one operand means the same as one of the other: type and quantisation. */
bool hy_operand_is_alike(const struct hy_operand *a, const struct hy_operand *b);

#endif
