#ifndef HY_RUNTIME_DOMAIN_H
#define HY_RUNTIME_DOMAIN_H

#include "common/error.h"
#include "common/operations/shape_cell.h"
#include "halyard/driver.h"

struct hy_device_memory;

/*
 * A role of memory from a descriptor: one use as an input or output. `compilation` is the number of
 * a compilation, unique in the process.
 */
struct hy_memory_role {
    uint64_t compilation;
    uint32_t index;
    bool is_output;
};

bool hy_memory_role_is_listed(const struct hy_memory_role *roles, uint32_t count,
                              const struct hy_memory_role *role);

/*
 * The properties of memory from a descriptor: roles, location and state. Everything but the state
 * is constant. Shared memory is allocated for one shape. Device memory may have open extents and
 * gets the shape of the written value.
 */
struct hy_domain {
    struct hy_memory_role *roles; /* owned */
    uint32_t role_count;
    struct hy_shape shape;           /* shape of the descriptor; 0 = any */
    bool is_open;                    /* `shape` has open extents */
    uint32_t element_bytes;          /* 0: not defined by the type */
    struct hy_operand operand;       /* type and quantization of the contents; owns its arrays */
    struct hy_device_memory *device; /* device memory, owned; NULL: shared memory */

    /* The mark is 1 if the last execution or copy to the memory succeeded. For open memory the cell
     * also holds the shape of the last success; rank 0 before the first success. */
    struct hy_shape_cell held;
};

/* Creates a domain with copies of roles and operand. `shape` is the shape of the memory. NULL: out
 * of memory. */
struct hy_domain *hy_domain_create(const struct hy_memory_role *roles, uint32_t count,
                                   const struct hy_operand *operand, const struct hy_shape *shape);
void hy_domain_destroy(struct hy_domain *domain); /* NULL is allowed */

/* Writes the size in bytes of a value with this shape. False: the size is unknown because of an
 * open shape or the type. */
bool hy_domain_measure(const struct hy_domain *domain, const struct hy_shape *shape, uint64_t *ret);

/* The state of the memory at one moment. */
struct hy_domain_state {
    bool is_initialised;
    bool is_known; /* true: `shape` is the shape of the current or last contents */
    struct hy_shape shape;
};
void hy_domain_look(struct hy_domain *domain, struct hy_domain_state *ret);

/* Notes the end of an execution or a copy that wrote the memory. `shape` is the new shape after a
 * success. */
void hy_domain_note(struct hy_domain *domain, bool success, const struct hy_shape *shape);

/* Checks that the memory is readable as an input of this shape. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_domain_check_readable(struct hy_domain *domain,
                                                    const struct hy_shape *shape,
                                                    struct hy_error *err);

/*
 * Checks that the memory may be used as an argument.
 *   offset, length  from the app: both 0, as the memory is used as a whole
 *   shape           in: shape from model and app; out: merged with the shape of the memory
 * Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_domain_check_use(const struct hy_domain *domain,
                                               const struct hy_memory_role *role, uint64_t offset,
                                               uint64_t length, struct hy_shape *shape,
                                               struct hy_error *err);

/* True if two operands have the same type and quantization. */
bool hy_operand_is_alike(const struct hy_operand *a, const struct hy_operand *b);

#endif
