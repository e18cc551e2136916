#ifndef HY_TESTS_CONTRACT_H
#define HY_TESTS_CONTRACT_H

/*
 * Checks the error contract of every API call beside the result code. A failed call must set the
 * last error to its code and to a text with the name of the function as prefix. A successful call
 * must not change the last error. The macros evaluate the call and check all rules:
 *
 *     EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_finish(model));
 *     EXPECT_OK(ANeuralNetworksModel_create(&model));
 *
 * REQUIRE_OK leaves the test function if the code differs.
 */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdbool.h>

#define EXPECT_CODE(expected, call) \
    ((void)(contract_before(expected), \
            contract_after(__FILE__, __LINE__, #call, (expected), (call))))
#define EXPECT_FAIL(code, call) EXPECT_CODE(ANEURALNETWORKS_##code, call)
#define EXPECT_OK(call)         EXPECT_CODE(ANEURALNETWORKS_NO_ERROR, call)

#define REQUIRE_OK(call) \
    do { \
        contract_before(ANEURALNETWORKS_NO_ERROR); \
        if (!contract_after(__FILE__, __LINE__, #call, ANEURALNETWORKS_NO_ERROR, (call))) \
            return; \
    } while (0)

/* "BAD_DATA"; "an undefined code" for an unknown code. */
const char *contract_code_name(int code);

/* For tables: NO_ERROR if allowed, else BAD_DATA. */
static inline int code_if(bool allowed)
{
    return allowed ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
}

/* For calls driven by a table; `call` begins with the function's name, "ANeuralNetworksModel_…". */
void contract_before(int expected);
bool contract_after(const char *file, int line, const char *call, int expected, int actual);

/* The function's name as used in error texts: without "ANeuralNetworks". */
const char *contract_short_name(const char *call);

/* Initial value of an out-parameter before the call. Points to no object and is never
 * dereferenced. */
#define OLD_VALUE(type) ((type *)(void *)contract_old_value)
extern char contract_old_value[];

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
