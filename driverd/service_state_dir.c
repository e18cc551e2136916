#include "driverd/service_state_dir.h"

#include "runtime/environment.h"
#include "runtime/state_dir.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. Distinguishes libraries of the same name. Part of directory names, so never change the
 * function. */
static uint64_t number_of(const char *library)
{
    uint64_t number = UINT64_C(14695981039346656037);

    for (; *library; library++)
        number = (number ^ (unsigned char)*library) * UINT64_C(1099511628211);
    return number;
}

static const char *name_of(const char *library)
{
    const char *slash = strrchr(library, '/');
    return *library ? slash ? slash + 1 : library : "halyard-cpu";
}

enum hy_code hy_service_state_dir(const char *library, char **ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    char *all = NULL, *own = NULL;

    *ret = NULL;
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");
    enum hy_code code = hy_state_dir_make(environment, hy_state_parents, &all, err);
    if (code != HY_OK)
        return code;
    const size_t there = strlen(all);
    const int length =
        asprintf(&own, "%s/services/%.128s-%016" PRIx64, all, name_of(library), number_of(library));
    free(all);
    if (length < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "path of the state directory");
    if (!hy_environment_move_state(own)) {
        free(own);
        return hy_fail(err, HY_OUT_OF_MEMORY, "path of the state directory");
    }
    *ret = own;
    return hy_state_dir_make_below(own, there, err);
}
