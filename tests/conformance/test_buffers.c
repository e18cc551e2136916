/* `halyard conformance --mode domain` on a device with buffers in a layout of its own: what it
 * takes with shared memory it takes with buffers, and computes right. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/run_command.h"
#include "tests/kit/test.h"

static const char own_vectors[] = HY_VECTORS_DIR;

static const char *text(const json_t *test, const char *key)
{
    const char *value = json_string_value(json_object_get(test, key));
    return value ? value : "";
}

/* Memory from a descriptor is never empty: such a test is skipped for that reason. */
static bool passes_too(const json_t *test)
{
    return strcmp(text(test, "result"), "passed") == 0 ||
           strcmp(text(test, "reason"), "domain: an output is empty") == 0;
}

static void compare(const char *dir)
{
    static const char *const modes[] = {"sync", "domain"};
    json_t *reports = hy_run_conformance(dir, "halyard-sample-recurrent", modes, 2);
    const json_t *tests = json_object_get(json_array_get(reports, 0), "tests");
    const json_t *in_buffers = json_object_get(json_array_get(reports, 1), "tests");
    size_t passed = 0;
    for (size_t i = 0; i < json_array_size(tests); i++) {
        const json_t *here = json_array_get(tests, i);
        const json_t *there = json_array_get(in_buffers, i);
        if (strcmp(text(here, "result"), "passed") != 0)
            continue;
        passed++;
        EXPECT_STR(text(there, "name"), text(here, "name"));
        if (!passes_too(there))
            hy_test_fail(__FILE__, __LINE__, "%s: %s %s", text(here, "name"), text(there, "result"),
                         text(there, "detail"));
    }
    EXPECT(passed > 100);
    json_decref(reports);
}

TEST(conformance_in_buffers, own_vectors_that_the_device_takes_are_right)
{
    compare(own_vectors);
}

TEST(conformance_in_buffers, shared_vectors_that_the_device_takes_are_right)
{
    const char *shared = hy_test_shared_dir();
    char dir[1024];
    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    compare(dir);
}
