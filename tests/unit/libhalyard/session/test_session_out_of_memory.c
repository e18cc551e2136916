/* Each allocation that a session makes fails in turn. */
#include <halyard/halyard.h>
#include <stdlib.h>

#include "networks.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"

enum { MOST = 2000 };

/* A network and a session from beginning to end: in another shape, with bound memory. */
static int live(const struct test_network *made)
{
    static const int32_t extents[] = {3, 2};
    const float bound[6] = {1};
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;
    void *bytes;
    size_t length;

    int result = halyard_network_open_memory(made->bytes, made->length, NULL, &network);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_create(network, NULL, &session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_run(session);
    for (uint32_t i = 0; result == ANEURALNETWORKS_NO_ERROR && i < 2; i++)
        result = halyard_session_resize(session, i, 2, extents);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_input_buffer(session, 1, &bytes, &length);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_bind_input(session, 0, bound, sizeof bound);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_run(session);
    halyard_session_free(session);
    halyard_network_close(network);
    return result;
}

TEST(session_out_of_memory, each_failing_allocation_is_told_and_undone)
{
    struct test_network made;
    int failures = 0, result = ANEURALNETWORKS_OUT_OF_MEMORY;

    REQUIRE(test_network_sum(&made));
    EXPECT_INT(live(&made), ANEURALNETWORKS_NO_ERROR);
    for (; result == ANEURALNETWORKS_OUT_OF_MEMORY && failures < MOST; failures++) {
        hy_allocation_fail_at(hy_allocation_count() + 1 + (unsigned long)failures);
        halyard_clear_last_error();
        result = live(&made);
        hy_allocation_fail_at(0);
        if (result == ANEURALNETWORKS_OUT_OF_MEMORY && *halyard_last_error() == '\0')
            hy_test_fail(__FILE__, __LINE__, "allocation %d failed without words", failures);
    }
    EXPECT_INT(result, ANEURALNETWORKS_NO_ERROR);
    EXPECT(failures > 20 && failures < MOST);
    test_network_close(&made);
}
