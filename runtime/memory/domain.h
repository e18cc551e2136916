#ifndef HY_RUNTIME_DOMAIN_H
#define HY_RUNTIME_DOMAIN_H

#include "common/error.h"
#include "common/operations/shape_cell.h"
#include "halyard/driver.h"

struct hy_device_memory;

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
 * Memory from a descriptor: its roles, its place and its content. All but the state is constant.
 * Shared memory is given out for one shape; memory of a device may leave extents open, and takes
 * the shape of the value that is written.
 */
struct hy_domain {
    struct hy_memory_role *roles; /* owned */
    uint32_t role_count;
    struct hy_shape shape;           /* that it was made for; 0 = any */
    bool is_open;                    /* that leaves something open */
    uint32_t element_bytes;          /* 0: the type does not tell */
    struct hy_operand operand;       /* type and quantisation of its content; arrays owned */
    struct hy_device_memory *device; /* that holds it, owned; NULL: it is shared memory */

    /* Its mark is 1 when the last execution or copy that wrote it succeeded. If the memory is open:
     * the shape of the last that did; of rank 0 before. */
    struct hy_shape_cell held;
};

/* Copies roles and operand. The shape is that of the memory. NULL: out of memory. */
struct hy_domain *hy_domain_create(const struct hy_memory_role *roles, uint32_t count,
                                   const struct hy_operand *operand, const struct hy_shape *shape);
void hy_domain_destroy(struct hy_domain *domain); /* takes NULL */

/* Bytes of a value of this shape. False where that is not known, of type or shape. */
bool hy_domain_measure(const struct hy_domain *domain, const struct hy_shape *shape, uint64_t *ret);

/* What there is to know of memory at one moment. */
struct hy_domain_state {
    bool is_initialised;
    bool is_known; /* the shape: of what it holds, or held last */
    struct hy_shape shape;
};
void hy_domain_look(struct hy_domain *domain, struct hy_domain_state *ret);

/* An execution or a copy that wrote it has ended; `shape`, of success: what it holds from now on.
 */
void hy_domain_note(struct hy_domain *domain, bool success, const struct hy_shape *shape);

/* Whether it can be read as an input of this shape now. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_domain_check_readable(struct hy_domain *domain,
                                                    const struct hy_shape *shape,
                                                    struct hy_error *err);

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
