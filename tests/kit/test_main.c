#include "tests/kit/test.h"

#include <CUnit/Basic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static struct hy_test *first_test;
static struct hy_test_setup *first_setup;

void hy_test_register(struct hy_test *test)
{
    /* Appended, so that tests run in the order in which a file states them. */
    struct hy_test **end = &first_test;
    while (*end)
        end = &(*end)->next;
    *end = test;
}

void hy_test_register_setup(struct hy_test_setup *setup)
{
    setup->next = first_setup;
    first_setup = setup;
}

void hy_test_pass(const char *file, int line)
{
    CU_assertImplementation(CU_TRUE, (unsigned)line, "held", file, "", CU_FALSE);
}

void hy_test_fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    CU_assertImplementation(CU_FALSE, (unsigned)line, text, file, "", CU_FALSE);
}

const char *hy_test_shared_dir(void)
{
    const char *dir = getenv("HALYARD_SHARED_DIR");
    if (dir && *dir && access(dir, R_OK | X_OK) == 0)
        return dir;
    const char *ci = getenv("CI");
    if (ci && *ci && strcmp(ci, "false") != 0 && strcmp(ci, "0") != 0)
        hy_test_fail(__FILE__, __LINE__, "HALYARD_SHARED_DIR \"%s\" is not there, and CI needs it",
                     dir ? dir : "");
    else
        printf("(skipped: no shared vectors) ");
    return NULL;
}

static CU_pSuite find_or_add_suite(const char *name)
{
    CU_pSuite suite = CU_get_suite(name);
    return suite ? suite : CU_add_suite(name, NULL, NULL);
}

/* The text contains one of the parts, which commas separate. An empty part is in no text. */
static bool has_one_of(const char *text, const char *parts)
{
    for (;;) {
        const size_t length = strcspn(parts, ",");
        if (length > 0 && memmem(text, strlen(text), parts, length))
            return true;
        if (!parts[length])
            return false;
        parts += length + 1;
    }
}

/* Every argument has a part of "file:suite.name". */
static bool is_selected(const struct hy_test *test, int argc, char **argv)
{
    const char *slash = strrchr(test->file, '/');
    char full[384];

    snprintf(full, sizeof full, "%s:%s.%s", slash ? slash + 1 : test->file, test->suite,
             test->name);
    for (int i = 1; i < argc; i++) {
        if (!has_one_of(full, argv[i]))
            return false;
    }
    return true;
}

static bool has_selected_test(const char *file)
{
    const struct hy_test *test = first_test;

    while (test && (!test->is_selected || strcmp(test->file, file) != 0))
        test = test->next;
    return test != NULL;
}

int main(int argc, char **argv)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;

    unsigned added = 0;
    for (struct hy_test *test = first_test; test; test = test->next) {
        test->is_selected = is_selected(test, argc, argv);
        if (!test->is_selected)
            continue;
        CU_pSuite suite = find_or_add_suite(test->suite);
        if (!suite || !CU_add_test(suite, test->name, test->run)) {
            fprintf(stderr, "cannot register %s.%s: %s\n", test->suite, test->name,
                    CU_get_error_msg());
            return 2;
        }
        added++;
    }
    if (added == 0) {
        fprintf(stderr, "no test matches\n");
        return 2;
    }

    for (struct hy_test_setup *setup = first_setup; setup; setup = setup->next) {
        if (has_selected_test(setup->file))
            setup->run();
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}
