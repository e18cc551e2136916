#include "tools/vectors/cached.h"

#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#include "tools/api_result.h"

/* FNV-1a, whose basis the seed changes: the same on every machine and in every run. */
static uint64_t hash_name(const char *spec, const char *name, uint64_t seed)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (; *spec; spec++)
        hash = (hash ^ (unsigned char)*spec) * UINT64_C(0x100000001b3);
    hash *= UINT64_C(0x100000001b3);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

enum hy_code hy_vector_caching_ask(const struct hy_vector_caching *caching,
                                   ANeuralNetworksCompilation *compilation, struct hy_error *err)
{
    uint64_t hashes[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN / sizeof(uint64_t)];
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        hashes[i] = hash_name(caching->spec, caching->name, i);
    memcpy(token, hashes, sizeof token);
    return hy_api_result(ANeuralNetworksCompilation_setCaching(compilation, caching->dir, token),
                         "Compilation_setCaching", err);
}

static void note_step(struct hy_vector_caching *caching, const struct halyard_plan_step *step)
{
    if (step->cache == HALYARD_CACHE_HIT) {
        caching->hits++;
        return;
    }
    if (step->cache == HALYARD_CACHE_UNUSED)
        return;
    if (caching->misses++ == 0)
        snprintf(caching->reason, sizeof caching->reason, "%s", step->cache_reason);
}

enum hy_code hy_vector_caching_note(struct hy_vector_caching *caching,
                                    const ANeuralNetworksCompilation *compilation,
                                    struct hy_error *err)
{
    caching->is_compiled = true;
    caching->hits = caching->misses = 0;
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        if (code == HY_OK)
            note_step(caching, &step);
    }
    return code;
}
