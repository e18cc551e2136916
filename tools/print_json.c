#include "tools/print_json.h"

#include "common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hy_code hy_json_print(json_t *value, struct hy_error *err)
{
    if (!value)
        return hy_fail(err, HY_OUT_OF_MEMORY, "the JSON could not be built");

    const int result = json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(value);
    if (result != 0)
        return hy_fail(err, HY_FAILED, "cannot write JSON to standard output");
    putchar('\n');
    return HY_OK;
}

json_t *hy_json_text(const char *text)
{
    char *clean = strdup(text);
    if (!clean)
        return NULL;
    hy_text_clean(clean);
    json_t *string = json_string(clean);
    free(clean);
    return string;
}
