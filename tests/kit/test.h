#ifndef HY_TESTS_KIT_TEST_H
#define HY_TESTS_KIT_TEST_H

#include <CUnit/CUnit.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * CUnit with self-registering tests. A test is written
 *
 *     TEST(cache_store, torn_write_is_a_miss) { EXPECT(...); }
 *
 * main() comes from test_main.c. Without arguments all registered tests run. Each argument selects
 * the tests with the argument in "test_file.c:suite.name", such as "test_metadata.c:" or
 * "torn_write"; a test has to match all arguments. Commas separate alternatives:
 * "test_arena.c,test_file.c". A failing EXPECT records its values and continues; a failing REQUIRE
 * leaves the test.
 */
struct hy_test {
    const char *file;
    const char *suite;
    const char *name;
    void (*run)(void);
    bool is_selected; /* by the arguments of the program */
    struct hy_test *next;
};

void hy_test_register(struct hy_test *test);

/* Prepares the process for the tests of a file, for example by variables of the environment. */
struct hy_test_setup {
    const char *file;
    void (*run)(void);
    struct hy_test_setup *next;
};

void hy_test_register_setup(struct hy_test_setup *setup);

/* Counts a successful check. */
void hy_test_pass(const char *file, int line);

/* Records a failure with printf-style text without leaving the test. */
void hy_test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The directory with shared vectors and models (HALYARD_SHARED_DIR), or NULL if missing. With CI
 * set in the environment, a missing directory is recorded as a test failure.
 */
const char *hy_test_shared_dir(void);

#define TEST(suite_, name_) \
    static void suite_##_##name_(void); \
    static struct hy_test suite_##_##name_##_entry = {__BASE_FILE__,    #suite_, #name_, \
                                                      suite_##_##name_, false,   NULL}; \
    __attribute__((constructor)) static void register_##suite_##_##name_(void) \
    { \
        hy_test_register(&suite_##_##name_##_entry); \
    } \
    static void suite_##_##name_(void)

/*
 * TEST_SETUP(name) { ... } runs before the first test, in runs that select a test of its file.
 * Other files of the program are not affected. In a header the file is the one that includes the
 * header.
 */
#define TEST_SETUP(name_) \
    static void name_(void); \
    static struct hy_test_setup name_##_entry = {__BASE_FILE__, name_, NULL}; \
    __attribute__((constructor)) static void register_##name_(void) \
    { \
        hy_test_register_setup(&name_##_entry); \
    } \
    static void name_(void)

#define EXPECT(condition) \
    do { \
        if (condition) \
            hy_test_pass(__FILE__, __LINE__); \
        else \
            hy_test_fail(__FILE__, __LINE__, "%s", #condition); \
    } while (0)

#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            hy_test_fail(__FILE__, __LINE__, "%s", #condition); \
            return; \
        } \
        hy_test_pass(__FILE__, __LINE__); \
    } while (0)

#define EXPECT_INT(actual, expected) \
    do { \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected); \
        if (actual_ == expected_) \
            hy_test_pass(__FILE__, __LINE__); \
        else \
            hy_test_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", #actual, actual_, \
                         expected_); \
    } while (0)

#define EXPECT_STR(actual, expected) \
    do { \
        const char *actual_ = (actual), *expected_ = (expected); \
        if (actual_ && expected_ && strcmp(actual_, expected_) == 0) \
            hy_test_pass(__FILE__, __LINE__); \
        else \
            hy_test_fail(__FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", #actual, \
                         actual_ ? actual_ : "(null)", expected_ ? expected_ : "(null)"); \
    } while (0)

/* Checks for `fragment` in the text; prints the text on failure. */
#define EXPECT_CONTAINS(text, fragment) \
    do { \
        const char *text_ = (text), *fragment_ = (fragment); \
        if (text_ && strstr(text_, fragment_)) \
            hy_test_pass(__FILE__, __LINE__); \
        else \
            hy_test_fail(__FILE__, __LINE__, "%s is \"%s\", expected it to contain \"%s\"", #text, \
                         text_ ? text_ : "(null)", fragment_); \
    } while (0)

#endif
