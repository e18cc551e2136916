#include "tests/fuzz/fuzz.h"

#include "plugins/discovery/manifest.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = drop_line};

/* Arguments come out in one form: read again in that form, they stay as they are. */
static const char *check_arguments(const char *arguments)
{
    static const char head[] = "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":"
                               "\"a.so\",\"abi\":\"1.0\",\"arguments\":";
    char *text = NULL;
    int length = asprintf(&text, "%s%s}}", head, arguments);
    if (length < 0)
        abort();
    struct hy_manifest again = {0};
    enum hy_code code = hy_manifest_parse(text, (size_t)length, "/again", &host, &again, NULL);
    free(text);
    const char *wrong = NULL;
    if (code != HY_OK)
        wrong = "its own arguments are refused";
    else if (strcmp(again.arguments, arguments) != 0)
        wrong = "its own arguments change";
    hy_manifest_finish(&again);
    return wrong;
}

static const char *check(const struct hy_manifest *manifest)
{
    if (!manifest->library_path[0])
        return "an empty library_path";
    if (strlen(manifest->name) > HY_MANIFEST_MAX_TEXT ||
        strlen(manifest->description) > HY_MANIFEST_MAX_TEXT)
        return "a text beyond its limit";

    char *library = NULL;
    if (hy_manifest_library(manifest, "/folder/m.json", "/plugins", &library, NULL) != HY_OK)
        return "no path for the library";
    bool is_absolute = library[0] == '/';
    free(library);
    return is_absolute ? check_arguments(manifest->arguments) : "a relative library";
}

/* A manifest is refused with words, or all that it says keeps the limits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_manifest manifest = {0};
    struct hy_error err = {0};
    const char *wrong = NULL;
    if (size > HY_MANIFEST_MAX_BYTES)
        return 0;
    if (hy_manifest_parse((const char *)data, size, "/m.json", &host, &manifest, &err) == HY_OK)
        wrong = check(&manifest);
    else if (!err.text[0])
        wrong = "refused without words";
    hy_manifest_finish(&manifest);
    if (wrong) {
        fprintf(stderr, "fuzz_manifest: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const char *const seeds[] = {
        "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"a.so\",\"abi\":\"1.0\"}"
        "}",
        "{\"file_format_version\":\"1.2.3\",\"comment\":[],\"driver\":{\"library_path\":\"./a.so\","
        "\"abi\":\"1.0\",\"priority\":-9,\"kind\":\"in-process\",\"name\":\"N\",\"description\":"
        "\"\\u00e4\",\"arguments\":{\"b\":[1,2.5e-7,true,null],\"a\":{\"x\":\"\\n\"}}}}",
    };
    if (index >= sizeof seeds / sizeof seeds[0])
        return NULL;
    *length = strlen(seeds[index]);
    return (uint8_t *)strdup(seeds[index]);
}
