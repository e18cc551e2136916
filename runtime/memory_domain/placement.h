#ifndef HY_RUNTIME_PLACEMENT_H
#define HY_RUNTIME_PLACEMENT_H

#include "runtime/memory/device_memory.h"
#include "runtime/memory/domain.h"

/* One role of a descriptor, with what its memory has to be made for. */
struct hy_memory_use {
    struct hy_compilation *compilation; /* finished */
    struct hy_memory_role role;
    float frequency;
};

/*
 * Which steps read and write what memory in these roles holds: the question that decides whose
 * memory it can be. Arrays are the placement's own.
 */
struct hy_placement {
    const struct hy_runtime_device *device; /* of all the steps; NULL: there are none or several */
    bool has_several;                       /* devices */
    bool is_interpreted;                    /* by the runtime itself, in some step */
    void **prepared;                        /* models of those steps, each once */
    struct hy_compilation **compilations;   /* of the prepared models of the same index */
    struct hy_buffer_role *roles;
    uint32_t prepared_count;
    uint32_t role_count;
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_placement_find(const struct hy_memory_use *uses, uint32_t count,
                                             struct hy_placement *ret, struct hy_error *err);
void hy_placement_finish(struct hy_placement *placement);

#endif
