#include "tools/commands/conformance.h"

/* What the second compilation shows of the cache. */
static enum hy_code check_caching(struct hy_conformance *conformance,
                                  const struct hy_vector_caching *caching,
                                  struct hy_test_result *result, struct hy_error *reason)
{
    if (!caching->is_compiled) /* it has to be refused, and was */
        return HY_OK;
    if (caching->hits == 0 && caching->misses == 0) {
        result->outcome = HY_SKIPPED;
        result->rule = HY_SKIP_CACHED_NO_FILES;
        return HY_OK;
    }
    conformance->report.compiled_count++;
    if (caching->misses)
        return hy_fail(reason, HY_FAILED, "%u of %u steps did not come from the cache: %s",
                       caching->misses, caching->misses + caching->hits, caching->reason);
    conformance->report.hit_count++;
    return HY_OK;
}

enum hy_code hy_conformance_compute(struct hy_conformance *conformance,
                                    const struct hy_vector *test, struct hy_test_result *result,
                                    struct hy_error *reason)
{
    struct hy_vector_course course = conformance->course;
    if (!conformance->cache_dir)
        return hy_vector_run(test, &conformance->devices, &course, reason);

    struct hy_vector_caching caching = {
        .dir = conformance->cache_dir, .spec = result->spec, .name = result->name};
    course.caching = &caching;
    enum hy_code code = hy_vector_run(test, &conformance->devices, &course, reason);
    if (code != HY_OK)
        return code;
    caching.is_compiled = false;
    code = hy_vector_run(test, &conformance->devices, &course, reason);
    if (code != HY_OK)
        return hy_error_prefix(reason, code, "from the cache");
    return check_caching(conformance, &caching, result, reason);
}
