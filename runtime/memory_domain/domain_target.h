#ifndef HY_RUNTIME_DOMAIN_TARGET_H
#define HY_RUNTIME_DOMAIN_TARGET_H

#include "runtime/memory/device_memory.h"
#include "runtime/memory/domain.h"

/* A role of a descriptor with its compilation and frequency. */
struct hy_memory_use {
    struct hy_compilation *compilation; /* finished */
    struct hy_memory_role role;
    float frequency;
};

/*
 * The steps that read and write memory in the given roles. The steps decide which device can
 * allocate the memory. The struct owns its arrays.
 */
struct hy_domain_target {
    const struct hy_runtime_device *device; /* of all steps; NULL: none or several */
    bool has_several;                       /* several devices */
    bool is_interpreted;                    /* the runtime itself runs a step */
    void **prepared;                        /* prepared models of the steps, without duplicates */
    struct hy_compilation **compilations;   /* compilation of each prepared model */
    struct hy_buffer_role *roles;
    uint32_t prepared_count;
    uint32_t role_count;
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_domain_target_find(const struct hy_memory_use *uses, uint32_t count,
                                                 struct hy_domain_target *ret,
                                                 struct hy_error *err);
void hy_domain_target_finish(struct hy_domain_target *target);

#endif
