/* The list of functions that are probed, against what the library exports. */
#include "probe.h"

#include <dlfcn.h>

/* Whether the lines that follow are those of the API, and not of something else exported. */
static bool is_node_of_api(const char *line)
{
    return strcmp(line, "LIBNEURALNETWORKS {\n") == 0 ||
           strcmp(line, "LIBNEURALNETWORKS_PLATFORM {\n") == 0;
}

static void expect_listed_once(const char *name)
{
    uint32_t listed = 0;

    for (uint32_t i = 0; i < probe_function_count; i++)
        listed += strcmp(probe_functions[i].name, name) == 0;
    if (listed != 1)
        hy_test_fail(__FILE__, __LINE__, "%s is listed %u times", name, listed);
}

TEST(probe_functions, every_function_of_the_library_is_listed_once)
{
    FILE *map = fopen(VERSION_SCRIPT, "r");
    char line[256];
    bool is_api = false;
    uint32_t exported = 0;
    REQUIRE(map != NULL);

    while (fgets(line, sizeof line, map)) {
        char *name = strstr(line, "ANeuralNetworks");
        if (strchr(line, '{'))
            is_api = is_node_of_api(line);
        if (!is_api || !name)
            continue;
        name[strcspn(name, ";")] = '\0';
        expect_listed_once(name);
        exported++;
    }
    fclose(map);
    EXPECT_INT(exported, 75);
    EXPECT_INT(probe_function_count, 75);
}

TEST(probe_functions, every_function_is_found_by_its_name)
{
    void *library = dlopen("libneuralnetworks.so.1", RTLD_NOW);
    REQUIRE(library != NULL);

    for (uint32_t i = 0; i < probe_function_count; i++) {
        if (!dlsym(library, probe_functions[i].name))
            hy_test_fail(__FILE__, __LINE__, "there is no %s", probe_functions[i].name);
    }
    dlclose(library);
}
