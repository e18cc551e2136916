#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>
#include <android/NeuralNetworksSupportLibraryImpl.h>
#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * The public headers and the export list against the facts of the API (nnapi/api.json): values of
 * all enums, layouts of structs, spelling of functions, nodes of symbols.
 */

static json_t *load_api(void)
{
    const char *shared = hy_test_shared_dir();
    char path[1024];
    json_error_t error;

    if (!shared)
        return NULL;
    snprintf(path, sizeof path, "%s/nnapi/api.json", shared);
    /* One fact is UINT64_MAX, above what a JSON integer holds here: all numbers become doubles. */
    json_t *root = json_load_file(path, JSON_DECODE_INT_AS_REAL, &error);
    if (!root)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
    return root;
}

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- Values ---------------------------------------------------------------------------------- */

static const struct value {
    const char *name;
    long long value;
} values[] = {
#define VALUE(name) \
    { \
#name, (long long)name \
    }
#define OPERAND_TYPE(code, name, ...) VALUE(ANEURALNETWORKS_##name),
#define EXTENSION_TYPE(...)
#include "common/operations/operand_types.def"
#define OP(code, name, ...) VALUE(ANEURALNETWORKS_##name),
#define EXTENSION_OP(...)
#include "common/operations/ops.def"
    VALUE(ANEURALNETWORKS_OEM_OPERATION),
    VALUE(ANEURALNETWORKS_DENSIFY),
    VALUE(ANEURALNETWORKS_FUSED_NONE),
    VALUE(ANEURALNETWORKS_FUSED_RELU),
    VALUE(ANEURALNETWORKS_FUSED_RELU1),
    VALUE(ANEURALNETWORKS_FUSED_RELU6),
    VALUE(ANEURALNETWORKS_PADDING_SAME),
    VALUE(ANEURALNETWORKS_PADDING_VALID),
    VALUE(ANEURALNETWORKS_PREFER_LOW_POWER),
    VALUE(ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER),
    VALUE(ANEURALNETWORKS_PREFER_SUSTAINED_SPEED),
    VALUE(ANEURALNETWORKS_DEVICE_UNKNOWN),
    VALUE(ANEURALNETWORKS_DEVICE_OTHER),
    VALUE(ANEURALNETWORKS_DEVICE_CPU),
    VALUE(ANEURALNETWORKS_DEVICE_GPU),
    VALUE(ANEURALNETWORKS_DEVICE_ACCELERATOR),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_1),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_2),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_3),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_4),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_5),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_6),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_7),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_8),
    VALUE(ANEURALNETWORKS_FEATURE_LEVEL_EXPERIMENTAL),
    VALUE(ANEURALNETWORKS_NO_ERROR),
    VALUE(ANEURALNETWORKS_OUT_OF_MEMORY),
    VALUE(ANEURALNETWORKS_INCOMPLETE),
    VALUE(ANEURALNETWORKS_UNEXPECTED_NULL),
    VALUE(ANEURALNETWORKS_BAD_DATA),
    VALUE(ANEURALNETWORKS_OP_FAILED),
    VALUE(ANEURALNETWORKS_BAD_STATE),
    VALUE(ANEURALNETWORKS_UNMAPPABLE),
    VALUE(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE),
    VALUE(ANEURALNETWORKS_UNAVAILABLE_DEVICE),
    VALUE(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT),
    VALUE(ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT),
    VALUE(ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT),
    VALUE(ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT),
    VALUE(ANEURALNETWORKS_DEAD_OBJECT),
    VALUE(ANEURALNETWORKS_DURATION_ON_HARDWARE),
    VALUE(ANEURALNETWORKS_DURATION_IN_DRIVER),
    VALUE(ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE),
    VALUE(ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER),
    VALUE(ANEURALNETWORKS_PRIORITY_LOW),
    VALUE(ANEURALNETWORKS_PRIORITY_MEDIUM),
    VALUE(ANEURALNETWORKS_PRIORITY_HIGH),
    VALUE(ANEURALNETWORKS_PRIORITY_DEFAULT),
    VALUE(ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES),
    VALUE(ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN),
    VALUE(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR),
    VALUE(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR),
    VALUE(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF),
    VALUE(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE),
    VALUE(ANNDIAG_NO_ERROR),
    VALUE(ANNDIAG_FAILED_TO_LOAD_SL),
    VALUE(ANNDIAG_FAILED_TO_REGISTER_SERVICE),
    VALUE(ANNDIAG_GENERAL_ERROR),
    VALUE(ANNDIAG_INVALID_ARGUMENT),
    VALUE(ANNDIAG_DATA_CLASS_UNKNOWN),
    VALUE(ANNDIAG_DATA_CLASS_OTHER),
    VALUE(ANNDIAG_DATA_CLASS_FLOAT32),
    VALUE(ANNDIAG_DATA_CLASS_FLOAT16),
    VALUE(ANNDIAG_DATA_CLASS_QUANT),
    VALUE(ANNDIAG_DATA_CLASS_MIXED),
    VALUE(ANNDIAG_EXECUTION_MODE_UNKNOWN),
    VALUE(ANNDIAG_EXECUTION_MODE_ASYNC),
    VALUE(ANNDIAG_EXECUTION_MODE_SYNC),
    VALUE(ANNDIAG_EXECUTION_MODE_BURST),
    VALUE(ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS),
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void expect_value(json_t *entry)
{
    const char *name = text_of(entry, "name");

    for (size_t i = 0; i < COUNT(values); i++) {
        if (strcmp(values[i].name, name) != 0)
            continue;
        if ((double)values[i].value != json_number_value(json_object_get(entry, "value")))
            hy_test_fail(__FILE__, __LINE__, "%s is %lld", name, values[i].value);
        return;
    }
    hy_test_fail(__FILE__, __LINE__, "the header has no %s", name);
}

/* Everything but the types of the shim, which nobody needs here. */
static bool is_public(const char *name)
{
    return strncmp(name, "ANNSHIM_", strlen("ANNSHIM_")) != 0;
}

TEST(api_header, values_are_those_of_the_api)
{
    json_t *root = load_api(), *entries, *entry;
    const char *enum_name;
    size_t i, count = 0;

    if (!root)
        return;
    json_object_foreach(json_object_get(root, "enums"), enum_name, entries)
    {
        json_array_foreach(entries, i, entry)
        {
            if (!is_public(text_of(entry, "name")))
                continue;
            expect_value(entry);
            count++;
        }
    }
    json_array_foreach(json_object_get(root, "constants"), i, entry)
    {
        expect_value(entry);
        count++;
    }
    EXPECT_INT(count, COUNT(values));
    json_decref(root);
}

/* ---- Structs --------------------------------------------------------------------------------- */

static const struct field {
    const char *struct_name;
    const char *name;
    size_t offset;
    size_t struct_size;
} fields[] = {
#define FIELD(type, name) \
    { \
#type, #name, offsetof(type, name), sizeof(type) \
    }
    FIELD(ANeuralNetworksOperandType, type),
    FIELD(ANeuralNetworksOperandType, dimensionCount),
    FIELD(ANeuralNetworksOperandType, dimensions),
    FIELD(ANeuralNetworksOperandType, scale),
    FIELD(ANeuralNetworksOperandType, zeroPoint),
    FIELD(ANeuralNetworksSymmPerChannelQuantParams, channelDim),
    FIELD(ANeuralNetworksSymmPerChannelQuantParams, scaleCount),
    FIELD(ANeuralNetworksSymmPerChannelQuantParams, scales),
    FIELD(SL_ANeuralNetworksPerformanceInfo, execTime),
    FIELD(SL_ANeuralNetworksPerformanceInfo, powerUsage),
    FIELD(SL_ANeuralNetworksOperandPerformanceInfo, operandType),
    FIELD(SL_ANeuralNetworksOperandPerformanceInfo, performanceInfo),
    FIELD(SL_ANeuralNetworksExtensionOperandTypeInformation, byteSize),
    FIELD(SL_ANeuralNetworksExtensionOperandTypeInformation, type),
    FIELD(SL_ANeuralNetworksExtensionOperandTypeInformation, isTensor),
};

static json_t *find_named(json_t *array, const char *name)
{
    size_t i;
    json_t *entry;

    json_array_foreach(array, i, entry) if (strcmp(text_of(entry, "name"), name) == 0) return entry;
    return NULL;
}

TEST(api_header, structs_have_the_layout_of_the_api)
{
    const bool is_64_bit = sizeof(void *) == 8;
    json_t *root = load_api();

    if (!root)
        return;
    for (size_t i = 0; i < COUNT(fields); i++) {
        json_t *description =
            json_object_get(json_object_get(root, "structs"), fields[i].struct_name);
        json_t *field = find_named(json_object_get(description, "fields"), fields[i].name);

        REQUIRE(field);
        EXPECT_INT(fields[i].struct_size, json_number_value(json_object_get(
                                              description, is_64_bit ? "sizeLP64" : "sizeILP32")));
        EXPECT_INT(fields[i].offset, json_number_value(json_object_get(
                                         field, is_64_bit ? "offsetLP64" : "offsetILP32")));
    }
    json_decref(root);
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* A source file without comments and white space, so that layout plays no part. */
static char *read_squeezed(const char *relative)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", HY_SOURCE_DIR, relative);
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 1 << 20);
    size_t length = 0;
    int previous = 0;
    bool in_comment = false;

    for (int c = file && text ? getc(file) : EOF; c != EOF; previous = c, c = getc(file)) {
        if (!in_comment && previous == '/' && c == '*') {
            in_comment = true;
            length--;
        } else if (in_comment) {
            in_comment = !(previous == '*' && c == '/');
        } else if (!isspace(c) && length < (1 << 20) - 1) {
            text[length++] = (char)c;
        }
    }
    if (text)
        text[length] = '\0';
    if (file)
        fclose(file);
    else
        hy_test_fail(__FILE__, __LINE__, "cannot read %s", path);
    return text;
}

/* Appends `piece` without its white space. */
static void append_squeezed(char *text, size_t size, const char *piece)
{
    size_t length = strlen(text);

    for (; *piece && length + 1 < size; piece++)
        if (!isspace((unsigned char)*piece))
            text[length++] = *piece;
    text[length] = '\0';
}

/* "intANeuralNetworksBurst_create(ANeuralNetworksCompilation*compilation,...);" */
static void spell_function(json_t *function, char *text, size_t size)
{
    json_t *params = json_object_get(function, "params"), *param;
    size_t i;

    text[0] = '\0';
    append_squeezed(text, size, text_of(function, "return"));
    append_squeezed(text, size, text_of(function, "name"));
    append_squeezed(text, size, json_array_size(params) ? "(" : "(void");
    json_array_foreach(params, i, param)
    {
        append_squeezed(text, size, i ? "," : "");
        append_squeezed(text, size, text_of(param, "type"));
        append_squeezed(text, size, text_of(param, "name"));
    }
    append_squeezed(text, size, ");");
}

/* True when `text` stands in `source` as a declaration of its own, not as the end of another. */
static bool declares(const char *source, const char *text)
{
    for (const char *at = strstr(source, text); at; at = strstr(at + 1, text))
        if (at > source && !isalnum((unsigned char)at[-1]) && at[-1] != '_')
            return true;
    return false;
}

static size_t count_in(const char *text, const char *end, const char *word)
{
    size_t count = 0;

    for (const char *at = strstr(text, word); at && at < end; at = strstr(at + 1, word))
        count++;
    return count;
}

TEST(api_header, functions_are_spelled_as_in_the_api)
{
    json_t *root = load_api(), *function;
    char *header = root ? read_squeezed("include/android/NeuralNetworks.h") : NULL;
    char text[1024];
    size_t i;

    if (!header) {
        json_decref(root);
        return;
    }
    /* Pragmas end without a semicolon: without white space the first declaration touches one. */
    char *pragma = strstr(header, "push(default)#endif");
    if (pragma)
        memcpy(pragma, ";;;;;;;;;;;;;;;;;;;", strlen("push(default)#endif"));
    json_array_foreach(json_object_get(root, "functions"), i, function)
    {
        spell_function(function, text, sizeof text);
        if (!declares(header, text))
            hy_test_fail(__FILE__, __LINE__, "the header does not say %s", text);
    }
    EXPECT_INT(i, 75);
    EXPECT_INT(count_in(header, header + strlen(header), ");"), 75);
    free(header);
    json_decref(root);
}

/* ---- The table of a support library ---------------------------------------------------------- */

/* "int(*ANeuralNetworksBurst_create)(ANeuralNetworksCompilation*compilation,...);" */
static void spell_member(json_t *member, char *text, size_t size)
{
    json_t *params = json_object_get(member, "params"), *param;
    size_t i;

    text[0] = '\0';
    append_squeezed(text, size, text_of(member, "return"));
    append_squeezed(text, size, "(*");
    append_squeezed(text, size, text_of(member, "name"));
    append_squeezed(text, size, json_array_size(params) ? ")(" : ")(void");
    json_array_foreach(params, i, param)
    {
        const char *type = text_of(param, "type"), *star = strstr(type, "(*)");
        char head[64];

        append_squeezed(text, size, i ? "," : "");
        snprintf(head, sizeof head, "%.*s", star ? (int)(star - type) + 2 : 0, type);
        append_squeezed(text, size, star ? head : type);
        append_squeezed(text, size, text_of(param, "name"));
        append_squeezed(text, size, star ? star + 2 : "");
    }
    append_squeezed(text, size, ");");
}

/* All members of a list stand in the header one after another; gives where they end. */
static const char *expect_members(const char *header, json_t *list, size_t count)
{
    json_t *member;
    char text[1024];
    size_t i;

    EXPECT_INT(json_array_size(list), count + 1); /* the first is the struct's base */
    json_array_foreach(list, i, member)
    {
        if (i == 0)
            continue;
        spell_member(member, text, sizeof text);
        const size_t length = strlen(text);
        if (strncmp(header, text, length) != 0) {
            hy_test_fail(__FILE__, __LINE__, "the header says %.80s, not %s", header, text);
            return header;
        }
        header += length;
    }
    return header;
}

TEST(api_header, the_table_of_a_support_library_is_spelled_as_in_the_api)
{
    static const char base5[] = "NnApiSLDriverImplbase;", base8[] = "NnApiSLDriverImplFL5base;";
    json_t *root = load_api(), *description = json_object_get(root, "supportLibrary");
    char *header =
        root ? read_squeezed("include/android/NeuralNetworksSupportLibraryImpl.h") : NULL;

    if (!header) {
        json_decref(root);
        return;
    }
    const char *fl5 = strstr(header, base5), *fl8 = strstr(header, base8);
    if (!fl5 || !fl8) {
        hy_test_fail(__FILE__, __LINE__, "the header has no tables");
    } else {
        const char *end = expect_members(
            fl5 + strlen(base5), json_object_get(description, "driverImplFL5MembersInOrder"), 104);
        EXPECT(strncmp(end, "}NnApiSLDriverImplFL5;", 22) == 0);
        end = expect_members(fl8 + strlen(base8),
                             json_object_get(description, "driverImplFL8MembersInOrder"), 2);
        EXPECT(strncmp(end, "}NnApiSLDriverImplFL8;", 22) == 0);
    }
    EXPECT(strstr(header, "NnApiSLDriverImpl*ANeuralNetworks_getSLDriverImpl(void);"));
    free(header);
    json_decref(root);
}

/* ---- Symbols --------------------------------------------------------------------------------- */

/* The names of a node, from its brace on; *end is its closing brace. */
static const char *find_node(const char *map, const char *node, const char **end)
{
    char opening[128];

    snprintf(opening, sizeof opening, "%s{global:", node);
    const char *start = strstr(map, opening);
    if (!start)
        return NULL;
    *end = strchr(start, '}');
    return *end ? start + strlen(opening) - 1 : NULL;
}

static bool lists(const char *node, const char *end, const char *name)
{
    char entry[256];

    snprintf(entry, sizeof entry, "%s;", name);
    for (const char *at = strstr(node, entry); at && at < end; at = strstr(at + 1, entry))
        if (at[-1] == ';' || at[-1] == ':')
            return true;
    return false;
}

TEST(api_header, the_export_list_has_every_function_under_its_node)
{
    json_t *root = load_api(), *function;
    char *map = root ? read_squeezed("runtime/libneuralnetworks.map") : NULL;
    const char *end = NULL, *node;
    size_t i;

    if (!map) {
        json_decref(root);
        return;
    }
    json_array_foreach(json_object_get(root, "functions"), i, function)
    {
        node = find_node(map, text_of(function, "symbolVersion"), &end);
        if (!node || !lists(node, end, text_of(function, "name")))
            hy_test_fail(__FILE__, __LINE__, "%s does not list %s",
                         text_of(function, "symbolVersion"), text_of(function, "name"));
    }
    node = find_node(map, "LIBNEURALNETWORKS", &end);
    EXPECT_INT(node ? count_in(node, end, ";") : 0, 69 + 1); /* and the * of "local" */
    node = find_node(map, "LIBNEURALNETWORKS_PLATFORM", &end);
    EXPECT_INT(node ? count_in(node, end, ";") : 0, 6);
    EXPECT(strstr(map, "}LIBNEURALNETWORKS;"));
    EXPECT(strstr(map, "LIBNEURALNETWORKS_SL{global:ANeuralNetworks_getSLDriverImpl;};"));
    EXPECT(strstr(map, "HALYARD_0.1{global:AHardwareBuffer_*;halyard_*;};"));
    free(map);
    json_decref(root);
}
