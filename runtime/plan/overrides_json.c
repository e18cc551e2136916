/* Parser of assignment files. Files are written by hand, so every member is checked and the error
 * text names the wrong member. */
#include "runtime/plan/overrides.h"

#include "runtime/extension/code_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *key)
{
    return *key && strspn(key, "0123456789") == strlen(key);
}

static enum hy_code read_key(const char *key, struct hy_assignment *ret, struct hy_error *err)
{
    ret->number = HY_ANY_NUMBER;
    if (is_number(key)) {
        const unsigned long long number = strtoull(key, NULL, 10);
        if (number >= HY_ANY_NUMBER)
            return hy_fail(err, HY_BAD_DATA,
                           "operation %.32s: the number is above the limit of operations", key);
        ret->number = (uint32_t)number;
        return HY_OK;
    }
    enum hy_code code = hy_operation_of_text(key, &ret->type, err);
    if (code == HY_BAD_DATA)
        return hy_fail(err, code, "\"%.32s\" is neither a number nor an operation", key);
    return code;
}

static enum hy_code read_member(const char *key, const json_t *value, struct hy_assignment *ret,
                                struct hy_error *err)
{
    if (!json_is_string(value) || json_string_length(value) == 0 ||
        strlen(json_string_value(value)) != json_string_length(value))
        return hy_fail(err, HY_BAD_DATA, "operation %.32s: the device is not a name", key);
    enum hy_code code = read_key(key, ret, err);
    if (code != HY_OK)
        return code;
    ret->device = strdup(json_string_value(value));
    return ret->device ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "assignment of %.32s", key);
}

static enum hy_code read_all(json_t *root, struct hy_assignments *made, struct hy_error *err)
{
    json_t *operations = json_object_get(root, "operations"), *value;
    const char *key;
    enum hy_code code = HY_OK;

    if (!json_is_object(operations) || json_object_size(root) != 1)
        return hy_fail(err, HY_BAD_DATA, "needs one member, the object \"operations\"");
    if (json_object_size(operations) > HY_ASSIGNMENTS_MAX)
        return hy_fail(err, HY_BAD_DATA, "%zu assignments, at most %u are allowed",
                       json_object_size(operations), HY_ASSIGNMENTS_MAX);
    made->list = calloc(json_object_size(operations) + 1, sizeof *made->list);
    if (!made->list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu assignments", json_object_size(operations));
    json_object_foreach(operations, key, value)
    {
        code = read_member(key, value, &made->list[made->count], err);
        if (code != HY_OK)
            break;
        made->count++;
    }
    return code;
}

enum hy_code hy_assignments_parse(const char *text, size_t length, struct hy_assignments *ret,
                                  struct hy_error *err)
{
    struct hy_assignments made = {0};
    json_error_t wrong;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);

    enum hy_code code = root ? read_all(root, &made, err)
                             : hy_fail(err, HY_BAD_DATA, "line %d: %s", wrong.line, wrong.text);
    json_decref(root);
    if (code != HY_OK) {
        hy_assignments_finish(&made);
        return code;
    }
    *ret = made;
    return HY_OK;
}

void hy_assignments_finish(struct hy_assignments *assignments)
{
    for (uint32_t i = 0; i < assignments->count; i++)
        free(assignments->list[i].device);
    free(assignments->list);
    *assignments = (struct hy_assignments){0};
}
