#include "runtime/extension/code_text.h"

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "runtime/extension/extension.h"

#include <stdlib.h>
#include <string.h>

const char *hy_operation_text(int32_t code)
{
    const char *text = hy_operation_info(code) ? NULL : hy_extension_code_text(code);

    return text ? text : hy_operation_name(code);
}

const char *hy_operand_type_text(int32_t code)
{
    const char *text = hy_operand_type_info(code) ? NULL : hy_extension_code_text(code);

    return text ? text : hy_operand_type_name(code);
}

/* Splits "com.acme.fft#3". False: invalid text. */
static bool split(const char *text, char name[HY_MAX_TEXT + 1], uint32_t *code)
{
    const char *mark = strchr(text, '#');
    const size_t length = mark ? (size_t)(mark - text) : 0;
    const size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;

    if (length > HY_MAX_TEXT || digits < 1 || digits > 5 || mark[1 + digits])
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    *code = (uint32_t)strtoul(mark + 1, NULL, 10);
    return hy_extension_name_is_well_formed(name) && *code <= UINT16_MAX;
}

static enum hy_code extension_code(const char *text, int32_t *ret, struct hy_error *err)
{
    char name[HY_MAX_TEXT + 1];
    uint32_t within, prefix;

    if (!split(text, name, &within))
        return hy_fail(err, HY_BAD_DATA, "operation \"%.64s\" does not exist", text);
    enum hy_code code = hy_extension_prefix(name, &prefix, err);
    if (code == HY_OK)
        *ret = (int32_t)(prefix << 16 | within);
    return code;
}

/* True for "com.acme.fft.FORWARD": an extension name and a name inside the extension. */
static bool is_named(const char *text)
{
    char name[HY_MAX_TEXT + 1];
    const char *within = strrchr(text, '.');
    const size_t length = within ? (size_t)(within - text) : 0;

    if (length > HY_MAX_TEXT || length == 0)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    within += strspn(within, ".ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return *within == '\0' && within[-1] != '.' && strlen(text) <= HY_MAX_TEXT &&
           hy_extension_name_is_well_formed(name);
}

static enum hy_code find_code(const char *what, const char *text, int32_t *ret,
                              struct hy_error *err)
{
    char name[HY_MAX_TEXT + 1];
    uint32_t within, prefix;
    const bool is_numbered = split(text, name, &within);

    if (!is_numbered && !is_named(text))
        return hy_fail(err, HY_BAD_DATA, "%s \"%.64s\" does not exist", what, text);
    *ret = is_numbered && hy_extension_find_prefix(name, &prefix) ? (int32_t)(prefix << 16 | within)
                                                                  : HY_UNKNOWN_CODE;
    return HY_OK;
}

enum hy_code hy_operation_of_text(const char *text, int32_t *ret, struct hy_error *err)
{
    const struct hy_operation_info *info = hy_operation_find(text);

    if (!info)
        return extension_code(text, ret, err);
    *ret = info->code;
    return HY_OK;
}

enum hy_code hy_operation_find_text(const char *text, int32_t *ret, struct hy_error *err)
{
    const struct hy_operation_info *info = hy_operation_find(text);

    if (!info)
        return find_code("operation", text, ret, err);
    *ret = info->code;
    return HY_OK;
}

enum hy_code hy_operand_type_find_text(const char *text, int32_t *ret, struct hy_error *err)
{
    const struct hy_operand_type_info *info = hy_operand_type_find(text);

    if (!info)
        return find_code("type", text, ret, err);
    *ret = info->code;
    return HY_OK;
}
